"""Memory for the bodies of a server's requests: counted before they are read, and limited.

A claim has holders: the client's connection, and the line in which the request waits for a listener. The
bytes count until the last holder has released them, because the request of a client that gave up stays in the
line. Holders are in several threads.
"""

from __future__ import annotations

import threading

from penstock.flow.http.request_reader import BODY_BYTES_MAX
from penstock.model.http_head import Refused

BODIES_BYTES_MAX = 256 << 20  # of all requests that are at work


class BodiesAtWork:
    """The bytes of all bodies of a server."""

    def __init__(self) -> None:
        self.bytes = 0
        self.lock = threading.Lock()


class BodyClaim:
    """The bytes of one request's body, counted against those of all; made for its first holder."""

    def __init__(self, all_bodies: BodiesAtWork) -> None:
        self._all = all_bodies
        self._bytes = 0
        self._holders = 1

    def take(self, count: int) -> None:
        """Claim some more bytes; refused beyond the limit."""
        if self._bytes + count > BODY_BYTES_MAX:
            raise Refused(413, f"a body may have {BODY_BYTES_MAX} bytes")
        with self._all.lock:
            if self._all.bytes + count > BODIES_BYTES_MAX:
                raise Refused(503, "too many request bodies are being processed")
            self._bytes += count
            self._all.bytes += count

    def share(self) -> None:
        """Add a holder, who must release it too."""
        with self._all.lock:
            self._holders += 1

    def release(self) -> None:
        """Release; the last holder frees the bytes."""
        with self._all.lock:
            self._holders -= 1
            if self._holders == 0:
                self._all.bytes -= self._bytes
