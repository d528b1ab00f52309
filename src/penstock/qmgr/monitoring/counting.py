"""Counts of queues and of calls since the start, and what they grew by between two looks.

The engine adds to plain fields of a `Queue`; nothing on that way knows whether somebody will look.
`counts_of` copies them, `Counts.since` subtracts. `Calls` counts what is done seldom: connects, opens and
the like. Status, statistics messages, resource topics and metrics read these.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from penstock.qmgr.monitoring._wait_histogram import BOUNDS_SECONDS

if TYPE_CHECKING:
    from penstock.qmgr.queue import Queue

WAIT_BOUNDS_SECONDS = BOUNDS_SECONDS  # of times on queues
OBJECT_TYPES = 13  # MQOT_* from 0: lists by object type have so many entries


class Counts(NamedTuple):
    """What happened on a queue. Pairs of MQ (non-persistent, persistent) are made from these."""

    puts: int = 0
    put_bytes: int = 0
    persistent_puts: int = 0
    persistent_put_bytes: int = 0
    gets: int = 0
    get_bytes: int = 0
    persistent_gets: int = 0
    persistent_get_bytes: int = 0
    browses: int = 0
    browse_bytes: int = 0
    handed_over: int = 0  # to a get that waited: they were never on the queue
    puts_failed: int = 0
    gets_failed: int = 0
    gets_empty: int = 0  # gets that found nothing (2033), and looks of gets that then waited
    puts_undone: int = 0
    gets_undone: int = 0
    expired: int = 0
    purged: int = 0  # by CLEAR and the like
    wait_seconds: float = 0.0

    def since(self, before: Counts) -> Counts:
        """Return what was added after another look."""
        return Counts._make(now - then for now, then in zip(self, before, strict=True))

    def plus(self, other: Counts) -> Counts:
        """Return the sum."""
        return Counts._make(one + two for one, two in zip(self, other, strict=True))

    @property
    def is_idle(self) -> bool:
        """Whether nothing happened."""
        return not any(self)


NOTHING = Counts()


@dataclass
class WaitTimes:
    """How long got messages were on queues: counts between WAIT_BOUNDS_SECONDS, and the seconds in all."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(WAIT_BOUNDS_SECONDS) + 1))
    seconds: float = 0.0

    def add(self, queue: Queue) -> None:
        """Add what a queue has counted since the start."""
        self.counts = [one + two for one, two in zip(self.counts, wait_times(queue), strict=True)]
        self.seconds += queue.wait_seconds


def counts_of(queue: Queue) -> Counts:
    """Return the counts of a queue since the queue manager started."""
    return Counts(
        queue.puts,
        queue.put_bytes,
        queue.persistent_puts,
        queue.persistent_put_bytes,
        queue.gets,
        queue.get_bytes,
        queue.persistent_gets,
        queue.persistent_get_bytes,
        queue.browses,
        queue.browse_bytes,
        queue.handed_over,
        queue.puts_failed,
        queue.gets_failed,
        queue.gets_empty,
        queue.puts_undone,
        queue.gets_undone,
        queue.expired,
        queue.purged,
        queue.wait_seconds,
    )


def wait_times(queue: Queue) -> list[int]:
    """Return how many got messages were on a queue how long: counts between WAIT_BOUNDS_SECONDS."""
    slow = queue.waits.slow()
    return [max(0, queue.gets - sum(slow)), *slow]


def depth_high(queue: Queue) -> int:
    """Return the highest depth since the start or the last RESET QSTATS."""
    return max(queue.depth_high, queue.depth_peak, queue.depth)


def take_interval(queue: Queue) -> tuple[int, int]:
    """Return the lowest and the highest depth of an interval, and begin the next one."""
    low, high = min(queue.depth_trough, queue.depth), max(queue.interval_peak, queue.depth_peak, queue.depth)
    queue.depth_high = max(queue.depth_high, queue.depth_peak)
    queue.interval_peak = 0
    queue.depth_peak = queue.depth_trough = queue.depth
    return low, high


def reset(queue: Queue, now: float, started: float) -> dict[str, int]:
    """Return what RESET QSTATS shows, and begin again."""
    puts, gets, at = queue.reset_counts or (0, 0, started)
    seen = {
        "HIQDEPTH": depth_high(queue),
        "MSGSIN": queue.puts - puts,
        "MSGSOUT": queue.gets - gets,
        "TIMESINCERESET": max(0, int(now - at)),
    }
    queue.reset_counts = (queue.puts, queue.gets, now)
    queue.interval_peak = max(queue.interval_peak, queue.depth_peak)
    queue.depth_peak = queue.depth_high = queue.depth
    return seen


@dataclass
class Calls:
    """Calls other than puts and gets, for the whole queue manager; opens and closes by object type."""

    connects: int = 0
    connects_failed: int = 0
    connected_max: int = 0
    disconnects: int = 0
    opens: Counter[int] = field(default_factory=Counter)
    opens_failed: Counter[int] = field(default_factory=Counter)
    closes: Counter[int] = field(default_factory=Counter)
    inquires: Counter[int] = field(default_factory=Counter)
    sets: Counter[int] = field(default_factory=Counter)
