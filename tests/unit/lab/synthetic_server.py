"""A server with known service times: it answers a byte after a sleep, and says what it really did.

The instruments are held against its own log, not against its intention: a busy machine delays it too.
"""

from __future__ import annotations

import socket
import threading
import time


class SyntheticServer:
    """Serves connections of one socket each, at most `workers` at a time."""

    def __init__(self, service_s: float, workers: int = 1, stall_at: int = -1, stall_s: float = 0.0) -> None:
        self._service, self._stall_at, self._stall = service_s, stall_at, stall_s
        self._free = threading.Semaphore(workers)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        self.taken: list[float] = []  # what each service really took
        self.served = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    @staticmethod
    def _asked(line: socket.socket) -> bool:
        try:
            return bool(line.recv(1))
        except OSError:  # who asked was killed
            return False

    def _serve(self, line: socket.socket) -> None:
        with line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while self._asked(line):
                with self._free:
                    began = time.monotonic()
                    stalls = self.served == self._stall_at
                    self.served += 1
                    time.sleep(self._service + (self._stall if stalls else 0.0))
                    self.taken.append(time.monotonic() - began)
                try:
                    line.sendall(b"x")
                except OSError:
                    return
