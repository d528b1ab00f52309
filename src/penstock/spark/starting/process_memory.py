"""How much memory a process and all that it has started use, from /proc: for the bound of a warm session."""

from __future__ import annotations

import re
from pathlib import Path

PROCESSES = Path("/proc")


def tree_bytes(pid: int) -> int:
    """Return the bytes of a process and all below it; shared pages are divided among their users."""
    children: dict[int, list[int]] = {}
    for folder in PROCESSES.glob("[0-9]*"):
        children.setdefault(_parent(folder), []).append(int(folder.name))
    total, left = 0, [pid]
    while left:
        one = left.pop()
        total += _bytes(PROCESSES / str(one))
        left += children.get(one, ())
    return total


def _parent(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return 0  # it has ended


def _bytes(folder: Path) -> int:
    try:
        found = re.search(r"^Pss:\s+(\d+) kB", (folder / "smaps_rollup").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0
