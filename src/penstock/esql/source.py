"""One ESQL file as text, and the conversion of a position to line and column.

Positions in tokens and nodes are offsets into `text`; only output for people converts them to lines and
columns (both from 1). CRLF, CR and LF end a line. Decoding is UTF-8 with or without a byte order mark, else
Latin-1, so that every file can be read and its mistakes shown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a file under its name; bytes of a name that are no text are shown escaped."""

    name: str
    text: str
    line_starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        shown = self.name.encode("utf-8", "backslashreplace").decode("utf-8")
        object.__setattr__(self, "name", shown)
        self.line_starts.append(0)
        self.line_starts.extend(match.end() for match in _LINE_END.finditer(self.text))

    @classmethod
    def decode(cls, name: str, data: bytes) -> Source:
        """Return the source that a file's bytes hold.

        >>> Source.decode("a.esql", b"SET x = 1;").text
        'SET x = 1;'
        """
        try:
            return cls(name, data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return cls(name, data.decode("latin-1"))

    def line_of(self, at: int) -> int:
        """Return the line that holds an offset, from 1."""
        return bisect_right(self.line_starts, at)

    def place(self, at: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, at)
        return line, at - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """Return a line without its end."""
        start, end = self._ends(line)
        return self.text[start:end].rstrip("\r\n")

    def around(self, at: int, most: int) -> str:
        """Return the line that holds an offset; of one longer than `most`, so much from the offset on.

        >>> Source("a.esql", "SET x = 1; SET y = 2;").around(11, 5)
        'SET y'
        """
        start, end = self._ends(self.line_of(at))
        if end - start > most:
            start, end = at, min(end, at + most)
        return self.text[start:end].rstrip("\r\n")

    def _ends(self, line: int) -> tuple[int, int]:
        """Return the starts of a line and of the next one."""
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.line_starts[line - 1], end
