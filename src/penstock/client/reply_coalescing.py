# cython: nonecheck=True
"""Whether a reply may wait for the get that follows it, so that both leave in one packet.

A program that answers requests puts a reply without waiting for an answer and gets the next request at once.
When it has done so twice in a row the third reply is held by the kernel until the get is written, 200 ms at
most; a change of that habit has effect at once. With requests that were read ahead, several replies
leave together. Used by `ClientQueueManager`, one for a connection, which hands the time in. Invariant: a put
that no get has followed lately is never held, nor is one behind another that is held for long. Compiled
through `reply_coalescing.pxd`.
"""

from __future__ import annotations

AT_ONCE_SECONDS = 0.01  # between a reply and the next get
REPLIES_SEEN = 2  # before the next one may wait
HELD_SECONDS = 0.001  # that the first of several replies may wait for the others


class ReplyCoalescing:
    """How often in a row a get has followed a put without an answer."""

    def __init__(self) -> None:
        self._replies = 0
        self._put_at = 0.0
        self._held_at = 0.0

    def put(self, now: float) -> bool:
        """Note a put without an answer at a time (monotonic); True when it may wait for a get."""
        if self._put_at:
            self._replies = 0  # two puts in a row: it is unknown when this one would leave
        self._put_at = now
        if self._replies < REPLIES_SEEN or (self._held_at and self._put_at - self._held_at > HELD_SECONDS):
            self._held_at = 0.0
            return False
        if not self._held_at:
            self._held_at = self._put_at
        return True

    def get(self, leaves: bool, now: float) -> None:
        """Record a get, and whether it is sent to the other end with a held put."""
        if leaves:
            self._held_at = 0.0
        if self._put_at:
            at_once = now - self._put_at < AT_ONCE_SECONDS
            self._replies = self._replies + 1 if at_once else 0
            self._put_at = 0.0
