"""A relay between a client and a server, which can lose the client without a word to the server."""

from __future__ import annotations

import contextlib
import socket
import threading


class Relay:
    """Takes connections at a port of its own and passes everything on, until `cut`."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Hang up on every client; the server goes on believing that they are there."""
        for client, _ in self._pairs:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End everything."""
        self._listener.close()
        for pair in self._pairs:
            for each in pair:
                each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._pairs.append((client, server))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    """Pass bytes on; that one side has ended is not passed on."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
