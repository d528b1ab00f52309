"""The machine that figures come from, and how much of it others used meanwhile.

Read from /proc where there is one; "unknown" elsewhere.
"""

from __future__ import annotations

import os
import platform
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import penstock
from penstock.lab.measure.processor import machine_seconds


def describe(folder_type: str) -> dict[str, str]:
    """Return what a reader must know of machine and version."""
    return {
        "cpu": cpu_model(),
        "cores": str(os.cpu_count()),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "file system": folder_type,
        "python": platform.python_version(),
        "penstock": penstock.__version__,
        "commit": commit(),
    }


def cpu_model() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )


def commit() -> str:
    """Return the commit of the tree, with "+" when a tracked file under src differs from it."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", "src"], check=False).returncode
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found + ("+" if changed else "")


@dataclass(frozen=True, slots=True)
class Usage:
    """Processor time up to a moment."""

    when: float
    machine: float
    own: float

    @classmethod
    def now(cls) -> Usage:
        own = sum(os.times()[:4])
        try:
            return cls(time.monotonic(), machine_seconds(), own)
        except OSError:
            return cls(time.monotonic(), own, own)


def foreign_percent(before: Usage, after: Usage) -> float:
    """Return how much of one core other programs used between two moments."""
    elapsed = after.when - before.when
    if elapsed <= 0:
        return 0.0
    return max(0.0, 100.0 * ((after.machine - before.machine) - (after.own - before.own)) / elapsed)
