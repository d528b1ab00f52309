"""How long the tests of each room took, printed at the end of a run; with several workers, all together."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

ROOMS_MIN = 2  # of one room pytest says it itself


class RoomTimes:
    """Adds up what tests report: set-up, call and tear-down, by the folder below `tests/`."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.tests: dict[str, int] = defaultdict(int)

    def pytest_runtest_logreport(self, report: Any) -> None:
        room = room_of(report.nodeid)
        self.seconds[room] += report.duration
        self.tests[room] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if len(self.seconds) < ROOMS_MIN:
            return
        terminalreporter.section("seconds per room, added up over the workers")
        for room, seconds in sorted(self.seconds.items(), key=lambda each: -each[1]):
            terminalreporter.write_line(f"{seconds:8.1f}  {self.tests[room]:6,} tests  {room}")


def room_of(test: str) -> str:
    """Return the room that a test is in: `tests/unit/store/test_x.py::test_y` is in unit/store."""
    folders = test.partition("::")[0].split("/")[1:-1]
    return "/".join(folders[:2]) or "tests"
