"""What processes used up to a moment, read from /proc: processor time, switches, writes, memory.

Processor time is the scheduler's, in nanoseconds, so that short windows are measured too. What /proc does not
show (another user's process, an old kernel) counts as nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

SESSION = 3  # field of /proc/PID/stat after the command's name
PAGE_BYTES = 4096
GAUGES = ("rss_bytes", "threads")  # the others are counters


@dataclass(frozen=True, slots=True)
class Used:
    """Counters and gauges of some processes."""

    cpu_ns: int = 0
    busiest_thread_ns: int = 0
    waited_ns: int = 0  # ready to run, and not running
    switches_voluntary: int = 0
    switches_forced: int = 0
    read_bytes: int = 0
    write_bytes: int = 0
    write_calls: int = 0
    rss_bytes: int = 0
    threads: int = 0


def of(processes: Iterable[int]) -> tuple[Used, dict[int, int]]:
    """Return what processes have used, and the processor time of each of their threads."""
    total = dict.fromkeys((field.name for field in fields(Used)), 0)
    threads: dict[int, int] = {}
    for process in processes:
        place = Path(f"/proc/{process}")
        for thread, (ran, waited) in _threads(place).items():
            threads[thread] = ran
            total["cpu_ns"] += ran
            total["waited_ns"] += waited
            total["threads"] += 1
        for name, value in {**_status(place), **_io(place)}.items():
            total[name] += value
    return Used(**total), threads


def between(before: tuple[Used, dict[int, int]], after: tuple[Used, dict[int, int]]) -> Used:
    """Return what was used from one reading to another; gauges are those of the later one."""
    early, late = before[0], after[0]
    values = {
        field.name: getattr(late, field.name)
        if field.name in GAUGES
        else max(0, getattr(late, field.name) - getattr(early, field.name))
        for field in fields(Used)
    }
    grown = (ran - before[1].get(thread, 0) for thread, ran in after[1].items())
    return Used(**{**values, "busiest_thread_ns": max(grown, default=0)})


def of_sessions(sessions: Collection[int]) -> set[int]:
    """Return the processes of some sessions."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            if int(fields_[SESSION]) in sessions:
                found.add(int(entry.name))
    return found


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0


def _threads(place: Path) -> dict[int, tuple[int, int]]:
    found = {}
    try:
        entries = list((place / "task").iterdir())
    except OSError:
        return {}
    for entry in entries:
        try:
            ran, waited = (entry / "schedstat").read_text().split()[:2]
        except (OSError, ValueError):
            continue
        found[int(entry.name)] = int(ran), int(waited)
    return found


def _status(place: Path) -> dict[str, int]:
    names = {"voluntary_ctxt_switches": "switches_voluntary", "nonvoluntary_ctxt_switches": "switches_forced"}
    found = {"rss_bytes": resident_bytes(int(place.name))}
    try:
        lines = [each.read_text() for each in place.glob("task/*/status")]
    except OSError:
        return found
    for text in lines:
        for line in text.splitlines():
            name, _, value = line.partition(":")
            if name in names:
                found[names[name]] = found.get(names[name], 0) + int(value)
    return found


def _io(place: Path) -> dict[str, int]:
    names = {"read_bytes": "read_bytes", "write_bytes": "write_bytes", "syscw": "write_calls"}
    try:
        lines = (place / "io").read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.partition(":")[::2] for line in lines)
    return {names[name]: int(value) for name, value in pairs if name in names}
