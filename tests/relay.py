"""A relay between two sockets, which a test can cut: both ends lose the connection, and new ones may come."""

from __future__ import annotations

import contextlib
import socket
import threading

from tests.ports import LOOPBACK


class Relay:
    """Listens at a port of its own and passes everything on to another."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port = int(self._listener.getsockname()[1])
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    far = socket.create_connection((LOOPBACK, self.target))
                except OSError:
                    near.close()
                    continue
                self._sockets += [near, far]
                for source, sink in ((near, far), (far, near)):
                    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
        _close(sink)

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
