"""A relay between two sockets, which a test can cut: both ends lose the connection, and new ones may come.

It can also lose what goes one way (`swallows`), or leave the far end with a link that nobody has (`strand`).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

from tests.ports import LOOPBACK


class Relay:
    """Listens at a port of its own and passes everything on to another."""

    def __init__(self, target: int | Path) -> None:
        self.target = target  # a port, or the path of a socket
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port = int(self._listener.getsockname()[1])
        self.swallows: set[str] = set()  # "forth", to the target, and "back"
        self.refuses = False  # new connections
        self._sockets: list[socket.socket] = []
        self._stranded: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = self._dial()
                except OSError:
                    near.close()
                    continue
                self._sockets += [near, far]
                for source, sink, way in ((near, far, "forth"), (far, near, "back")):
                    with contextlib.suppress(OSError):  # cut meanwhile, or not TCP
                        source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=self._pass_on, args=(source, sink, way), daemon=True).start()

    def _dial(self) -> socket.socket:
        if self.refuses:
            raise OSError("refused")
        if isinstance(self.target, int):
            return socket.create_connection((LOOPBACK, self.target))
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            far.connect(str(self.target))
        except OSError:
            far.close()
            raise
        return far

    def _pass_on(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if self.passes(data, way):
                    sink.sendall(data)
        if source not in self._stranded:
            _close(sink)

    def passes(self, data: bytes, way: str) -> bool:
        """Say whether what has come goes on; a test may have its own rule."""
        return way not in self.swallows

    def strand(self) -> None:
        """End every connection for those who dialled; the target does not hear of it."""
        near = self._sockets[::2]
        self._stranded.update(near)
        for each in near:
            _close(each)

    def cut(self) -> None:
        """End every connection, now."""
        sockets, self._sockets = self._sockets, []
        for each in sockets:
            _close(each)

    def close(self) -> None:
        """Take no more connections, and end those there are."""
        self._listener.close()
        self.cut()


def _close(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
