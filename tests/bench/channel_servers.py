"""Two queue managers in processes of their own with message channels both ways, for benchmarks."""

from __future__ import annotations

import contextlib
import socket
import tempfile
import threading
import time
from collections import deque
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.load.queue_server import DEPTH_MAX, QMGR, QueueServer, command
from penstock.lab.load.server_process import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAR = "FAR"
TRIGGER = "TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)"


class Linked:
    """The near and the far queue manager."""

    def __init__(self, near: QueueServer, far: QueueServer) -> None:
        self.near, self.far = near, far

    @property
    def sessions(self) -> set[int]:
        """The processes of both."""
        return {self.near.process.session, self.far.process.session}


@contextmanager
def linked(folder: Path, near: Sequence[str], far: Sequence[str], window: int = 4) -> Iterator[Linked]:
    """Run both, with a channel in each direction that a message starts; gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as home:
        settings = f"\nChannels:\n   PipeLineLength={window}\n"
        servers = Linked(
            QueueServer(Path(home), (*_outgoing(FAR), *near), QMGR, settings),
            QueueServer(Path(home), (*_outgoing(QMGR), *far), FAR, settings),
        )
        try:
            join(servers.near, servers.far, servers.far.process.port)
            join(servers.far, servers.near, servers.near.process.port)
            yield servers
        finally:
            servers.near.stop()
            servers.far.stop()


def _outgoing(name: str) -> list[str]:
    return [f"DEFINE QLOCAL({name}) USAGE(XMITQ) MAXDEPTH({DEPTH_MAX}) {TRIGGER}"]


def join(source: QueueServer, target: QueueServer, port: int) -> None:
    """Define both ends of the channel from one to the other."""
    channel = f"{source.name}.{target.name}"
    with target.connect_locally() as qm:
        command(qm, f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR) REPLACE")
    with source.connect_locally() as qm:
        place = f"XMITQ({target.name}) CONNAME('{LOOPBACK}({port})')"
        command(qm, f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) {place} REPLACE")


def status(qm: Any, channel: str) -> dict[str, Any]:
    """Return the status of a channel; nothing when it is inactive."""
    found = [dict(r.attributes) for r in qm.mqsc(f"DISPLAY CHSTATUS({channel}) ALL") if r.attributes]
    return found[0] if found else {}


def depth(qm: Any, queue: str) -> int:
    """Return how many messages are on a queue."""
    (reply,) = qm.mqsc(f"DISPLAY QLOCAL({queue}) CURDEPTH")
    return int(reply.attributes["CURDEPTH"])


class SlowLine:
    """A relay whose bytes arrive later, in both directions."""

    def __init__(self, target: int, delay: float) -> None:
        self._target, self._delay = target, delay
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection((LOOPBACK, self._target))
                for source, sink in ((near, far), (far, near)):
                    sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    late: deque[tuple[float, bytes]] = deque()
                    ready = threading.Semaphore(0)
                    for work in (self._read, self._write):
                        threading.Thread(target=work, args=(source, sink, late, ready), daemon=True).start()

    def _read(
        self,
        source: socket.socket,
        _: socket.socket,
        late: deque[tuple[float, bytes]],
        ready: threading.Semaphore,
    ) -> None:
        data = b"begin"
        while data:
            try:
                data = source.recv(1 << 16)
            except OSError:
                data = b""
            late.append((time.monotonic() + self._delay, data))
            ready.release()

    def _write(
        self,
        _: socket.socket,
        sink: socket.socket,
        late: deque[tuple[float, bytes]],
        ready: threading.Semaphore,
    ) -> None:
        with contextlib.suppress(OSError):
            while True:
                ready.acquire()
                due, data = late.popleft()
                time.sleep(max(0.0, due - time.monotonic()))
                if not data:
                    break
                sink.sendall(data)
        sink.close()

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()
