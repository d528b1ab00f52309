"""Both ends of a message channel are killed by signal 9 again and again; every message arrives exactly once.

A sending and a receiving queue manager run in processes of their own (`channel_worker.py`) with real
journals. One of them, or both, are killed in the middle of their work and started again. In the end all that
was confirmed to the putting program is on the target queue, once and in order, and no batch is in doubt.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.qmgr.channels import batches
from tests.crash import channel_worker
from tests.patience import SECONDS, until
from tests.ports import free_port

pytestmark = [pytest.mark.crash, pytest.mark.installed]

LOG = {"file_pages": 64, "primary_files": 3, "secondary_files": 3, "default_pq_buffer_size": 50_000}
SENDING = "DEFINE QLOCAL(QMB) USAGE(XMITQ) MAXDEPTH(900000)\nDEFINE QREMOTE(R) RNAME(T) RQMNAME(QMB)"


class Ends:
    """The two processes, and the ledger of what was confirmed."""

    def __init__(self, home: Path) -> None:
        self.home, self.ledger, self.port = home, home / "ledger", free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.starts = 0

    def start(self, role: str, ledger: str | None = None) -> None:
        self.starts += 1
        first = str(self.starts * 1_000_000)
        arguments = [role, str(self.home), str(self.port), ledger or str(self.ledger), first]
        command = [sys.executable, channel_worker.__file__, *arguments]
        self.processes[role] = subprocess.Popen(command, env=os.environ)

    def kill(self, role: str) -> None:
        process = self.processes.pop(role)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def confirmed(self) -> list[bytes]:
        return self.ledger.read_bytes().split() if self.ledger.exists() else []

    def until_confirmed(self, count: int) -> None:
        before = len(self.confirmed())
        until(lambda: self.alive() and len(self.confirmed()) >= before + count)

    def alive(self) -> bool:
        for role, process in self.processes.items():
            assert process.poll() is None, f"the {role} ended by itself"
        return True


@contextmanager
def both(home: Path) -> Iterator[Ends]:
    ends = Ends(home)
    try:
        yield ends
    finally:
        for role in list(ends.processes):
            ends.kill(role)


def test_every_confirmed_message_arrives_once_whoever_is_killed(tmp_path: Path, scale: int) -> None:
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with penstock.embed("QMA", create=True, home=tmp_path, **LOG) as qm:
        qm.mqsc(SENDING)
    with penstock.embed("QMB", create=True, home=tmp_path, **LOG) as qm:
        qm.mqsc("DEFINE QLOCAL(T) MAXDEPTH(900000)")

    with both(tmp_path) as ends:
        ends.start("receiver")
        ends.start("sender")
        for roles in [("sender",), ("receiver",), ("sender", "receiver")] * 2 * scale:
            ends.until_confirmed(chance.randrange(20, 200))
            for role in roles:
                ends.kill(role)
            for role in roles:
                ends.start(role)
        ends.until_confirmed(1)
        ends.kill("sender")
        ends.start("sender", "-")
        assert ends.processes.pop("sender").wait(SECONDS * 5) == 0
        confirmed = ends.confirmed()

    check(tmp_path, confirmed)


def check(home: Path, confirmed: list[bytes]) -> None:
    with penstock.embed("QMB", home=home) as qm:
        arrived: list[Any] = [message.body for message in qm.browse("T")]
    with penstock.embed("QMA", home=home) as qm:
        assert batches.in_doubt(qm.engine, channel_worker.CHANNEL) == []

    print(f"{len(confirmed)} confirmed, {len(arrived)} arrived")
    assert len(set(arrived)) == len(arrived), "a message arrived twice"
    assert not set(confirmed) - set(arrived), "a confirmed message is lost"
    assert arrived == sorted(arrived), "the order is lost"
