"""A load of several roles, a process for each, whose counters are sampled over a window.

Every role connects, says that it is ready and waits for the others; then all begin at once. The window
opens when they have run for a while, and nothing but shared counters is looked at: no role is asked,
none is stopped, so what is counted is a running system. Afterwards all are killed. Roles that fail show
the end of their log. Where a queue manager is embedded, all roles are threads of one process instead.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawArray
from typing import TYPE_CHECKING, Any, Self

from tests.bench import histogram, processor
from tests.bench.server_process import tail

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from tests.bench.processor import Usage

READY_SECONDS_MAX = 120.0
PR_SET_PDEATHSIG = 1
ROW = 1 + histogram.BUCKETS  # a role's counter of operations, then its times

_forking = multiprocessing.get_context("fork")  # what the benchmark imported need not be imported again


class RoleFailed(Exception):
    """A role ended before its time; the text has the end of its log."""


class Role:
    """What a role is given: its place, counters that it alone writes, and the common start."""

    def __init__(self, place: int, counters: Any, arrived: Any, begin: Any) -> None:
        self.place = place
        self._counters = counters
        self._start = place * ROW
        self._arrived = arrived
        self._begin = begin

    def ready(self) -> None:
        """Say that this role can begin, and wait until all can."""
        self._arrived[self.place] = 1
        self._begin.wait()

    def count(self, operations: int = 1) -> None:
        """Count operations that are complete."""
        self._counters[self._start] += operations

    def took(self, nanoseconds: int) -> None:
        """Count one operation and the time that it took."""
        self._counters[self._start] += 1
        histogram.add(self._counters, self._start + 1, nanoseconds)


Task = tuple[str, "Callable[[Role], None]"]  # the role's kind, and what it does


@dataclass(frozen=True)
class Observation:
    """What a window showed: operations a second of each kind of role, times, processor use."""

    rates: dict[str, float]
    times: dict[str, list[int]]
    usage: Usage

    def mean_ms(self, kind: str) -> float:
        return histogram.mean_ns(self.times[kind]) / 1e6

    def percentile_ms(self, kind: str, percent: float) -> float:
        return histogram.percentile_ns(self.times[kind], percent) / 1e6


class Crew:
    """The roles of one run; a context manager."""

    def __init__(self, tasks: Sequence[Task], folder: Path, *, threads: bool = False) -> None:
        self._tasks = list(tasks)
        self._threads = threads
        self._counters = RawArray("q", len(self._tasks) * ROW)
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

    def observe(self, warm: float, seconds: float, sessions: Collection[int] = ()) -> Observation:
        """Let them run, then count for some seconds; `sessions` are the server's."""
        time.sleep(warm)
        processes = {process.pid for process in self._processes}
        before, counters = processor.read(sessions, processes), self._counters[:]
        time.sleep(seconds)
        after, counters_after = processor.read(sessions, processes), self._counters[:]
        self._check()
        usage = processor.between(before, after)
        return self._observation(counters, counters_after, usage)

    def _observation(self, before: list[int], after: list[int], usage: Usage) -> Observation:
        rows = [after[i] - before[i] for i in range(len(before))]
        rates: dict[str, float] = {}
        times: dict[str, list[list[int]]] = {}
        for place, (kind, _) in enumerate(self._tasks):
            mine = rows[place * ROW : (place + 1) * ROW]
            rates[kind] = rates.get(kind, 0.0) + mine[0] / usage.seconds
            times.setdefault(kind, []).append(mine[1:])
        return Observation(rates, {kind: histogram.added(all_) for kind, all_ in times.items()}, usage)

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
        return Role(place, self._counters, self._arrived, self._begin)

    def _log(self, number: int) -> Path:
        return self._folder / f"role-{number}.log"


def _live(lives: list[tuple[Role, Callable[[Role], None]]], log: Path) -> None:
    """Play roles until killed; nothing that the parent set up for its own end runs here."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
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
