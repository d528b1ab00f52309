"""Processor time and disk flushes, read from /proc: of the whole machine, of sessions, of processes.

A server is started in a session of its own, so that whatever it forks is counted with it. What neither
server nor load used is foreign: neighbours, and the benchmark's own sampling.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

TICKS = os.sysconf("SC_CLK_TCK")
IDLE_FIELDS = (3, 4)  # idle and iowait, in the first line of /proc/stat
PARENT, SESSION, USER, SYSTEM = 1, 3, 11, 12  # fields of /proc/PID/stat after the command's name
FLUSHES = 18  # field of /proc/diskstats


@dataclass(frozen=True, slots=True)
class Reading:
    """Processor seconds and flushes up to a moment."""

    when: float
    machine: float
    server: float
    load: float
    flushes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used between two readings, in percent of one core, and flushes a second."""

    seconds: float
    server: float
    load: float
    foreign: float
    flushes: float

    def microseconds(self, rate: float) -> float:
        """Return the processor time of server and load for one operation: what neighbours change least."""
        return (self.server + self.load) * 1e4 / rate if rate else 0.0


def family(processes: Collection[int]) -> set[int]:
    """Return processes with all that they have started, and these."""
    parents = {
        int(entry.name): int(fields[PARENT])
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and (fields := _stat(entry))
    }
    found, size = set(processes), 0
    while len(found) > size:
        size = len(found)
        found |= {process for process, parent in parents.items() if parent in found}
    return found


def read(sessions: Collection[int], processes: Collection[int]) -> Reading:
    """Read what the machine, the server's sessions and the load's processes have used so far."""
    server = load = 0.0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(entry)):
            seconds = (int(fields[USER]) + int(fields[SYSTEM])) / TICKS
            if int(entry.name) in processes:
                load += seconds
            elif int(fields[SESSION]) in sessions:
                server += seconds
    return Reading(perf_counter(), machine_seconds(), server, load, _flushes())


def between(before: Reading, after: Reading) -> Usage:
    """Return what was used from one reading to another."""
    seconds = after.when - before.when
    if seconds <= 0:
        return Usage(0.0, 0.0, 0.0, 0.0, 0.0)

    def percent(used: float) -> float:
        return 100.0 * used / seconds

    server, load = percent(after.server - before.server), percent(after.load - before.load)
    foreign = max(0.0, percent(after.machine - before.machine) - server - load)
    return Usage(seconds, server, load, foreign, (after.flushes - before.flushes) / seconds)


def _stat(entry: Path) -> list[str]:
    try:
        return (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:  # it ended meanwhile
        return []


def machine_seconds() -> float:
    """Return the processor time that the whole machine has used since it started."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    return sum(int(field) for place, field in enumerate(fields) if place not in IDLE_FIELDS) / TICKS


def _flushes() -> int:
    try:
        lines = [line.split() for line in Path("/proc/diskstats").read_text().splitlines()]
    except OSError:
        return 0
    return sum(int(fields[FLUSHES]) for fields in lines if len(fields) > FLUSHES)
