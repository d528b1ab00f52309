"""A load of several roles, one process per role, whose counters are sampled over a window.

Every role connects, reports that it is ready and waits for the others; then all begin at once. The window
opens when they have run for a while. Only shared counters are read: no role is queried or stopped, so a
running system is measured. Afterwards all are killed. Roles that fail show
the end of their log. Where a queue manager is embedded, all roles are threads of one process instead.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing.sharedctypes import RawArray
from typing import TYPE_CHECKING, Any, Self

from penstock.lab.load import histogram
from penstock.lab.load.server_process import end_with_parent, tail
from penstock.lab.measure import processor

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from pathlib import Path

    from penstock.lab.measure.processor import Usage

READY_SECONDS_MAX = 120.0
RESPONSE, SERVICE, LATENESS = 0, 1, 2  # from the intended time, from the sending, between both
KINDS = ("response", "service", "lateness")
COUNTERS = 4  # operations, bytes, errors, overdue; then one histogram for each kind of time
OPERATIONS, BYTES, ERRORS, OVERDUE = range(COUNTERS)

_forking = multiprocessing.get_context("fork")  # what the benchmark imported need not be imported again


class RoleFailed(Exception):
    """A role ended before its time; the text has the end of its log."""


class Role:
    """What a role is given: its place, counters that it alone writes, and the common start."""

    def __init__(
        self,
        place: int,
        counters: Any,
        arrived: Any,
        begin: Any,
        kinds: int = 1,
        others: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        self.place = place
        self._others = others or {}
        self._length = row_length(kinds)
        self._counters = counters
        self._start = place * row_length(kinds)
        self._arrived = arrived
        self._begin = begin

    def ready(self) -> None:
        """Report that this role can begin, and wait until all can."""
        self._arrived[self.place] = 1
        self._begin.wait()

    def count(self, operations: int = 1, size: int = 0) -> None:
        """Count operations that are complete, and their bytes."""
        self._counters[self._start] += operations
        self._counters[self._start + BYTES] += size

    def done_by(self, kind: str) -> list[int]:
        """Return how many operations each role of a kind has done: who produces must not run away."""
        return [self._counters[place * self._length] for place in self._others.get(kind, ())]

    def failed(self) -> None:
        """Count an operation that failed."""
        self._counters[self._start + ERRORS] += 1

    def overdue(self) -> None:
        """Count a request that is so late that it is not sent any more."""
        self._counters[self._start + OVERDUE] += 1

    def took(self, nanoseconds: int) -> None:
        """Count one operation and the time that it took."""
        self._counters[self._start] += 1
        histogram.add(self._counters, self._start + COUNTERS, nanoseconds)

    def timed(self, kind: int, nanoseconds: int) -> None:
        """Count a time of another kind; the crew must have been made for it."""
        histogram.add(self._counters, self._start + COUNTERS + kind * histogram.BUCKETS, nanoseconds)


def row_length(kinds: int) -> int:
    """Return how many counters a role has."""
    return COUNTERS + kinds * histogram.BUCKETS


Task = tuple[str, "Callable[[Role], None]"]  # the role's kind, and what it does


@dataclass(frozen=True)
class Observation:
    """What a window showed: operations a second of each kind of role, times, counters, processor use."""

    rates: dict[str, float]
    times: dict[str, list[int]]
    usage: Usage
    counters: dict[str, list[int]] = field(default_factory=dict)
    more_times: dict[str, dict[str, list[int]]] = field(default_factory=dict)  # by kind of time, then of role

    def mean_ms(self, kind: str) -> float:
        return histogram.mean_ns(self.times[kind]) / 1e6

    def percentile_ms(self, kind: str, percent: float) -> float:
        return histogram.percentile_ns(self.times[kind], percent) / 1e6


class Crew:
    """The roles of one run; a context manager."""

    def __init__(self, tasks: Sequence[Task], folder: Path, *, threads: bool = False, kinds: int = 1) -> None:
        self._tasks = list(tasks)
        self._threads = threads
        self._kinds = kinds
        self._counters = RawArray("q", len(self._tasks) * row_length(kinds))
        self._arrived = RawArray("b", len(self._tasks))
        self._begin = _forking.Event()
        self._folder = folder
        self._processes: list[Any] = []

    def __enter__(self) -> Self:
        gc.collect()
        gc.freeze()  # children share these pages; a collection in each would copy them
        try:
            for number, places in enumerate(self._shares()):
                lives = [(self._role(place), self._tasks[place][1]) for place in places]
                process = _forking.Process(target=_live, args=(lives, self._log(number)), daemon=True)
                process.start()
                self._processes.append(process)
            self._await_arrival()
            self._begin.set()
        except BaseException:
            self.__exit__()
            raise
        finally:
            gc.unfreeze()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
            process.close()
        self._processes = []

    @property
    def processes(self) -> set[int]:
        """The processes that play the roles."""
        return {process.pid for process in self._processes}

    def observe(self, warm: float, seconds: float, sessions: Collection[int] = ()) -> Observation:
        """Have them run, then count for some seconds; `sessions` are the server's."""
        (whole,) = self.watch(warm, seconds, 1, sessions)
        return whole

    def watch(
        self, warm: float, seconds: float, slices: int, sessions: Collection[int] = ()
    ) -> list[Observation]:
        """Have them run, then count in equal slices of a window; nothing is calculated before its end."""
        time.sleep(warm)
        due = time.monotonic()
        readings = [self._read(sessions)]
        for number in range(1, slices + 1):
            time.sleep(max(0.0, due + seconds * number / slices - time.monotonic()))
            readings.append(self._read(sessions))
        self._check()
        return [
            self._observation(before, after, processor.between(used, used_after))
            for (used, before), (used_after, after) in pairwise(readings)
        ]

    def _read(self, sessions: Collection[int]) -> tuple[processor.Reading, array[int]]:
        used = processor.read(sessions, self.processes)
        return used, array("q", bytes(self._counters))

    def _observation(self, before: Sequence[int], after: Sequence[int], usage: Usage) -> Observation:
        length = row_length(self._kinds)
        kinds = dict.fromkeys(kind for kind, _ in self._tasks)
        sums = {kind: [0] * length for kind in kinds}
        for place, (kind, _) in enumerate(self._tasks):
            _add_difference(sums[kind], before, after, place * length)
        return Observation(
            {kind: row[OPERATIONS] / usage.seconds for kind, row in sums.items()},
            {kind: _histogram(row, RESPONSE) for kind, row in sums.items()},
            usage,
            {kind: row[:COUNTERS] for kind, row in sums.items()},
            {
                KINDS[number]: {kind: _histogram(row, number) for kind, row in sums.items()}
                for number in range(1, self._kinds)
            },
        )

    def _await_arrival(self) -> None:
        end = time.monotonic() + READY_SECONDS_MAX
        while not all(self._arrived):
            self._check()
            if time.monotonic() > end:
                late = [self._tasks[place][0] for place, here in enumerate(self._arrived) if not here]
                raise RoleFailed(f"not ready after {READY_SECONDS_MAX:.0f} s: {', '.join(late)}")
            time.sleep(0.01)

    def _check(self) -> None:
        for number, process in enumerate(self._processes):
            if not process.is_alive():
                kind = self._tasks[number][0]
                raise RoleFailed(f"{kind} {number} ended:\n{tail(self._log(number))}")

    def _shares(self) -> list[list[int]]:
        places = list(range(len(self._tasks)))
        return [places] if self._threads else [[place] for place in places]

    def _role(self, place: int) -> Role:
        others: dict[str, list[int]] = {}
        for other, (kind, _) in enumerate(self._tasks):
            others.setdefault(kind, []).append(other)
        return Role(place, self._counters, self._arrived, self._begin, self._kinds, others)

    def _log(self, number: int) -> Path:
        return self._folder / f"role-{number}.log"


def _add_difference(row: list[int], before: Sequence[int], after: Sequence[int], start: int) -> None:
    early, late = before[start : start + len(row)], after[start : start + len(row)]
    for place, (old, new) in enumerate(zip(early, late, strict=True)):
        if new != old:
            row[place] += new - old


def _histogram(row: list[int], kind: int) -> list[int]:
    start = COUNTERS + kind * histogram.BUCKETS
    return row[start : start + histogram.BUCKETS]


def _live(lives: list[tuple[Role, Callable[[Role], None]]], log: Path) -> None:
    """Play roles until killed; nothing that the parent set up for its own end runs here."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.stderr = log.open("w", buffering=1)
    for role, work in lives[1:]:
        threading.Thread(target=_play, args=(role, work), daemon=True).start()
    _play(*lives[0])


def _play(role: Role, work: Callable[[Role], None]) -> None:
    try:
        work(role)
    except BaseException:  # noqa: BLE001 - the edge of a process: whatever it was belongs into its log
        traceback.print_exc()
    os._exit(1)
