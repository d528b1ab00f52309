"""The tokens of an XPath expression. `*`, `and`, `or`, `div`, `mod` are operators where one is possible."""

from __future__ import annotations

import re
from typing import NamedTuple

from penstock.flow.xpath.problem import problem

TEXT_MAX = 16_384
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d*)?|\.\d+)
    | (?P<literal>"[^"]*"|'[^']*')
    | (?P<variable>\$[^\W\d][\w.\-]*)
    | (?P<axis>[a-z\-]+)\s*::
    | (?P<symbol>::|\.\.|//|!=|<=|>=|[()\[\].@,/|+\-=<>*])
    | (?P<name>[^\W\d][\w.\-]*(?::(?:[^\W\d][\w.\-]*|\*))?)
    )""",
    re.VERBOSE,
)
_OPERATORS = {"and", "or", "div", "mod"}
_BEFORE_OPERAND = {"(", "[", ",", "@", "/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">="}


class Token(NamedTuple):
    """A token: `kind` is number, literal, variable, axis, symbol, operator, name or end."""

    kind: str
    text: str
    column: int


def tokens_of(text: str) -> list[Token]:
    """Split an expression into tokens."""
    if len(text) > TEXT_MAX:
        raise problem(text[:60] + "...", 1, f"an expression has at most {TEXT_MAX} characters")
    found: list[Token] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise problem(text, _first_letter(text, place) + 1, "this is not XPath")
        kind = match.lastgroup or ""
        found.append(_token(kind, match[kind], match.start(kind) + 1, found))
        place = match.end()
    return [*found, Token("end", "", end + 1)]


def _token(kind: str, word: str, column: int, before: list[Token]) -> Token:
    operand_before = (
        bool(before)
        and before[-1].kind not in ("operator", "axis")
        and not (before[-1].kind == "symbol" and before[-1].text in _BEFORE_OPERAND)
    )
    if operand_before and (word == "*" or (kind == "name" and word in _OPERATORS)):
        return Token("operator", word, column)
    return Token(kind, word, column)


def _first_letter(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place
