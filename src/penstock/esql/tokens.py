"""Tokens: the lexer's output, stored as parallel lists because the parser reads them often.

`words[i]` is what the parser compares: an identifier in capitals, a symbol, and one fixed mark for each kind
of literal, so that text in quotes can never be mistaken for a keyword. White space is not stored: it is what
lies between tokens and comments. Invariant: tokens, comments and the gaps between them are the whole text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from penstock.esql.words import words

if TYPE_CHECKING:
    from penstock.esql.findings import Finding
    from penstock.esql.source import Source


class Kind(IntEnum):
    """The kind of a token. Names are the first two, so that `kind <= Kind.QUOTED` detects one."""

    NAME = 1
    QUOTED = 2
    SYMBOL = 3
    STRING = 4
    NUMBER = 5
    BLOB = 6
    BIT = 7
    BAD = 8
    END = 9


# The word of a token that is not an identifier or a symbol; no identifier looks like these.
WORD_QUOTED, WORD_STRING, WORD_NUMBER, WORD_BLOB, WORD_BIT, WORD_END = '"', "'", "0", "X'", "B'", ""

RESERVED = words("ALL ASYMMETRIC BOTH CASE DISTINCT FROM ITEM LEADING NOT SYMMETRIC TRAILING WHEN")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its marks; `end` is the offset after it."""

    at: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Token:
    """One token, for tools; the parser reads the lists of `Tokens` instead."""

    kind: Kind
    text: str
    at: int
    line: int
    column: int


@dataclass(slots=True)
class Tokens:
    """The tokens of a source; the last one is Kind.END."""

    source: Source
    kinds: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: int) -> Token:
        at = self.starts[index]
        return Token(Kind(self.kinds[index]), self.texts[index], at, *self.source.place(at))
