"""A finding: one error or warning with its position, its stable code and a suggestion.

Lexer, parser and checker make them; `cli` shows them. The codes are in `codes.py`. An error prevents a
deployment, a warning does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.codes import CODES

if TYPE_CHECKING:
    from penstock.esql.source import Source

LINE_SHOWN_MAX = 160  # characters, around the place


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding at one position of a file; `likely` is what the writer may have meant."""

    code: str
    message: str
    at: int
    length: int
    line: int
    column: int
    likely: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it prevents a deployment."""
        return self.code.startswith("E")

    @property
    def title(self) -> str:
        """What the code means."""
        return CODES[self.code]

    @property
    def text(self) -> str:
        """The message and the suggestion on one line."""
        return f"{self.message}; {self.likely}" if self.likely else self.message


def finding(source: Source, code: str, message: str, at: int, length: int = 1, likely: str = "") -> Finding:
    """Return the finding about the `length` characters at an offset."""
    line, column = source.place(at)
    return Finding(code, message, at, max(length, 1), line, column, likely)


def render(source: Source, found: Finding) -> str:
    """Return the finding as people see it: place, message, source line and caret.

    >>> from penstock.esql.source import Source
    >>> print(render(s := Source("a.esql", "SET x 1;"), finding(s, "E102", "expected =", 6)))
    a.esql:1:7: error E102: expected =
        SET x 1;
              ^
    """
    kind = "error" if found.is_error else "warning"
    line = source.line_text(found.line)
    before = line[: found.column - 1]
    if len(line) > LINE_SHOWN_MAX:  # a file may be one line
        begin = max(0, len(before) - LINE_SHOWN_MAX // 2)
        line, before = line[begin : begin + LINE_SHOWN_MAX], before[begin:]
    blank = "".join("\t" if letter == "\t" else " " for letter in before)
    width = max(1, min(found.length, len(line) - len(before)))
    parts = [
        f"{source.name}:{found.line}:{found.column}: {kind} {found.code}: {found.message}",
        f"    {line}",
        f"    {blank}{'^' * width}",
    ]
    if found.likely:
        parts.append(f"    {found.likely}")
    return "\n".join(parts)
