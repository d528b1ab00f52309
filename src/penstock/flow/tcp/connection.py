"""One TCP connection of a flow: its socket, its unread data, and its two addresses.

One thread at a time reads, one writes. `Connection` does not know which node uses it.
"""

from __future__ import annotations

import socket
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.tcp.framing import Framing

BLOCK_BYTES = 64 << 10


class Connection:
    """A connection; `role` is CLIENT if this side has made it, else SERVER."""

    def __init__(self, sock: socket.socket, role: str) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self.role = role
        self.identity = uuid.uuid4().hex
        self.buffer = bytearray()
        self.is_ended = False  # the other side has sent all it will
        self.is_closed = False
        self.opened = time.time()
        self.mine, self.peer = sock.getsockname(), sock.getpeername()
        self._writing = threading.Lock()

    def receive(self) -> bool:
        """Read what has arrived into the buffer, once; False at the end of the stream."""
        try:
            data = self.sock.recv(BLOCK_BYTES)
        except (BlockingIOError, InterruptedError):
            return True
        except TimeoutError:
            raise
        except OSError:
            data = b""
        self.buffer += data
        self.is_ended = not data
        return bool(data)

    def read(self, framing: Framing, timeout: float) -> bytes | None:
        """Wait for a record; None when the stream ends before one. 8341 when the time is over."""
        deadline = time.monotonic() + timeout
        while (record := framing.first(self.buffer, self.is_ended)) is None:
            if self.is_ended or self.is_closed:
                return None
            left = deadline - time.monotonic()
            if left <= 0:
                what = f"no record from {self.peer[0]}:{self.peer[1]} within {timeout:g} seconds"
                raise error(mq.PSRC_FLOW_STREAM, what, late=True)
            self.sock.settimeout(left)
            try:
                self.receive()
            except TimeoutError:
                continue
        return record

    def write(self, data: bytes, timeout: float) -> None:
        """Write all of some bytes; 8341 if that is not possible in time."""
        with self._writing:
            try:
                self.sock.settimeout(timeout)
                self.sock.sendall(data)
            except OSError as raised:
                self.close()
                what = f"{self.peer[0]}:{self.peer[1]}: {type(raised).__name__}: {raised}"
                raise error(mq.PSRC_FLOW_STREAM, what) from raised

    def details(self) -> dict[str, Any]:
        """Return the facts of the connection for LocalEnvironment."""
        here, there = (self.peer, self.mine) if self.role == "CLIENT" else (self.mine, self.peer)
        return {
            "Type": self.role,
            "Hostname": here[0],
            "ClientHostName": there[0],
            "ServerPort": here[1],
            "ClientPort": there[1],
            "Id": self.identity,
        }

    def close(self) -> None:
        """Close the connection."""
        self.is_closed = True
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()
