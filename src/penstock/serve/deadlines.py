# cython: nonecheck=True
"""When waits end: a wheel of slots, so that a wait costs nothing until its time has come.

A `get` with `wait=5` is usually answered at once; a timer for each would cost more than the get, and a note
of each would keep it in memory. So the slots hold whoever has waits that may be over by then, a conversation
mostly once, and it looks through them itself. Used by `Server` alone, in its loop. Compiled through
`deadlines.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.serve.conversations.remote_gets import RemoteGets

SLOTS_PER_SECOND = 50


class Deadlines:
    """Conversations by the slot in which a wait of theirs may end."""

    def __init__(self) -> None:
        self._slots: dict[int, list[RemoteGets]] = {}
        self._next = 0

    def add(self, gets: RemoteGets, deadline: float) -> None:
        """Have a conversation look at its waits at a time, up to a slot late and never early."""
        slot = max(int(deadline * SLOTS_PER_SECOND) + 1, self._next)
        self._slots.setdefault(slot, []).append(gets)

    def over(self, now: float) -> list[RemoteGets]:
        """Return the conversations whose time has come."""
        last = int(now * SLOTS_PER_SECOND)
        ended: list[RemoteGets] = []
        if len(self._slots) < last - self._next:
            slots = sorted(slot for slot in self._slots if slot <= last)
        else:
            slots = [slot for slot in range(self._next, last + 1) if slot in self._slots]
        for slot in slots:
            ended += self._slots.pop(slot)
        self._next = last + 1
        return ended

    def __bool__(self) -> bool:
        return bool(self._slots)
