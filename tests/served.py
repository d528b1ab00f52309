"""A real queue manager in a process of its own, for tests that talk to it over sockets, and its fixtures."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.host.folders.folder import folder_of
from penstock.host.starting import create
from tests.command_forks import Command, run_command
from tests.ports import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = """
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN) REPLACE
SET CHLAUTH(APP.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app') ACTION(REPLACE)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ,DSP)
SET AUTHREC PROFILE('APP.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI,DSP)
DEFINE QLOCAL(APP.Q) MAXDEPTH(100000) REPLACE
DEFINE QLOCAL(APP.REPLIES) MAXDEPTH(100000) REPLACE
DEFINE QLOCAL(SECRET) REPLACE
"""

STOP_SECONDS = 5.0  # then it is killed: a test may have left a unit of work open


class Served:
    """A queue manager that `penstock qmgr start` runs."""

    program: tuple[str, ...] = ()  # in place of the command line

    def __init__(self, home: Path, name: str = "QM1", script: str = SCRIPT) -> None:
        self.home = home
        self.name = name
        self.process: subprocess.Popen[str] | Command | None = None
        self.port = 0
        if not folder_of(name, home).exists():
            create(name, home, file_pages=256, primary_files=3)
        with penstock.embed(name, home=home) as qm:
            failed = [reply.text for reply in qm.mqsc(script) if reply.failed]
        assert not failed, failed

    @property
    def folder(self) -> Path:
        return folder_of(self.name, self.home).path

    def start(self, port: int = 0, *options: str) -> None:
        words = ["qmgr", "start", self.name, "--port", str(port or free_port()), *options]
        env = {**os.environ, "PENSTOCK_HOME": str(self.home)}
        if self.program:
            command = [*self.program, *words]
            self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        else:
            self.process = Command(words, env=env, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "listens at" in line, line
        self.port = int(line.rpartition("(")[2].partition(")")[0])

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of penstock on the queue managers of this home."""
        return run_command(*words, env={**os.environ, "PENSTOCK_HOME": str(self.home)})

    def address(self, channel: str = "APP.SVRCONN", more: str = "") -> str:
        return f"mq://127.0.0.1:{self.port}/{self.name}?channel={channel}{more}"

    def connect(self, **options: object) -> penstock.ClientQueueManager:
        """Connect as a client of the network, user `app`."""
        return penstock.connect(self.address(), **options)  # type: ignore[arg-type]

    def local(self) -> penstock.ClientQueueManager:
        """Connect by the local socket, as the administrator."""
        return penstock.connect(self.name, home=self.home)

    def log(self) -> str:
        path = self.folder / "errors" / "AMQERR01.LOG"
        return path.read_text() if path.exists() else ""

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_SECONDS)
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One running queue manager for a whole module; tests leave its queues empty."""
    running = Served(tmp_path_factory.mktemp("home"))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A running queue manager for one test, which may kill it."""
    running = Served(tmp_path)
    running.start()
    yield running
    running.stop()
