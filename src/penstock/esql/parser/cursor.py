"""The cursor: the parser's position in the tokens, its expectations, and its findings.

Words are compared in capitals; a word is a keyword only where a parser function asks for it. The depth
counter guards all recursion: `deeper()` raises at NESTING_MAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from penstock.esql.findings import Finding, finding
from penstock.esql.limits import FINDINGS_MAX, NESTING_MAX
from penstock.esql.tokens import Kind, Tokens

if TYPE_CHECKING:
    from collections.abc import Container

QUOTED = int(Kind.QUOTED)


class Unreadable(Exception):
    """The current statement cannot be parsed; carries the finding."""

    def __init__(self, found: Finding) -> None:
        super().__init__(found)
        self.found = found


class Cursor:
    """Reads tokens from left to right; `word` is the word of the current token."""

    __slots__ = (
        "blocks",
        "depth",
        "findings",
        "index",
        "kinds",
        "lost",
        "reported",
        "starts",
        "texts",
        "tokens",
        "word",
        "words",
    )

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.words = tokens.words
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.findings: list[Finding] = list(tokens.findings)
        self.reported = {found.at for found in self.findings}
        self.lost: set[str] = set()  # names, in capitals, whose declaration could not be read
        self.blocks: list[tuple[str, int]] = []  # open blocks: closing word and offset of each
        self.index = 0
        self.depth = 0
        self.word = self.words[0]

    # Looking
    @property
    def at(self) -> int:
        """The offset of the current token."""
        return self.starts[self.index]

    @property
    def kind(self) -> int:
        """The kind of the current token."""
        return self.kinds[self.index]

    @property
    def text(self) -> str:
        """The text of the current token."""
        return self.texts[self.index]

    def next_word(self, distance: int = 1) -> str:
        """Return the word of a later token; empty after the end."""
        place = self.index + distance
        return self.words[place] if place < len(self.words) else ""

    def is_name(self) -> bool:
        """Whether the current token is an identifier, quoted or not."""
        return self.kinds[self.index] <= QUOTED

    # Reading
    def advance(self) -> None:
        """Go to the next token; the end stays the end."""
        if self.index + 1 < len(self.words):
            self.index += 1
            self.word = self.words[self.index]

    def take(self, word: str) -> bool:
        """Read a word if it is the current one."""
        if self.word != word or self.kinds[self.index] == QUOTED:
            return False
        self.advance()
        return True

    def take_any(self, words: Container[str]) -> str:
        """Read one of several words and return it; empty if the current one is not one of them."""
        word = self.word
        if word and word in words:
            self.advance()
            return word
        return ""

    def expect(self, word: str, likely: str = "") -> None:
        """Read a required word."""
        if self.word != word:
            self.fail(word, likely)
        self.advance()

    def name(self, what: str) -> str:
        """Read an identifier and return it without its quotes."""
        kind, text = self.kinds[self.index], self.texts[self.index]
        if kind > QUOTED:
            self.fail(what)
        self.advance()
        return text if kind == Kind.NAME else unquote(text, '"')

    # Depth
    def deeper(self) -> None:
        """Count one more level of nesting; every call is followed by `self.depth -= 1` at its end."""
        self.depth += 1
        if self.depth > NESTING_MAX:
            self.refuse(f"nested deeper than {NESTING_MAX} levels")

    def refuse(self, message: str) -> NoReturn:
        """Give up the statement: a limit is exceeded."""
        raise Unreadable(finding(self.tokens.source, "E114", message, self.at))

    # Failing
    def fail(self, expected: str, likely: str = "", code: str = "E110") -> NoReturn:
        """Give up the statement: something else was expected here."""
        raise Unreadable(self.unexpected(expected, likely, code))

    def unexpected(self, expected: str, likely: str = "", code: str = "E110") -> Finding:
        """Return the finding that something else was expected here."""
        message = f"expected {expected}, found {self.shown()}"
        return finding(
            self.tokens.source, code, message, self.at, len(self.text), likely or self._likely_mistake()
        )

    def report(self, found: Finding) -> None:
        """Record a finding; several at the same position are one."""
        if len(self.findings) < FINDINGS_MAX and found.at not in self.reported:
            self.reported.add(found.at)
            self.findings.append(found)

    def complain(self, code: str, message: str, at: int, length: int = 1, likely: str = "") -> None:
        """Report a finding about a position."""
        self.report(finding(self.tokens.source, code, message, at, length, likely))

    def shown(self) -> str:
        """Return the current token as shown in messages."""
        if self.kind == Kind.END:
            return "the end of the file"
        text = self.text.splitlines()[0] if self.text else ""
        return text if len(text) <= 40 else text[:37] + "..."

    def _likely_mistake(self) -> str:
        before = self.index - 1
        if before < 0:
            return ""
        text = self.texts[before]
        if self.kinds[before] == Kind.STRING and "\n" in text:
            line = self.tokens.source.line_of(self.starts[before])
            return f"the text that begins on line {line} runs over several lines; a ' may be missing there"
        if self.word == "=" and self.words[before] in ("=", ":"):
            return "ESQL compares and assigns with a single ="
        if self.word == ">" and self.words[before] == "!":
            return "ESQL writes <> for not equal"
        return ""


def unquote(text: str, quote: str) -> str:
    """Return the text between quotes; a doubled quote is one."""
    body = text[1:-1] if len(text) > 1 and text.endswith(quote) else text[1:]
    return body.replace(quote + quote, quote)
