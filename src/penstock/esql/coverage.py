"""Which ESQL lines ran: compiled code has the lines of the ESQL, so a trace function sees them.

Only frames of compiled ESQL are traced line by line. One at a time in a process, in the thread that started
it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType

    from penstock.esql.library import Library


class LineCoverage:
    """Counts the lines of `.esql` files that run inside a `with` block."""

    def __init__(self) -> None:
        self.ran: dict[str, set[int]] = {}
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._on_call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._on_line if "library" in frame.f_globals else None

    def _on_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.ran.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)
        return self._on_line


def executable_lines(library: Library, file: str) -> set[int]:
    """Return the lines of a file that can run."""
    found: set[int] = set()
    pending: list[CodeType] = [
        each for each in library.files[file].code.co_consts if hasattr(each, "co_lines")
    ]
    while pending:
        code = pending.pop()
        lines = {line for _, _, line in code.co_lines() if line is not None}
        found |= lines - {code.co_firstlineno}
        pending += [each for each in code.co_consts if hasattr(each, "co_lines")]
    return found


def report(library: Library, coverage: LineCoverage) -> list[tuple[str, int, int, list[int]]]:
    """Return for each file of a library: its name, lines that can run, lines that ran, lines that did not."""
    rows = []
    for file in library.files:
        lines = executable_lines(library, file)
        ran = coverage.ran.get(file, set()) & lines
        rows.append((file, len(lines), len(ran), sorted(lines - ran)))
    return rows
