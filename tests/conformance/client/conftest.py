"""One suite of verbs for every way to a queue manager: embedded, local socket, TCP, and asyncio on TCP.

The asyncio client is driven through `Blocking`, which runs each coroutine to its end on a loop of its own, in
one context, so that the same tests speak to it. The server is a real process.
"""

from __future__ import annotations

import asyncio
import contextvars
import getpass
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from tests.command_forks import Command
from tests.patience import attempts
from tests.ports import free_port

WAYS = ("embedded", "local", "tcp", "aio")
RECONNECTING = ("reconnecting", "reconnecting aio")
pytestmark = pytest.mark.installed


class Running:
    """A queue manager in a process of its own."""

    def __init__(self, home: Path, name: str = "QM1") -> None:
        self.name = name
        self.home = home
        self.port = free_port()
        self.process: Command | None = None

    def start(self) -> None:
        """Start it, at the same port as before; come back when it listens."""
        self.process = Command(
            ["qmgr", "start", self.name, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PENSTOCK_HOME": str(self.home)},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "listens at" in line, line
        self.port = int(line.rpartition("(")[2].partition(")")[0])

    def kill(self) -> None:
        """Kill it as a power cut would."""
        assert self.process is not None
        self.process.kill()
        self._ended()

    def _ended(self) -> None:
        assert self.process is not None
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def stop(self) -> None:
        """End it, by whatever it takes."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
        if self.process is not None:
            self._ended()

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"mq://127.0.0.1:{self.port}/{self.name}?channel=TEST.SVRCONN"


SETUP = """
DEFINE QLOCAL(Q)
DEFINE QLOCAL(Q2)
DEFINE CHANNEL(TEST.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('{user}')
SET CHLAUTH(*) TYPE(BLOCKUSER) USERLIST(nobody_at_all)
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
"""


def make(home: Path, name: str = "QM1") -> None:
    """Make a queue manager whose channel lets everybody of this machine in, as the folder's owner."""
    with penstock.embed(name, create=True, home=home, file_pages=64, primary_files=2) as qm:
        for reply in qm.mqsc(SETUP.format(user=getpass.getuser())):
            assert not reply.failed, f"{reply.id} {reply.text}"


def running_in(home: Path) -> Iterator[Running]:
    make(home)
    running = Running(home)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def server(penstock_home: Path) -> Iterator[Running]:
    """A running QM1 with queues Q and Q2, for one test, which may kill it."""
    yield from running_in(penstock_home)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A running QM1 with queues Q and Q2 for a whole module; each test finds the queues empty."""
    yield from running_in(tmp_path_factory.mktemp("home"))


class Blocking:
    """An asyncio object as blocking code sees it: coroutines are run to their end, in one context."""

    def __init__(self, subject: Any, runner: Callable[[Any], Any]) -> None:
        self._subject = subject
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._subject, name)
        if not callable(value):
            return self._wrapped(value)
        return lambda *args, **kwargs: self._wrapped(value(*args, **kwargs))

    def _wrapped(self, value: Any) -> Any:
        if asyncio.iscoroutine(value):
            return self._wrapped(self._runner(value))
        if hasattr(value, "__anext__"):
            return self._rows(value)
        if hasattr(value, "__aenter__") or type(value).__name__ == "AsyncBatches":
            return Blocking(value, self._runner)
        return value

    def _rows(self, rows: Any) -> Iterator[Any]:
        while True:
            try:
                yield self._runner(_next(rows))
            except StopAsyncIteration:
                return

    def __iter__(self) -> Iterator[Any]:
        return self._rows(self._subject.__aiter__())

    def __enter__(self) -> Any:
        self._runner(self._subject.__aenter__())
        return self

    def __exit__(self, *problem: object) -> None:
        self._runner(self._subject.__aexit__(*problem))


def until(qm: Any, condition: Callable[[], Any]) -> None:
    """Wait for a condition; the loop of an asyncio connection runs meanwhile."""
    for _ in attempts():
        if condition():
            return
        if isinstance(qm, Blocking):
            qm._runner(asyncio.sleep(0.01))
        else:
            time.sleep(0.01)


async def _next(rows: Any) -> Any:
    return await rows.__anext__()


@contextmanager
def blocking(address: str, **details: Any) -> Iterator[Blocking]:
    """Connect by asyncio and let blocking code use it."""
    context = contextvars.copy_context()
    with asyncio.Runner() as runner:

        def run(coroutine: Any) -> Any:
            return runner.run(coroutine, context=context)

        qm = run(penstock.aio.connect(address, **details))
        yield Blocking(qm, run)
        run(qm.close())


@pytest.fixture(params=WAYS)
def qm(request: pytest.FixtureRequest, penstock_home: Path) -> Iterator[Any]:
    """A connection to QM1 with queues Q and Q2, by every way."""
    if request.param == "embedded":
        make(penstock_home)
        with penstock.embed("QM1") as embedded:
            yield embedded
        return
    running: Running = request.getfixturevalue("shared")
    with penstock.connect("QM1", home=running.home) as admin:
        assert not any(reply.failed for reply in admin.mqsc("CLEAR QLOCAL(Q)\nCLEAR QLOCAL(Q2)"))
    reconnect = request.param in RECONNECTING
    if request.param.endswith("aio"):
        with blocking(running.address, reconnect=reconnect) as asynchronous:
            yield asynchronous
    else:
        where = "QM1" if request.param == "local" else running.address
        with penstock.connect(where, home=running.home, reconnect=reconnect) as client:
            yield client


@pytest.fixture
def fails() -> Callable[[int], Any]:
    """`with fails(2033): ...`: the block must raise MQError with this reason."""

    @contextmanager
    def expect(reason: int) -> Iterator[Any]:
        with pytest.raises(penstock.MQError) as caught:
            yield caught
        assert caught.value.reason == reason, str(caught.value)

    return expect
