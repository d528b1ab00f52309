"""The fused plan, undisturbed: what comes out, how it is counted, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.spark.runs import fused
from tests.spark import Broker, finish, marks

pytestmark = marks


def run(spark: Any, broker: Broker, work: str = "tests.spark:mark_done", **options: object) -> Any:
    query = fused.start(
        spark,
        broker.options(queue="IN", flow="orders", **options),
        work=work,
        arguments={"tokens": str(broker.tokens)},
        checkpoint=str(broker.checkpoint),
        until_empty=True,
    )
    finish(query)
    return query


def test_every_message_goes_through_the_work_once_and_in_order(spark: Any, broker: Broker) -> None:
    bodies = broker.put(500)

    query = run(spark, broker, maxRows=200)

    assert broker.bodies() == [b"done " + body for body in bodies]
    assert broker.bodies("IN") == []
    counts = [progress.observedMetrics[fused.METRICS].rows for progress in query.recentProgress]
    assert counts == [200, 200, 100]
    assert broker.flows()["orders"]["recorded"] == 3


def test_an_attempt_that_fails_leaves_nothing(spark: Any, broker: Broker) -> None:
    bodies = broker.put(300)
    broker.add_tokens(3)

    run(spark, broker, work="tests.spark:fail_sometimes", maxRows=100)

    assert broker.bodies() == [b"done " + body for body in bodies]
    assert not list(broker.tokens.iterdir())


def test_a_work_that_always_fails_ends_the_query_with_everything_in_place(spark: Any, broker: Broker) -> None:
    bodies = broker.put(50)
    broker.add_tokens(20)

    with pytest.raises(Exception, match="fails on purpose"):
        run(spark, broker, work="tests.spark:fail_sometimes")
    for token in broker.tokens.iterdir():
        token.unlink()
    run(spark, broker, work="tests.spark:fail_sometimes")

    assert broker.bodies() == [b"done " + body for body in bodies]


def test_a_run_that_was_stopped_in_its_first_note_goes_on(spark: Any, broker: Broker) -> None:
    """Spark writes notes under other names and renames them: a stop in between leaves such a name."""
    bodies = broker.put(20)
    notes = broker.checkpoint / "offsets"
    notes.mkdir(parents=True)
    (notes / ".0.2f7f33a3-93b4-4b87-9ba8-3ba1a3a1b1d1.tmp").write_text("v1")

    run(spark, broker)

    assert broker.bodies() == [b"done " + body for body in bodies]


def test_a_work_nobody_knows_is_said(spark: Any, broker: Broker) -> None:
    broker.put(1)

    with pytest.raises(Exception, match="no attribute 'nothing'"):
        run(spark, broker, work="tests.spark:nothing")

    assert broker.flows()["orders"]["rows"] == 1
