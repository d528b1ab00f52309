"""How many tasks a batch is worth, by how long the batches of this run took.

A task costs some time of its own, so a small batch is done sooner by one task than by several. The time per
message is measured: the duration of a batch without what an empty one would take. Where that is not known
well, the estimate errs to more tasks.
"""

from __future__ import annotations

import time

MESSAGE_SECONDS = 30e-6  # the least that a message is taken to need: reading, a short flow, preparing
OVERHEAD_SECONDS = 0.3  # of a batch, at most; what a busy machine adds counts as work


class Pace:
    """Measures the batches of one query, in the driver."""

    def __init__(self, slice_seconds: float) -> None:
        self._slice_seconds = slice_seconds
        self._message_seconds = 0.0
        self._shortest = OVERHEAD_SECONDS
        self._running: tuple[float, int, int] | None = None  # its start, messages and slices

    def slices(self, rows: int, most: int) -> int:
        """Return the number of slices for a batch that begins now: each with work for `slice_seconds`.

        >>> Pace(0.05).slices(10, 4), Pace(0.05).slices(100_000, 4), Pace(0.0).slices(10, 4)
        (1, 4, 4)
        """
        work = rows * max(MESSAGE_SECONDS, self._message_seconds)
        number = min(most, max(1, round(work / self._slice_seconds))) if self._slice_seconds else most
        self._running = (time.monotonic(), rows, number)
        return number

    def done(self) -> None:
        """Measure the batch that has ended now, if there was one."""
        if self._running is None:
            return
        start, rows, slices = self._running
        self._running = None
        took = time.monotonic() - start
        self._shortest = min(self._shortest, took)
        if rows:
            self._message_seconds = (took - self._shortest) * slices / rows
