"""Gets that search long queues: one step of one get at a time, with other calls between.

A get by selector, or a browse, may have to ask millions of messages. The engine stops it after half a
millisecond (`qmgr.scanning`), and it is made again here, when it is its turn. While others use the engine all
such gets together have a fifth of the loop's time. Called by `verbs`, in the loop.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.serve.conversations.remote_gets import RemoteGets
    from penstock.serve.conversations.waits import Wait
    from penstock.serve.server import Server

REST_SECONDS = 0.002  # between two steps, while others use the engine


class Scans:
    """The gets of one server that are on their way through a queue."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._waiting: deque[tuple[RemoteGets, Wait]] = deque()
        self._called = False
        self._entered = 0  # of the gate, when the last step had ended

    def add(self, gets: RemoteGets, wait: Wait) -> None:
        """Have a get take its next step when it is its turn."""
        self._waiting.append((gets, wait))
        if not self._called:
            self._called = True
            self._server.loop.call_soon(self._step)

    def _step(self) -> None:
        server = self._server
        busy = server.gate.entered != self._entered
        gets, wait = self._waiting.popleft()
        try:
            server.try_again(gets, wait)
        finally:
            self._entered = server.gate.entered
            self._called = bool(self._waiting)
            if self._called:
                server.loop.call_later(REST_SECONDS if busy else 0.0, self._step)
