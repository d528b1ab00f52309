"""A run that can be cut off and continued: PENSTOCK_PASSED names a file of the tests that have passed.

What is in the file is left out; what passes is added to it at once, one test per line. `make soak` begins
such a file, `make soak RESUME=1` continues with it. At the end, the commands that repeat what failed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


class Resuming:
    """Leaves out the tests that a file names, and adds those that pass. One worker of several only reads."""

    def __init__(self, file: Path, writes: bool) -> None:
        self.file = file
        self.writes = writes
        self.passed = set(file.read_text().splitlines()) if file.exists() else set()
        self.failed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Take out what has passed before."""
        config.hook.pytest_deselected(items=[item for item in items if bare(item.nodeid) in self.passed])
        items[:] = [item for item in items if bare(item.nodeid) not in self.passed]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Write down a test whose set-up, call and tear-down have passed."""
        name = bare(report.nodeid)
        if report.failed:
            self.failed.add(name)
        elif report.skipped:
            self.skipped.add(name)
        elif report.when == "teardown" and self.writes and name not in self.failed | self.skipped:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a") as file:
                file.write(f"{name}\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how to repeat what failed."""
        for name in sorted(self.failed):
            terminalreporter.write_line(f"again: make soak RESUME=1 TESTS='{name}'")


def bare(nodeid: str) -> str:
    """Return a test's name without the group that pytest-xdist adds behind it."""
    return re.sub(r"@[^\]]*$", "", nodeid)
