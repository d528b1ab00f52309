"""From the lines of a script to commands, and from a command's text to tokens.

Lines are joined as in MQSC: `+` at the end continues at the next line's first character that is not a
blank, `-` at its first column, `;` ends a command, `*` as first character makes a comment (between
continued lines too). Nothing here knows a verb or an attribute. Every token remembers its place, so
that a fault can be shown under the line that holds it.
Limit: a command longer than COMMAND_LENGTH_MAX, or of more lines than COMMAND_LINES_MAX, is a syntax error;
no more of it is kept. Millions of lines are read a few at a time: None between commands lets others in.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.admin.syntax import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMMAND_LENGTH_MAX = 262_144  # characters
COMMAND_LINES_MAX = 10_000
TOKENS_MAX = 20_000  # of one command
READ_AT_ONCE = 100  # lines and semicolons, before others are let in
WORD, QUOTED, OPEN, CLOSE, COMMA, END = "word", "quoted", "(", ")", ",", "end"
_BLANKS = " \t\r\n\f\v\x00"
_ENDS_LINE = "\r\n\x1a"  # 0x1A: with it DOS programs end a file
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

    @property
    def too_long(self) -> bool:
        """Whether a limit is exceeded: text beyond it is not kept."""
        return self.length > COMMAND_LENGTH_MAX or len(self.lines) > COMMAND_LINES_MAX

    def add(self, piece: str, line: SourceLine, column: int) -> None:
        """Take the next piece of the command, at a column (from 0) of a line."""
        if not self.too_long:
            piece = piece[: COMMAND_LENGTH_MAX + 1]
            self.starts.append(self.length)
            self.origins.append((line, column))
            self.pieces.append(piece)
            self.quotes += piece.count("'")
            self.length += len(piece)

    def read(self, line: SourceLine) -> None:
        """Remember a line that belongs to this command, for the echo."""
        if not self.too_long and (not self.lines or self.lines[-1] is not line):
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


def read_commands(lines: Iterable[str]) -> Iterator[CommandText | Remark | None]:
    """Yield the commands of a script, and the remarks between them, as they are read; None now and then."""
    reader = _Reader()
    for number, raw in enumerate(lines, 1):
        if number % READ_AT_ONCE == 0:
            yield None
        yield from reader.read(SourceLine(number, raw.rstrip(_ENDS_LINE)))
    if reader.current is not None:
        yield reader.current


class _Reader:
    """Joins lines to commands; `current` is the one that continues in the next line."""

    def __init__(self) -> None:
        self.current: CommandText | None = None
        self._from_column_one = False

    def read(self, line: SourceLine) -> Iterator[CommandText | Remark | None]:
        """Yield what ends with a line."""
        stripped = line.text.strip(_BLANKS)
        if not stripped or stripped.startswith("*"):
            if self.current is None:
                yield Remark(line)
            else:
                self.current.read(line)
            return
        goes_on = self.current is not None and self._from_column_one
        column = 0 if goes_on else len(line.text) - len(line.text.lstrip(_BLANKS))
        body = line.text[column:].rstrip(_BLANKS)
        more, self._from_column_one = body[-1] in "+-", body.endswith("-")
        yield from self._divide(body[:-1] if more else body, line, column)
        if not more and self.current is not None:
            yield self._ended()
        elif more and self.current is None:
            self.current = CommandText([line])
            self.current.add("", line, column)

    def _divide(self, body: str, line: SourceLine, column: int) -> Iterator[CommandText | None]:
        """Cut a line at the semicolons that are not in quotes; yield the commands that end at one."""
        quoted = _inside_quotes(self.current)
        start = seen = number = 0
        while (end := body.find(";", seen)) >= 0:
            number += 1
            if number % READ_AT_ONCE == 0:
                yield None
            quoted ^= body.count("'", seen, end) % 2 == 1
            seen = end + 1
            if quoted:
                continue
            self._take(body[start:end], line, column + start)
            start = seen
            if self.current is not None:
                yield self._ended()
        if body[start:].strip(_BLANKS) or not number:
            self._take(body[start:], line, column + start)

    def _take(self, piece: str, line: SourceLine, column: int) -> None:
        if self.current is None:
            if not piece.strip(_BLANKS):
                return
            self.current = CommandText()
        self.current.read(line)
        self.current.add(piece, line, column)

    def _ended(self) -> CommandText:
        ended, self.current = self.current, None
        assert ended is not None
        return ended


def _inside_quotes(command: CommandText | None) -> bool:
    return command is not None and command.quotes % 2 == 1


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a command's text, and END after the last; SyntaxFault for an open quote."""
    if len(text) > COMMAND_LENGTH_MAX:
        raise SyntaxFault(
            f"a command has at most {COMMAND_LENGTH_MAX} characters", COMMAND_LENGTH_MAX, len(text)
        )
    position, length, number = 0, len(text), 0
    while position < length:
        letter = text[position]
        if letter in _BLANKS:
            position += 1
            continue
        start = position
        number += 1
        if number > TOKENS_MAX:
            raise SyntaxFault(f"a command has at most {TOKENS_MAX} words and marks", start, length)
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
