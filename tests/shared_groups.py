"""Queue-sharing groups for tests: members in this process and in others, on one PostgreSQL for the session.

Each test has a group of its own: a schema with a name that no other test uses.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg

from penstock.host import starting
from penstock.host.embedding import embed
from penstock.host.folders import folder as folders
from penstock.host.folders import ini
from penstock.host.queue_manager import QueueManager
from penstock.qmgr.sharing.group import Group
from tests.patience import until

_numbers = itertools.count(1)
TRANSMISSION = """DEFINE CFSTRUCT(APPL1) RECOVER(YES) OFFLOAD(DB2)
DEFINE QLOCAL(SYSTEM.QSG.TRANSMIT.QUEUE) QSGDISP(SHARED) CFSTRUCT(APPL1) USAGE(XMITQ) INDXTYPE(CORRELID)"""
SETTINGS = "PENSTOCK_TEST_GROUP"  # name and facility, for members in other processes


def join_group(group: Group) -> None:
    """Make every queue manager that starts in this process a member, whatever its qm.ini says."""
    read = getattr(starting.read_settings, "unchanged", starting.read_settings)

    def settings(path: Path) -> ini.Settings:
        return replace(read(path), group=group)

    settings.unchanged = read  # type: ignore[attr-defined]
    starting.read_settings = settings


class Members:
    """The members of one group."""

    def __init__(self, url: str, home: Path, **attributes: Any) -> None:
        number = f"{os.getpid() % 1000:03d}{next(_numbers):03d}"
        self.url = url
        self.home = home
        self.group = Group(f"T{number}", url, **attributes)
        self.here: dict[str, QueueManager] = {}
        self.elsewhere: dict[str, subprocess.Popen[str]] = {}
        self.queues: dict[str, dict[str, Any]] = {}

    def start(self, name: str) -> QueueManager:
        """Start a member in this process, with the queues that were shared so far."""
        join_group(self.group)
        try:
            if not folders.folder_of(name, self.home).ini.exists():
                starting.create(name, self.home)
            qm = self.here[name] = embed(name, home=self.home)
        finally:
            starting.read_settings = starting.read_settings.unchanged  # type: ignore[attr-defined]
        for queue, attributes in self.queues.items():
            qm.host.sharing.define(queue, **attributes)
        return qm

    def share(self, queue: str, **attributes: Any) -> None:
        """Define a shared queue at every member."""
        self.queues[queue] = attributes
        for qm in self.here.values():
            qm.host.sharing.define(queue, **attributes)

    def queue_inside(self) -> None:
        """Have all members do intra-group queuing."""
        names = set(self.here)
        self.here[min(names)].mqsc(TRANSMISSION, check=True)
        for qm in self.here.values():
            until(lambda qm=qm: "SYSTEM.QSG.TRANSMIT.QUEUE" in qm.engine.queues)  # type: ignore[misc]
            qm.mqsc("ALTER QMGR IGQ(ENABLED)", check=True)
        for qm in self.here.values():
            until(lambda qm=qm: names <= qm.host.sharing.sharing.queuing)  # type: ignore[misc]

    def run(self, name: str, script: str, *arguments: str) -> subprocess.Popen[str]:
        """Run a script of tests/crash in another process; it prints a line for each step it has done."""
        command = [sys.executable, str(Path(__file__).parent / "crash" / script), name, str(self.home)]
        process = subprocess.Popen(
            [*command, self.group.name, self.url, *self.queues, *arguments],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
        )
        self.elsewhere[name] = process
        return process

    def kill(self, name: str) -> None:
        """Kill a member in another process at once."""
        process = self.elsewhere.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.close()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """Return rows of the facility's tables."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"set search_path to {self.group.schema}")  # type: ignore[arg-type]
            return connection.execute(statement).fetchall()  # type: ignore[arg-type]

    def until_recovered(self, name: str) -> None:
        """Wait until a peer has freed what a dead member held."""
        until(lambda: self.rows(f"select state from member where name = '{name}'") == [("failed",)])

    def close(self) -> None:
        """Stop every member and remove the group."""
        for name in list(self.elsewhere):
            self.kill(name)
        for qm in self.here.values():
            qm.close()
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"drop schema if exists {self.group.schema} cascade")  # type: ignore[arg-type]


@contextmanager
def members(url: str, home: Path, *names: str, **attributes: Any) -> Iterator[Members]:
    """Give a group with members of these names in this process."""
    group = Members(url, home, **attributes)
    try:
        for name in names:
            group.start(name)
        yield group
    finally:
        group.close()
