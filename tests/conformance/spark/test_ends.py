"""Signals end a run or a replay on Spark in words: no traceback, and a line that says how to go on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from penstock.cli import demo_orders
from tests.patience import attempts, until
from tests.spark import HOME, SPARK_SECONDS, Broker, marks
from tests.spark_cases import CASES, ORDERS

pytestmark = marks


class Command:
    """A command of penstock in a process of its own; what it says is kept."""

    def __init__(self, broker: Broker, *words: str) -> None:
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "penstock.cli.main", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PENSTOCK_HOME": str(broker.home)},
            start_new_session=True,
        )
        self.listening = threading.Thread(target=self._listen)
        self.listening.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Wait until something is true, while the command runs."""
        for _ in attempts(SPARK_SECONDS):
            assert self.process.poll() is None, self.said
            if condition():
                return
            time.sleep(0.02)

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        code = self.process.wait(SPARK_SECONDS)
        self.listening.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def command(broker: Broker, *words: str) -> Iterator[Command]:
    (broker.home / ".spark").mkdir(exist_ok=True)
    for archive in (HOME / ".spark").glob("classes-*"):  # starts in half the time
        with suppress(FileExistsError):
            (broker.home / ".spark" / archive.name).symlink_to(archive)
    running = Command(broker, *words)
    try:
        yield running
    finally:
        with suppress(ProcessLookupError):  # whatever is left of its group
            os.killpg(running.process.pid, signal.SIGKILL)
        running.process.wait()


def replaying(broker: Broker, archive: Path, target: Path) -> AbstractContextManager[Command]:
    words = ("--from", str(archive), "--flow", "orders", "--project", str(ORDERS), "--to", str(target))
    return command(broker, "replay", *words, "--master", "local[1]")


def group_is_gone(running: Command) -> bool:
    """Say whether all processes that a command has started have ended, the JVM too."""
    try:
        os.killpg(running.process.pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_signal_ends_a_run_between_two_batches(broker: Broker) -> None:
    """Nothing stays reserved: what was done is out, and the rest is there for any other getter."""
    with broker.local() as qm:
        qm.mqsc(CASES["orders"].script)
        CASES["orders"].fill(qm)
    run = ("flow", "run", "orders", "--project", str(ORDERS), "--qmgr", broker.name, "--engine", "spark")
    more = ("--master", "local[1]", "--batch-size", "5", "--checkpoint", str(broker.checkpoint))
    with command(broker, *run, *more) as running:
        running.wait_for(lambda: "5 messages in 1 batch" in running.said)
        code = running.end(signal.SIGTERM)
    assert (code, "Traceback" in running.said) == (0, False), running.said
    assert "The same command goes on" in running.said
    done = int(re.findall(r"(\d+) messages in [\d.]+ s", running.said)[-1])

    held = [(state["rows"], state["prepared"]) for state in broker.flows().values()]
    assert (set(held), 5 <= done < 84) == ({(0, 0)}, True), running.said
    with broker.local() as qm:
        (reply,) = qm.mqsc("DISPLAY QSTATUS(ORDERS.IN) CURDEPTH RESERVED UNCOM")
        assert [reply.attributes[name] for name in ("CURDEPTH", "RESERVED", "UNCOM")] == [84 - done, 0, "NO"]
        assert len(qm.get_many("ORDERS.IN", 100)) == 84 - done


def test_a_signal_while_spark_starts_leaves_no_process(broker: Broker, tmp_path: Path) -> None:
    archive = tmp_path / "archive.jsonl"
    archive.write_text(json.dumps({"body": demo_orders.order(1).decode()}))
    with replaying(broker, archive, tmp_path / "out") as running:
        log = broker.home / ".spark" / "logs" / f"driver-{running.process.pid}.err"
        running.wait_for(log.exists)  # the JVM was started a moment ago, and is not up
        code = running.end(signal.SIGINT)
        until(lambda: group_is_gone(running))
    assert (code, "Traceback" in running.said) == (128 + signal.SIGINT, False), running.said


def test_a_signal_while_spark_starts_ends_a_run_that_has_not_begun(broker: Broker) -> None:
    """It does not wait until Spark is there, only to stop it again."""
    with broker.local() as qm:
        qm.mqsc(CASES["orders"].script)
    run = ("flow", "run", "orders", "--project", str(ORDERS), "--qmgr", broker.name, "--engine", "spark")
    with command(broker, *run, "--master", "local[1]") as running:
        running.wait_for(lambda: "  Java" in running.said)  # the session comes next
        code = running.end(signal.SIGTERM)
        until(lambda: group_is_gone(running))
    assert (code, "Traceback" in running.said) == (128 + signal.SIGTERM, False), running.said
    assert "Ended while Spark started. Nothing was taken." in running.said
    assert broker.flows() == {}


def test_a_signal_ends_a_replay(broker: Broker, tmp_path: Path) -> None:
    archive = tmp_path / "archive.jsonl"
    lines = [json.dumps({"body": demo_orders.order(number).decode()}) for number in range(1, 3000)]
    archive.write_text("\n".join(lines * 20))
    with replaying(broker, archive, tmp_path / "out") as running:
        running.wait_for((tmp_path / "out").exists)
        code = running.end(signal.SIGINT)
        until(lambda: group_is_gone(running))
    assert (code, "Traceback" in running.said) == (128 + signal.SIGINT, False), running.said
    assert "remove it and run the same command again" in running.said
