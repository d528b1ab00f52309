"""From the lines of a script to commands, and from a command's text to tokens.

Lines are joined as MQSC says: `+` at the end goes on at the next line's first character that is no
blank, `-` at its first column, `;` ends a command, `*` as first character makes a comment (between
continued lines too). Nothing here knows a verb or an attribute. Every token remembers its place, so
that a fault can be shown under the line that holds it.
Limit: a command longer than COMMAND_LENGTH_MAX is a syntax error, however it is continued.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.admin.syntax import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMMAND_LENGTH_MAX = 262_144
WORD, QUOTED, OPEN, CLOSE, COMMA, END = "word", "quoted", "(", ")", ",", "end"
_BLANKS = " \t\r\n\f\v\x00"
_ENDS_WORD = frozenset(_BLANKS + "(),'\"")


@dataclass(slots=True)
class SourceLine:
    """One line as it was read; `number` counts from 1."""

    number: int
    text: str


@dataclass(slots=True)
class CommandText:
    """One command: its lines as read, the text they join to, and where each piece of it came from."""

    lines: list[SourceLine] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    origins: list[tuple[SourceLine, int]] = field(default_factory=list)
    length: int = 0
    quotes: int = 0

    @property
    def text(self) -> str:
        """The command on one line."""
        return "".join(self.pieces)

    def add(self, piece: str, line: SourceLine, column: int) -> None:
        """Take the next piece of the command, which stands at a column (from 0) of a line."""
        if self.length <= COMMAND_LENGTH_MAX:  # what is beyond makes the command refused, and is not kept
            self.starts.append(self.length)
            self.origins.append((line, column))
            self.pieces.append(piece)
            self.quotes += piece.count("'")
        self.length += len(piece)

    def read(self, line: SourceLine) -> None:
        """Remember a line that belongs to this command, for the echo."""
        if self.length <= COMMAND_LENGTH_MAX and (not self.lines or self.lines[-1] is not line):
            self.lines.append(line)

    def place(self, position: int) -> tuple[SourceLine, int]:
        """Return the line and column (from 0) that a position of the text came from."""
        index = max(bisect_right(self.starts, position) - 1, 0)
        line, column = self.origins[index]
        return line, column + min(position - self.starts[index], len(self.pieces[index]))


@dataclass(frozen=True, slots=True)
class Remark:
    """A blank or comment line outside a command; it is only echoed."""

    line: SourceLine


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quoted text or a mark; `start` and `end` are positions in the command's text."""

    kind: str
    text: str
    start: int
    end: int


def read_commands(lines: Iterable[str]) -> Iterator[CommandText | Remark]:
    """Yield the commands of a script, and the remarks between them, as they are read."""
    current: CommandText | None = None
    from_column_one = False
    for number, raw in enumerate(lines, 1):
        line = SourceLine(number, raw.rstrip("\r\n"))
        stripped = line.text.strip(_BLANKS)
        if not stripped or stripped.startswith("*"):
            if current is None:
                yield Remark(line)
            else:
                current.read(line)
            continue
        column = 0 if current and from_column_one else len(line.text) - len(line.text.lstrip(_BLANKS))
        body = line.text[column:].rstrip(_BLANKS)
        more, from_column_one = body[-1] in "+-", body.endswith("-")
        body = body[:-1] if more else body
        finished, current = _split(current, body, line, column)
        yield from finished
        if not more and current is not None:
            yield current
            current = None
        elif more and current is None:
            current = CommandText([line])
            current.add("", line, column)
    if current is not None:
        yield current


def _split(
    current: CommandText | None, body: str, line: SourceLine, column: int
) -> tuple[list[CommandText], CommandText | None]:
    """Cut a line at its semicolons; return the commands that end on it and the one that is left open."""
    finished: list[CommandText] = []
    for index, (piece, offset) in enumerate(_statements(body, _inside_quotes(current))):
        if index and current is not None:
            finished.append(current)
            current = None
        if current is None and not piece.strip(_BLANKS):
            continue
        if current is None:
            current = CommandText()
        current.read(line)
        current.add(piece, line, column + offset)
    if body.rstrip(_BLANKS).endswith(";") and current is not None and not _inside_quotes(current):
        finished.append(current)
        current = None
    return finished, current


def _inside_quotes(command: CommandText | None) -> bool:
    return command is not None and command.quotes % 2 == 1


def _statements(body: str, quoted: bool) -> Iterator[tuple[str, int]]:
    if ";" not in body:
        yield body, 0
        return
    start = 0
    for position, letter in enumerate(body):
        if letter == "'":
            quoted = not quoted
        elif letter == ";" and not quoted:
            yield body[start:position], start
            start = position + 1
    if body[start:].strip(_BLANKS):
        yield body[start:], start


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a command's text, and END after the last; SyntaxFault for an open quote."""
    if len(text) > COMMAND_LENGTH_MAX:
        raise SyntaxFault(
            f"a command has at most {COMMAND_LENGTH_MAX} characters", COMMAND_LENGTH_MAX, len(text)
        )
    position, length = 0, len(text)
    while position < length:
        letter = text[position]
        if letter in _BLANKS:
            position += 1
            continue
        start = position
        if letter in "(),":
            position += 1
            yield Token(letter, letter, start, position)
        elif letter in "'\"":
            value, position = _quoted(text, start, letter)
            yield Token(QUOTED, value, start, position)
        else:
            while position < length and text[position] not in _ENDS_WORD:
                position += 1
            yield Token(WORD, text[start:position], start, position)
    yield Token(END, "", length, length)


def _quoted(text: str, start: int, quote: str) -> tuple[str, int]:
    position = start + 1
    while True:
        closing = text.find(quote, position)
        if closing < 0:
            raise SyntaxFault(f"the quote {quote} that opens here is never closed", start, len(text))
        if text[closing + 1 : closing + 2] != quote:
            return text[start + 1 : closing].replace(quote * 2, quote), closing + 1
        position = closing + 2
