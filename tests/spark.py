"""What the tests on Spark share: one session for all, a queue manager to read from, works for fused plans.

Spark tests are in two xdist groups, "spark" and "spark kills": one worker runs a group, with one JVM, and two
workers have about as much to do. Python workers of Spark import this module by its name, for the works at its
end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.served import Served
from tests.uncompiled import ROOT

HOME = ROOT / "build" / "spark-home"  # logs, and the class archive that the next run starts with
SCRIPT = """
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH(APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app') ACTION(REPLACE)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ,DSP,SYSTEM,SETALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI,DSP)
DEFINE QLOCAL(IN) DEFPSIST(YES) MAXDEPTH(100000) REPLACE
DEFINE QLOCAL(OUT) DEFPSIST(YES) MAXDEPTH(100000) REPLACE
DEFINE QLOCAL(OTHER) DEFPSIST(YES) MAXDEPTH(100000) REPLACE
"""
SPARK_SECONDS = 300.0  # that something may take which starts or ends a JVM


def marks_of(group: str) -> list[Any]:
    """Return the marks of tests that share a Spark: they run in one worker, with one JVM."""
    return [pytest.mark.installed, pytest.mark.xdist_group(group)]


marks = marks_of("spark")


@contextmanager
def running_session() -> Iterator[Any]:
    """Run Spark in this process; skip where it cannot be had."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    from penstock.model.errors import MQError
    from penstock.spark import session

    paths = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = f"{ROOT}{os.pathsep}{paths}" if paths else str(ROOT)
    home = os.environ.get("PENSTOCK_HOME", "")
    os.environ["PENSTOCK_HOME"] = str(HOME)  # of Spark's workers; a test's own does not outlive it
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    try:
        spark = session("local[2]", {"spark.sql.shuffle.partitions": "2"}, home=HOME)
    except MQError as failure:
        pytest.skip(f"Spark does not start here: {failure}")
    finally:
        os.environ["PYTHONPATH"] = paths
        os.environ["PENSTOCK_HOME"] = home
        signal.signal(signal.SIGINT, on_ctrl_c)  # PySpark sets a handler that stays when Spark has ended
    yield spark
    spark.stop()


class Broker(Served):
    """A queue manager in a process of its own, with queues for a flow."""

    def __init__(self, home: Path) -> None:
        super().__init__(home, script=SCRIPT)
        self.checkpoint = home / "checkpoint"
        self.tokens = home / "tokens"
        self.tokens.mkdir()

    def options(self, **more: object) -> dict[str, str]:
        """Return the options that a source or sink needs to find this queue manager."""
        given = {"url": self.name, "home": str(self.home), **more}
        return {name: str(value) for name, value in given.items()}

    def put(self, count: int, first: int = 0, queue: str = "IN") -> list[bytes]:
        made = [b"%06d" % number for number in range(first, first + count)]
        with self.local() as qm:
            for at in range(0, count, 1000):
                qm.put_many(queue, made[at : at + 1000], persistent=True)
        return made

    def bodies(self, queue: str = "OUT") -> list[bytes]:
        with self.local() as qm:
            return [message.body for message in qm.browse(queue)]

    def flows(self) -> dict[str, dict[str, Any]]:
        from penstock.model.status import values

        with self.local() as qm:
            return {each.flow: values(each) for each in qm.batches.listing()}

    def forget_checkpoint(self) -> None:
        shutil.rmtree(self.checkpoint)

    def add_tokens(self, count: int) -> None:
        """Allow as many accidents: a work takes a token before it has one."""
        for number in range(count):
            (self.tokens / f"{time.time_ns()}-{number}").touch()


@contextmanager
def running_broker(home: Path) -> Iterator[Broker]:
    broker = Broker(home)
    broker.start()
    yield broker
    broker.stop()


class Driver:
    """A driver in a process of its own."""

    def __init__(
        self,
        broker: Broker,
        rows_per_batch: int,
        work: str,
        *,
        master: str = "local[2]",
        spark_options: dict[str, str] | None = None,
        url: str = "",
        java_home: str = "",
        **arguments: object,
    ) -> None:
        given = {
            "master": master,
            "spark_options": spark_options or {},
            "spark_home": str(HOME),
            "options": broker.options(
                queue="IN",
                flow="orders",
                maxRows=rows_per_batch,
                partitions=2,
                **({"url": url} if url else {}),
            ),
            "work": f"tests.spark:{work}",
            "arguments": {"tokens": str(broker.tokens), **arguments},
            "checkpoint": str(broker.checkpoint),
        }
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests/crash/spark_driver.py"), json.dumps(given)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **({"JAVA_HOME": java_home} if java_home else {})},
        )
        self.jvm = int(self.line("jvm"))

    def line(self, word: str, least: int = 0) -> str:
        """Wait for a line of this kind, with at least this number; return what follows the word."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            kind, _, rest = line.strip().partition(" ")
            if kind == word and int(rest or 0) >= least:
                return rest
        code = self.end()
        raise AssertionError(f"the driver ended with {code} before it said {word} {least}")

    def end(self) -> int:
        """Wait for its end and return its exit code."""
        assert self.process.stdout is not None
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait()

    def kill(self) -> None:
        """Kill the driver and its JVM at once."""
        for pid in (self.jvm, self.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def finish(query: Any, seconds: float = SPARK_SECONDS) -> None:
    """Wait for the end of a query that ends by itself; raise what it failed with."""
    try:
        assert query.awaitTermination(seconds), f"the query did not end: {query.lastProgress}"
    finally:
        query.stop()


# -- works of fused plans: imported by Spark's Python workers ---------------------------------


def mark_done(arguments: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """Make the work that puts `done <body>` to OUT."""
    return lambda messages: [("OUT", b"done " + message.body) for message in messages]


def die_sometimes(arguments: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """Make the same work, which kills its process, half way, while there are tokens."""

    def work(messages: list[Any]) -> Iterator[Any]:
        for number, message in enumerate(messages):
            if number == len(messages) // 2:
                die_with_a_token(arguments["tokens"])
            yield "OUT", b"done " + message.body

    return work  # type: ignore[return-value]


def fail_sometimes(arguments: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """Make the same work, which raises while there are tokens."""

    def work(messages: list[Any]) -> list[Any]:
        if take_token(arguments["tokens"]):
            raise RuntimeError("fails on purpose")
        return [("OUT", b"done " + message.body) for message in messages]

    return work


def slow(arguments: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """Make the same work, with a pause a slice, so that a test can interfere."""

    def work(messages: list[Any]) -> list[Any]:
        time.sleep(arguments["seconds"])
        return [("OUT", b"done " + message.body) for message in messages]

    return work


def hang_once(arguments: dict[str, Any]) -> Callable[[list[Any]], list[Any]]:
    """Make the same work, which hangs for longer than any test while there are tokens, and tells of it."""

    def work(messages: list[Any]) -> list[Any]:
        if take_token(arguments["tokens"]):
            told = Path(arguments["tokens"]).parent
            (told / "hangs").touch()
            time.sleep(600)
            (told / "hang-ended").touch()
        return [("OUT", b"done " + message.body) for message in messages]

    return work


def die_with_a_token(folder: str) -> None:
    """Kill this process, if there is a token for it and the task may be tried again."""
    if spare_attempts() and take_token(folder):
        os.kill(os.getpid(), signal.SIGKILL)


def spare_attempts() -> bool:
    """Say whether the task may fail once more without ending the query."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return task is not None and task.attemptNumber() < 2


def take_token(folder: str) -> bool:
    for token in Path(folder).iterdir():
        try:
            token.unlink()
        except FileNotFoundError:
            continue
        return True
    return False
