"""Two runs of one flow in one session, as two terminals share the warm one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.spark.runs import flow_job
from penstock.spark.runs.spark_run import SparkRun
from penstock.spark.starting import resident
from tests.conformance.spark.test_flows import ORDERS, define
from tests.conformance.spark.test_several_queue_managers import ORDERS_EACH, done, put
from tests.patience import until
from tests.spark import SPARK_SECONDS, Broker, marks, running_broker

pytestmark = marks


@pytest.fixture
def two(tmp_path: Path) -> Iterator[list[Broker]]:
    with ExitStack() as stack:
        found = [stack.enter_context(running_broker(tmp_path / f"home{number}")) for number in range(2)]
        for broker in found:
            define(broker)
            put(broker, 1000)
        yield found


class Run:
    """A run in a thread: its counts, or what it failed with."""

    def __init__(self, spark: Any, broker: Broker, *, until_empty: bool = False) -> None:
        options = {"home": str(broker.home)}
        given = SparkRun(str(ORDERS), "orders", broker.name, until_empty=until_empty, options=options)
        self.given = {**given.arguments(), "checkpoint": str(broker.checkpoint)}
        self.spark = spark
        self.stopped = threading.Event()
        self.facts: dict[str, Any] = {}
        self.failure: Any = None
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        resident.make_active(self.spark)
        try:
            self.facts = flow_job.run(self.spark, self.given, lambda event: None, self.stopped)
        except Exception as failure:  # noqa: BLE001  the test looks at it
            self.failure = failure

    def end(self) -> None:
        self.thread.join(SPARK_SECONDS)
        assert not self.thread.is_alive()


@contextmanager
def running(spark: Any, broker: Broker, **given: Any) -> Iterator[Run]:
    run = Run(spark, broker, **given)
    try:
        yield run
    finally:
        run.stopped.set()
        run.end()


def test_each_counts_its_own_messages(spark: Any, two: list[Broker]) -> None:
    with running(spark, two[0]) as first, running(spark, two[1]) as second:
        until(
            lambda: (first.failure or second.failure) or all(len(done(each)) == ORDERS_EACH for each in two),
            pause=0.1,
            seconds=SPARK_SECONDS,
        )

    assert (first.failure, second.failure) == (None, None)
    assert (first.facts["messages"], second.facts["messages"]) == (ORDERS_EACH, ORDERS_EACH)


def test_a_second_run_takes_over_and_the_first_says_so(spark: Any, two: list[Broker]) -> None:
    broker = two[0]
    with running(spark, broker) as first:
        until(lambda: len(done(broker)) == ORDERS_EACH, pause=0.1, seconds=SPARK_SECONDS)
        put(broker, 2000)
        with running(spark, broker, until_empty=True) as second:
            first.end()
            second.end()

    assert (second.failure, getattr(first.failure, "reason", None)) == (None, mq.PSRC_EPOCH_STALE)
    assert done(broker) == [*range(1000, 1000 + ORDERS_EACH), *range(2000, 2000 + ORDERS_EACH)]
    assert all(state["rows"] == 0 for state in broker.flows().values())
