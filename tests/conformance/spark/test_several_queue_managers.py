"""One job over the queues of three queue managers, while one of them is killed and comes back."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import demo_orders
from penstock.model.errors import MQError
from penstock.spark.remote_queue_manager import BROKEN
from penstock.spark.runs import flow_job
from penstock.spark.runs.spark_run import SparkRun
from penstock.spark.starting import resident
from tests.conformance.spark.test_flows import DEFINITIONS, ORDERS
from tests.patience import until
from tests.spark import SPARK_SECONDS, Broker, marks, running_broker

pytestmark = [*marks, pytest.mark.crash]
ORDERS_EACH = 90
NUMBERS = re.compile(rb'order="(\d+)"|<Id>(\d+)</Id>')


@pytest.fixture
def three(tmp_path: Path) -> Iterator[list[Broker]]:
    with ExitStack() as stack:
        found = [stack.enter_context(running_broker(tmp_path / f"home{number}")) for number in range(3)]
        for number, broker in enumerate(found):
            with broker.local() as qm:
                assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
            put(broker, 1000 * (number + 1))
        yield found


def put(broker: Broker, first: int) -> None:
    with broker.local() as qm:
        bodies = [demo_orders.order(number) for number in range(first, first + ORDERS_EACH)]
        qm.put_many("ORDERS.IN", bodies, persistent=True)


def done(broker: Broker) -> list[int]:
    """Return the numbers of the orders that are out, wherever."""
    found = []
    with broker.local() as qm:
        for queue in demo_orders.QUEUES:
            for message in qm.browse(queue):
                match = NUMBERS.search(message.body)
                assert match is not None
                found.append(int(match[1] or match[2]))
    return sorted(found)


def given(three: list[Broker], folder: Path, **more: Any) -> dict[str, Any]:
    one, *others = (broker.address() for broker in three)
    run = SparkRun(str(ORDERS), "orders", one, also=others, checkpoint=str(folder), batch_rows=30, **more)
    return run.arguments()


def test_a_lost_queue_manager_stops_its_own_batches_only(
    spark: Any, three: list[Broker], tmp_path: Path
) -> None:
    """One of three is killed: the others go on, and it goes on when it is back. Every order is out once."""
    first, second, third = three
    told: list[dict[str, Any]] = []
    stopped, ended = threading.Event(), threading.Event()

    def run() -> None:
        resident.make_active(spark)
        flow_job.run(spark, given(three, tmp_path / "ck"), told.append, stopped)
        ended.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    until(lambda: len(done(second)) >= 30, pause=0.1, seconds=SPARK_SECONDS)
    port = second.port
    second.kill()
    until(lambda: any("away" in event for event in told), pause=0.1, seconds=SPARK_SECONDS)
    put(third, 4000)
    until(lambda: len(done(first)) == 90 and len(done(third)) == 180, pause=0.1, seconds=SPARK_SECONDS)
    second.start(port)
    until(lambda: len(done(second)) == 90, pause=0.1, seconds=SPARK_SECONDS)
    stopped.set()
    assert ended.wait(SPARK_SECONDS)

    assert (done(first), done(second)) == ([*range(1000, 1090)], [*range(2000, 2090)])
    assert done(third) == [*range(3000, 3090), *range(4000, 4090)]
    for broker in three:
        assert all(state["rows"] == 0 for state in broker.flows().values())


def test_a_run_without_one_of_them_does_not_call_itself_complete(
    spark: Any, three: list[Broker], tmp_path: Path
) -> None:
    """One of three does not answer from the start: the run does the others, and ends with an error."""
    told: list[dict[str, Any]] = []
    three[1].kill()

    with pytest.raises(MQError, match="was lost") as caught:
        flow_job.run(spark, given(three, tmp_path / "ck", until_empty=True), told.append, threading.Event())

    assert caught.value.reason in BROKEN
    assert [event["away"] for event in told if "away" in event] == [three[1].address()]
    assert (len(done(three[0])), len(done(three[2]))) == (90, 90)
