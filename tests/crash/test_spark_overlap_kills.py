"""Two batches of one flow at once, and killed in the middle: queue manager, workers, driver, a second run.

The story: many batches wait, so a run has a second query for the same queue. As soon as both hold messages,
something is killed. In the end every message is out once, nothing is reserved, and nothing waits. `make test`
kills six times, `make soak` as often as its scale says.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from penstock.spark.runs import flow_job
from penstock.spark.runs.spark_run import SECOND, SparkRun
from penstock.spark.starting import resident
from tests.patience import until
from tests.spark import SPARK_SECONDS, Broker, marks_of
from tests.uncompiled import ROOT

pytestmark = [*marks_of("spark kills"), pytest.mark.crash]
ROWS = 40
FLOW = "copy/In"
PROGRAM = """
from penstock.flow import Flow, nodes

flow = Flow("copy")
start = flow.add(nodes.MQInput("IN", domain="BLOB"), "In")
pause = flow.add(nodes.Compute("esql/copy.esql", module="Pause"))
out = flow.add(nodes.MQOutput("OUT"))
start.out >> pause.in_
pause.out >> out.in_
"""
ESQL = """
CREATE COMPUTE MODULE Pause
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SLEEP(10);
    SET OutputRoot = InputRoot;
    RETURN TRUE;
  END;
END MODULE;
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("flows/copy.py", PROGRAM), ("esql/copy.esql", ESQL)):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "project"


def given(broker: Broker, project: Path, until_empty: bool = True) -> dict[str, Any]:
    options = {"home": str(broker.home)}
    return SparkRun(
        str(project),
        "copy",
        broker.name,
        batch_rows=ROWS,
        until_empty=until_empty,
        checkpoint=str(broker.checkpoint),
        options=options,
    ).arguments()


def epochs(broker: Broker) -> dict[str, int]:
    return {name: flow["epoch"] for name, flow in broker.flows().items()}


def both_hold(broker: Broker, before: dict[str, int]) -> bool:
    """Return whether both queries hold messages, in a later epoch of theirs than before."""
    flows = broker.flows()
    return all(
        name in flows and flows[name]["rows"] and flows[name]["epoch"] > before.get(name, -1)
        for name in (FLOW, FLOW + SECOND)
    )


def wait_for_both(
    broker: Broker, run: threading.Event | None = None, before: dict[str, int] | None = None
) -> None:
    """Wait until both queries hold messages, or the run has ended: its own end says why."""
    until(
        lambda: both_hold(broker, before or {}) or (run is not None and run.is_set()),
        pause=0.02,
        seconds=SPARK_SECONDS,
    )


def assert_each_once(broker: Broker, bodies: list[bytes]) -> None:
    assert sorted(broker.bodies("OUT")) == sorted(bodies)
    assert broker.bodies("IN") == []
    for name, flow in broker.flows().items():
        assert (name, flow["rows"], flow["prepared"]) == (name, 0, 0)


@contextmanager
def running(spark: Any, arguments: dict[str, Any]) -> Iterator[threading.Event]:
    """Run a flow in a thread; fail with what it failed with. The event stops it."""
    stopped, failures = threading.Event(), []

    def run() -> None:
        resident.make_active(spark)
        try:
            flow_job.run(spark, arguments, lambda event: None, stopped)
        except BaseException as failure:  # noqa: BLE001  told by the test's own thread
            failures.append(failure)
        stopped.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield stopped
    finally:
        thread.join(SPARK_SECONDS)
    assert not thread.is_alive()
    assert failures == []


def workers() -> list[int]:
    """Return Spark's Python workers of this process: forks of the daemon, a fork of the preloaded process."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if b"preloading" in words:
            parents[int(folder.name)] = parent
    preloaded = [pid for pid, parent in parents.items() if parent == os.getpid()]
    return [pid for pid, parent in parents.items() if parents.get(parent) in preloaded]


def test_the_queue_manager_is_killed_while_both_hold_messages(
    spark: Any, broker: Broker, project: Path, scale: int
) -> None:
    kills = 2 * scale
    bodies = broker.put(ROWS * 8 * kills)
    with running(spark, given(broker, project)) as ended:
        for _ in range(kills):
            wait_for_both(broker, ended)
            assert not ended.is_set()
            port = broker.port
            broker.kill()
            broker.start(port)

    assert_each_once(broker, bodies)


@contextmanager
def driver_of(arguments: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    """Run a flow in a driver of its own, which is killed with its JVM and its workers."""
    driver = subprocess.Popen(
        [sys.executable, str(ROOT / "tests/conformance/spark/cluster_driver.py"), "local[2]", "{}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    assert driver.stdin is not None
    print(json.dumps(arguments), file=driver.stdin, flush=True)
    try:
        yield driver
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.communicate()


@pytest.mark.parametrize("keep_checkpoint", [pytest.param(True, marks=pytest.mark.soak), False])
def test_the_driver_is_killed_while_both_hold_messages(
    spark: Any, broker: Broker, project: Path, keep_checkpoint: bool, scale: int
) -> None:
    """Another run goes on; as less than a batch waits, it starts no second query, and gets its messages."""
    bodies: list[bytes] = []
    for turn in range(scale):
        bodies += broker.put(ROWS * 4, first=1_000_000 * turn)
        before = epochs(broker)  # what the one that was killed held is still reserved
        with driver_of(given(broker, project)):
            wait_for_both(broker, before=before)
        if not keep_checkpoint:
            broker.forget_checkpoint()
    with running(spark, {**given(broker, project), "batch_rows": 100_000}):
        pass

    assert_each_once(broker, bodies)


def test_a_second_run_takes_over_both_queries(spark: Any, broker: Broker, project: Path) -> None:
    """The older run has both queries in the middle of a batch: it is refused, and the newer one goes on."""
    bodies = broker.put(ROWS * 12)
    with driver_of(given(broker, project, until_empty=False)) as older:
        wait_for_both(broker)
        with running(spark, given(broker, project)):
            until(lambda: older.poll() is not None, pause=0.1, seconds=SPARK_SECONDS)
        assert older.returncode != 0

    assert_each_once(broker, bodies)


def test_a_stop_gives_back_what_both_hold(spark: Any, broker: Broker, project: Path, scale: int) -> None:
    bodies = broker.put(ROWS * 8 * scale)
    for _ in range(scale):
        with running(spark, given(broker, project, until_empty=False)) as stopped:
            wait_for_both(broker, stopped)
            stopped.set()
        assert all(flow["rows"] == 0 for flow in broker.flows().values())
    with running(spark, given(broker, project)):
        pass

    assert_each_once(broker, bodies)


def test_python_workers_are_killed_while_both_hold_messages(
    spark: Any, broker: Broker, project: Path, scale: int
) -> None:
    kills = 3 * scale
    bodies = broker.put(ROWS * 8 * kills)
    with running(spark, given(broker, project)) as ended:
        for _ in range(kills):
            wait_for_both(broker, ended)
            assert not ended.is_set()
            before = broker.flows()[FLOW]["recorded"]
            os.kill(workers()[-1], signal.SIGKILL)
            until(
                lambda before=before: broker.flows()[FLOW]["recorded"] > before,
                pause=0.05,
                seconds=SPARK_SECONDS,
            )

    assert_each_once(broker, bodies)
