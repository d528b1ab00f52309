"""A penstock command of this installation in a process of its own: its words, and what it printed."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def own_command(*words: str) -> list[str]:
    """Return what to execute for `penstock WORDS`; the current folder is not imported from."""
    return [sys.executable, "-P", "-m", "penstock.cli.main", *words]


def run_own_command(
    *words: str, seconds_max: float | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return what it printed; it reads nothing."""
    return subprocess.run(
        own_command(*words),
        stdin=subprocess.DEVNULL,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds_max,
        check=False,
    )
