"""The three ways to a queue manager: in the same process, by its local socket, over TCP.

The seeds call them fastpath, standard and client. A binding is set up once for a benchmark and says how a
role connects; where it is embedded, all roles are threads of one process.
"""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.load.queue_server import QMGR, QueueServer, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EMBEDDED, LOCAL, CLIENT = "embedded", "local socket", "client"
NAMES = (EMBEDDED, LOCAL, CLIENT)


class Binding:
    """How roles reach the queue manager of a benchmark."""

    def __init__(self, name: str, connect: Callable[[], Any], sessions: set[int], threads: bool) -> None:
        self.name = name
        self.connect = connect
        self.sessions = sessions
        self.threads = threads


def available() -> tuple[str, ...]:
    """Return the bindings that this version has."""
    return NAMES if hasattr(penstock, "connect") else (EMBEDDED,)


@contextmanager
def bound(name: str, folder: Path, commands: Sequence[str]) -> Iterator[Binding]:
    """Run a queue manager with these definitions for a binding; gone afterwards."""
    if name == EMBEDDED:
        with tempfile.TemporaryDirectory(dir=folder) as home:
            with penstock.embed(QMGR, create=True, home=home) as qm:
                for text in commands:
                    command(qm, text)
            yield Binding(name, lambda: penstock.embed(QMGR, home=home), set(), threads=True)
    else:
        with served(folder, commands) as server:
            connect = server.connect if name == CLIENT else server.connect_locally
            yield Binding(name, connect, {server.process.session}, threads=False)


@contextmanager
def served(folder: Path, commands: Sequence[str]) -> Iterator[QueueServer]:
    """Run a queue manager in a process of its own; gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        server = QueueServer(Path(home), commands)
        try:
            yield server
        finally:
            server.stop()
