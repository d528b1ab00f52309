"""When channels look after themselves: one heap of times for all of them, one timer of the loop.

A channel that has nothing to do for five minutes costs nothing in between. `look` returns when it must
look again; an earlier time can be set at any moment, a later one waits for the next look.
"""

from __future__ import annotations

import heapq
import logging
from itertools import count
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

logger = logging.getLogger(__name__)

NEVER = float("inf")
FAILED_SECONDS = 1.0  # until the next look after one that failed


class Timed(Protocol):
    """An object with regular work to do."""

    due: float

    def look(self, now: float) -> float:
        """Do the work that is due; return the time of the next."""


class Timers:
    """The times at which callbacks are due."""

    def __init__(self, loop: asyncio.AbstractEventLoop, clock: Callable[[], float]) -> None:
        self._loop = loop
        self._clock = clock
        self._heap: list[tuple[float, int, Timed]] = []
        self._order = count()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def set(self, owner: Timed, due: float) -> None:
        """Call back at a time, unless an earlier call is due anyway."""
        if due < owner.due and not self._closed:
            owner.due = due
            heapq.heappush(self._heap, (due, next(self._order), owner))
            if self._heap[0][2] is owner:
                self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heap and not self._closed:
            delay = max(0.0, self._heap[0][0] - self._clock())
            self._timer = self._loop.call_later(delay, self._ring)

    def _ring(self) -> None:
        self._timer = None
        now = self._clock()
        while self._heap and self._heap[0][0] <= now:
            due, _, owner = heapq.heappop(self._heap)
            if due != owner.due:
                continue  # an earlier time was set meanwhile, and has been looked at
            owner.due = NEVER
            self.set(owner, max(self._look(owner, now), now + 0.001))
        self._set_timer()

    def _look(self, owner: Timed, now: float) -> float:
        try:
            return owner.look(now)
        except Exception:  # an edge: the other channels have times too, and this one looks again
            logger.exception("channel_look_failed")
            return now + FAILED_SECONDS

    def close(self) -> None:
        """Look no more."""
        self._closed = True
        self._heap.clear()
        self._set_timer()
