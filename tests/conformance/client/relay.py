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
        self._answers = threading.Event()
        self._answers.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Hang up on every client; the server goes on believing that they are there."""
        for client, _ in self._pairs:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def hold_answers(self) -> None:
        """Pass nothing on from the server to clients until `release_answers`."""
        self._answers.clear()

    def release_answers(self) -> None:
        """Pass on what was held, and what follows."""
        self._answers.set()

    def close(self) -> None:
        """End everything."""
        self._answers.set()
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
                always = threading.Event()
                always.set()
                for pair in ((client, server, always), (server, client, self._answers)):
                    threading.Thread(target=_pass_on, args=pair, daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, allowed: threading.Event) -> None:
    """Pass bytes on when that is allowed; that one side has ended is not passed on."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            allowed.wait()
            sink.sendall(data)
