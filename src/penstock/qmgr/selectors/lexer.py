"""Words of a message selector: text to tokens, and the error that shows where a selector is wrong.

The lexical half of the SQL92 subset that MQ selects by: strings, byte strings, numbers, names and
operators. It is not a general SQL lexer. Called only by `parser`. Invariant: every error
is reason 2459 and carries the position, line, column and a caret line.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.model.errors import MQError

LENGTH_MAX = 10240
CARET_WIDTH = 72  # characters of the selector that an error shows
NUMBER_LENGTH_MAX = 64  # characters of a number without a decimal point

KEYWORDS = frozenset(["AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "TRUE", "FALSE"])
HINTS = {
    "==": "one = tests equality",
    "!=": "write <> for not equal",
    "&&": "write AND",
    "||": "write OR",
    "&": "write AND",
    "|": "write OR",
    "!": "write NOT",
}

TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>'(?:[^']|'')*')
    | (?P<quoted>"[^"]*")
    | (?P<number>0[xX][\w.$]*|\.?[0-9](?:[eE][+-]|[\w.$])*)
    | (?P<name>[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*|\$[\w$]*(?:\.[^\W\d][\w$]*)*)
    | (?P<operator><>|<=|>=|==|!=|&&|\|\||[-+*/=<>(),&|!])
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
EXACT = re.compile(r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0(?P<octal>[0-7]+)|(?P<decimal>0|[1-9][0-9]*))[lL]?\Z")
APPROXIMATE = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?\Z")
BYTES = re.compile(r"0[xX]((?:[0-9a-fA-F]{2})+)\Z")


class Token(NamedTuple):
    """One word: `kind` is literal, name, keyword, operator or end; `value` is its meaning."""

    kind: str
    value: object
    position: int


def tokens(text: str) -> list[Token]:
    """Return the words of a selector, the last one of kind `end`."""
    if len(text) > LENGTH_MAX:
        raise syntax_error(text, LENGTH_MAX, f"a selector has at most {LENGTH_MAX} characters")
    found: list[Token] = []
    position = 0
    while True:
        match = TOKEN.match(text, position)
        if match is None:
            raise _no_word(text, position)
        token = _token(text, match)
        found.append(token)
        if token.kind == "end":
            return found
        position = match.end()


def syntax_error(text: str, position: int, what: str, hint: str = "") -> MQError:
    """Build error 2459 for a place in a selector."""
    line = text.count("\n", 0, position) + 1
    line_start = text.rfind("\n", 0, position) + 1
    line_end = text.find("\n", position)
    column = position - line_start + 1
    shown_from = max(line_start, position - CARET_WIDTH + 12)
    shown = text[shown_from : len(text) if line_end < 0 else line_end][:CARET_WIDTH].replace("\t", " ")
    caret = f"{shown}\n{' ' * (position - shown_from)}^"
    detail = f"{what} at line {line} column {column}" + (f" ({hint})" if hint else "")
    return error(
        mq.MQRC_SELECTOR_SYNTAX_ERROR,
        f"{detail}\n{caret}",
        position=position,
        line=line,
        column=column,
        caret=caret,
        hint=hint,
    )


def _token(text: str, match: re.Match[str]) -> Token:
    """Turn a match of the pattern into a token."""
    kind = match.lastgroup or "end"
    word = match.group(kind)
    position = match.start(kind)
    if kind == "string":
        return Token("literal", word[1:-1].replace("''", "'"), position)
    if kind == "quoted":
        return _quoted(text, word[1:-1], position)
    if kind == "number":
        return Token("literal", _number(text, word, position), position)
    if kind == "name":
        return _name(word, position)
    if word in HINTS:
        raise syntax_error(text, position, f"unexpected {word}", HINTS[word])
    return Token(kind, word, position)


def _name(word: str, position: int) -> Token:
    upper = word.upper()
    if upper not in KEYWORDS:
        return Token("name", word, position)
    if upper in ("TRUE", "FALSE"):
        return Token("literal", upper == "TRUE", position)
    return Token("keyword", upper, position)


def _quoted(text: str, content: str, position: int) -> Token:
    """Read "0x2F1C" as a byte string and any other quoted word as a property name."""
    if content[:2] in ("0x", "0X"):
        match = BYTES.match(content)
        if match is None:
            raise syntax_error(text, position, "a byte string takes pairs of hexadecimal digits")
        return Token("literal", bytes.fromhex(match.group(1)), position)
    if not content:
        raise syntax_error(text, position, "a quoted name is empty")
    return Token("name", content, position)


def _number(text: str, word: str, position: int) -> int | float:
    exact = EXACT.match(word) if len(word) <= NUMBER_LENGTH_MAX else None
    if exact is not None:
        base = {"hex": 16, "octal": 8, "decimal": 10}[exact.lastgroup or "decimal"]
        return int(exact.group(exact.lastgroup or "decimal"), base)
    if APPROXIMATE.match(word) and math.isfinite(float(word)):
        return float(word)
    hint = "a leading zero starts an octal number" if word[0] == "0" and word.isdigit() else ""
    raise syntax_error(text, position, f"{word[:24]} is not a number", hint)


def _no_word(text: str, position: int) -> MQError:
    """Return why no token starts here."""
    while text[position].isspace():
        position += 1
    if text[position] == "'":
        return syntax_error(text, position, "a string has no closing quote")
    if text[position] == '"':
        return syntax_error(text, position, "a quoted name has no closing quote")
    return syntax_error(text, position, f"unexpected character {text[position]!r}")
