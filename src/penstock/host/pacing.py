"""Long work in short slices, so that puts and gets do not wait for it.

One thread at a time has Python's interpreter, and one that works on and on keeps it from all others: a
display of a million topics would cost every put some milliseconds. So long work calls `Pace.step`
between two small steps, with no lock held: after a slice it rests, so that others get in, and longer while
they use the engine. All long work of a queue manager shares one `Pacer`: ten displays rest as much as one.
Used by the server's long calls and by checkpoints.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from penstock.face._clock import monotonic

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host._gate import Gate

SLICE_SECONDS = 0.0005  # of processor time, before others are let in
REST_SECONDS = 0.00005  # that let them in
BUSY_SHARE = 4  # while others use the engine, a rest is this many times as long as the slice
BUSY_SECONDS = 0.02  # that others count as busy after they were seen
SLICE_SECONDS_MAX = 0.02  # longest compensation for a step that cannot be cut shorter


class Pacer:
    """Shares out the time of one queue manager's long work."""

    def __init__(
        self,
        gate: Gate,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gate = gate
        self.clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._free_at = 0.0  # when the next slice may begin
        self._busy_until = 0.0
        self.own_steps = 0  # entries into the engine that belong to long work

    def rest(self, worked: float) -> None:
        """Let others in after a slice of work; return when the next may begin."""
        others = self._gate.entered - self.own_steps
        self._sleep(REST_SECONDS)
        now = self.clock()
        if self._gate.entered - self.own_steps != others:
            self._busy_until = now + BUSY_SECONDS
        share = BUSY_SHARE if now < self._busy_until else 0
        with self._lock:
            begin = max(now + share * min(worked, SLICE_SECONDS_MAX), self._free_at)
            self._free_at = begin + (1 + share) * SLICE_SECONDS
        if begin > now:
            self._sleep(begin - now)


class Pace:
    """The slices of one long work, which one thread at a time is at."""

    def __init__(self, pacer: Pacer, timer: Callable[[], float] = time.thread_time) -> None:
        self._pacer = pacer
        self._timer = timer
        self._thread = 0
        self._began = 0.0  # by this thread's processor time
        self._look_at = 0.0  # by the clock: no slice is over before

    def step(self) -> float:
        """Rest if this thread has worked for a slice since the last rest; no lock may be held.

        Return the time.
        """
        now = self._pacer.clock()
        if now < self._look_at:
            return now
        thread = threading.get_ident()
        if thread != self._thread:
            self._thread, self._began = thread, self._timer()
        worked = self._timer() - self._began
        if worked >= SLICE_SECONDS:
            self._pacer.rest(worked)
            self._began, worked, now = self._timer(), 0.0, self._pacer.clock()
        self._look_at = now + SLICE_SECONDS - worked
        return now
