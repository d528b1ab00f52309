"""A load of several processes, one for each role, whose counters are sampled over a window.

Every role connects, says that it is ready and waits for the others; then all begin at once. The window
opens when they have run for a while, and nothing but shared counters is looked at: no role is asked,
none is stopped, so what is counted is a running system. Afterwards all are killed. Roles that fail show
the end of their log.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
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

READY_SECONDS_MAX = 60.0
PR_SET_PDEATHSIG = 1
ROW = 1 + histogram.BUCKETS  # a role's counter of operations, then its times

_forking = multiprocessing.get_context("fork")  # what the benchmark imported need not be imported again


class RoleFailed(Exception):
    """A role ended before its time; the text has the end of its log."""


class Role:
    """What the process of a role is given: its place, counters, and the common start."""

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


Task = tuple[str, "Callable[[Role], None]"]  # the role's kind, and what its process does


@dataclass(frozen=True)
class Observation:
    """What a window showed: operations a second of each kind of role, times, processor use."""

    rates: dict[str, float]
    times: dict[str, list[int]]
    usage: Usage

    def percentile_ms(self, kind: str, percent: float) -> float:
        return histogram.percentile_ns(self.times[kind], percent) / 1e6


class Crew:
    """The processes of one run; a context manager."""

    def __init__(self, tasks: Sequence[Task], folder: Path) -> None:
        self._tasks = list(tasks)
        self._counters = RawArray("q", len(self._tasks) * ROW)
        self._arrived = RawArray("b", len(self._tasks))
        self._begin = _forking.Event()
        self._logs = [folder / f"role-{place}.log" for place in range(len(self._tasks))]
        self._processes: list[Any] = []

    def __enter__(self) -> Self:
        gc.collect()
        gc.freeze()  # children share these pages; a collection in each would copy them
        try:
            for place, (_, work) in enumerate(self._tasks):
                role = Role(place, self._counters, self._arrived, self._begin)
                process = _forking.Process(target=_live, args=(role, work, self._logs[place]), daemon=True)
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
        for place, process in enumerate(self._processes):
            if not process.is_alive():
                raise RoleFailed(f"{self._tasks[place][0]} {place} ended:\n{tail(self._logs[place])}")


def _live(role: Role, work: Callable[[Role], None], log: Path) -> None:
    """Do a role's work until killed; nothing that the parent set up for its own end runs here."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.stderr = log.open("w", buffering=1)
    try:
        work(role)
    except BaseException:  # noqa: BLE001 - the edge of a process: whatever it was belongs into its log
        traceback.print_exc()
    os._exit(1)
