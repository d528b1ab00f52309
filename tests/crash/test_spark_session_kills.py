"""Killed in the middle: the warm session, and the process that Spark's Python workers are forked from.

`make test` kills each once, `make soak` as often as its scale says; two more kills of the new parts are in
`tests/conformance/spark/test_several_queue_managers.py`. The story: a flow runs in a warm session, the
preloaded process is killed and the flow goes on with ordinary Pythons; then the whole session is killed, and
another session goes on. In the end every order is out, once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.spark.runs import flow_job
from penstock.spark.runs.spark_run import JOB, SparkRun
from penstock.spark.starting import resident, warm
from penstock.spark.starting.class_archive import share
from tests.conformance.spark.test_flows import DEFINITIONS, ORDERS
from tests.conformance.spark.test_several_queue_managers import ORDERS_EACH, done, put
from tests.patience import until
from tests.spark import HOME, SPARK_SECONDS, Broker, marks_of
from tests.uncompiled import ROOT

pytestmark = [*marks_of("spark kills"), pytest.mark.crash]
ROUNDS = 1


class Session:
    """A warm session as `flow run` starts it, and a run of the flow in it."""

    def __init__(self, broker: Broker) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", warm.PROGRAM],
            env={**os.environ, "PENSTOCK_HOME": str(broker.home), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            assert "failure" not in told, told
            if "ready" in told:
                break
        given = SparkRun(
            str(ORDERS), "orders", broker.name, options={"home": str(broker.home)}, batch_rows=30
        )
        self.thread = threading.Thread(target=self._run, args=(given.arguments(), broker.home))
        self.thread.start()

    def _run(self, given: dict[str, Any], home: Path) -> None:
        try:
            resident.request(JOB, given, lambda event: None, home=home)
        except (MQError, OSError):
            pass  # it was killed

    def preloaded(self) -> int:
        """Return the number of the process that workers are forked from."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
                if int(parent) == self.process.pid and b"preloading" in (folder / "cmdline").read_bytes():
                    return int(folder.name)
            except OSError:
                continue
        raise AssertionError("there is no preloaded process")

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.thread.join(SPARK_SECONDS)


def test_the_warm_session_and_its_workers_are_killed(spark: Any, broker: Broker, scale: int) -> None:
    share(HOME / ".spark", broker.home / ".spark")
    with broker.local() as qm:
        assert not any(reply.failed for reply in qm.mqsc(DEFINITIONS))
    numbers: list[int] = []
    for number in range(ROUNDS * scale):
        session = Session(broker)
        try:
            for half in (1, 2):
                first = 1000 * (2 * number + half)
                put(broker, first)
                numbers += range(first, first + ORDERS_EACH)
                least = len(numbers) - ORDERS_EACH // 2
                until(lambda least=least: len(done(broker)) >= least, pause=0.05, seconds=SPARK_SECONDS)
                if half == 1:
                    os.kill(session.preloaded(), signal.SIGKILL)
        finally:
            session.kill()
    given = SparkRun(str(ORDERS), "orders", broker.name, until_empty=True, options={"home": str(broker.home)})
    flow_job.run(spark, given.arguments(), lambda event: None, threading.Event())

    assert done(broker) == numbers
    with broker.local() as qm:
        assert list(qm.browse("ORDERS.IN")) == []
