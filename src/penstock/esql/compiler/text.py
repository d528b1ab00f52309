"""Python text being written: lines with their indentation and ESQL line."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

INDENT = "    "


class Text:
    """Lines of Python; `line` is the ESQL line of what is written now."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int]] = []
        self.depth = 0
        self.line = 1

    def write(self, code: str = "") -> None:
        """Write one line at the current depth."""
        self.rows.append((INDENT * self.depth + code if code else "", self.line))

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Write deeper; an empty block gets a `pass`."""
        self.depth += 1
        before = len(self.rows)
        yield
        if all(code.lstrip().startswith("#") for code, _ in self.rows[before:]):
            self.write("pass")
        self.depth -= 1

    def insert(self, place: int, codes: list[str], line: int) -> None:
        """Insert lines before row `place`, at the current depth."""
        self.rows[place:place] = [(INDENT * self.depth + code, line) for code in codes]

    def source(self) -> str:
        """Return the whole text."""
        return "".join(code + "\n" for code, _ in self.rows)

    def esql_lines(self) -> list[int]:
        """Return the ESQL line of each row."""
        return [line for _, line in self.rows]
