# cython: nonecheck=True
"""When waits end: a wheel of slots, so that a wait costs nothing until its time has come.

A `get` with `wait=5` is usually answered at once; a timer for each would cost more than the get. Waits
are dropped into the slot of their deadline, and one timer looks at the slots that are over.
Used by `Server` alone, in its loop. Compiled through `deadlines.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.wire.waits import Wait

SLOTS_PER_SECOND = 50
LOOK_SECONDS = 2.0  # a wait that was answered is forgotten after so long, however long it might have lasted


class Deadlines:
    """Waits by the slot in which they end."""

    def __init__(self) -> None:
        self._slots: dict[int, list[Wait]] = {}
        self._next = 0
        self._slot = -1  # the one that was added to last, and its waits
        self._waits: list[Wait] = []

    def add(self, wait: Wait, deadline: float, now: float) -> None:
        """Remember a wait until `deadline`, or until it is worth a look whether it was answered meanwhile."""
        due = min(deadline, now + LOOK_SECONDS)
        slot = max(int(due * SLOTS_PER_SECOND) + 1, self._next)
        if slot != self._slot:
            self._slot = slot
            self._waits = self._slots.setdefault(slot, [])
        self._waits.append(wait)

    def over(self, now: float) -> list[Wait]:
        """Return the waits to look at: some are answered, some have to wait on."""
        last = int(now * SLOTS_PER_SECOND)
        ended: list[Wait] = []
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
