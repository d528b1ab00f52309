"""The words of an expression of a map, with their kinds."""

from __future__ import annotations

import re
from typing import NamedTuple

from penstock.flow.mapping.graphical.problem import CannotMap

EXPRESSION_MAX = 20_000
_TOKEN = re.compile(
    r"\s*(?:(?P<comment>\(:.*?:\))"
    r"|(?P<number>\d+\.\d*(?:[eE][+-]?\d+)?|\.?\d+(?:[eE][+-]?\d+)?)"
    r"|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|\$(?P<variable>[\w.-]+)"
    r"|(?P<name>(?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*)"
    r"|(?P<symbol>!=|<=|>=|//|\.\.|[-+*/=<>()\[\],@.|]))",
    re.DOTALL,
)


class Token(NamedTuple):
    """A word: a number, a text, a variable, a name, a symbol, or the end."""

    kind: str
    text: str


def tokens_of(text: str) -> list[Token]:
    """Return the words of an expression, the end included."""
    if len(text) > EXPRESSION_MAX:
        raise CannotMap(f"an expression has more than {EXPRESSION_MAX} characters")
    found: list[Token] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise CannotMap(f"expression {text!r:.80}: {text[at : at + 20]!r} is not understood")
        at = match.end()
        kind, word = match.lastgroup, match.group(match.lastgroup)
        if kind == "text":
            word = word[1:-1].replace(word[0] * 2, word[0])
        if kind != "comment":
            found.append(Token(kind, word))
    return [*found, Token("end", "")]
