"""The pattern letters of dates and times: the parts of a FORMAT such as `yyyy-MM-dd'T'HH:mm:ss.SSSZZZ`.

Splits a pattern into letters and literal text, and expands the ISO forms I and T. `formats.py` writes,
`parsing.py` reads. A letter without meaning is literal.
"""

from __future__ import annotations

from typing import NamedTuple

from penstock.esql.runtime.function_errors import datetime_error

LETTERS = frozenset("adDeEFGhHkKmMsSwWyYzZ")
PATTERN_MAX = 500
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ISO_DATE, _ISO_TIME = "yyyy-MM-dd", "HH:mm:ss.SSSZZZ"
ISO = {"DATE": _ISO_DATE, "TIME": _ISO_TIME, "TIMESTAMP": f"{_ISO_DATE}'T'{_ISO_TIME}"}


class Token(NamedTuple):
    """A run of one letter, or literal text when `length` is 0; `zulu` writes Z for no offset."""

    text: str
    length: int
    zulu: bool = False


def tokens_of(pattern: str, kind: str) -> list[Token]:
    """Return the tokens of a pattern for values of a kind: DATE, TIME or TIMESTAMP.

    >>> tokens_of("HH'h'", "TIME")
    [Token(text='H', length=2, zulu=False), Token(text='h', length=0, zulu=False)]
    """
    if len(pattern) > PATTERN_MAX:
        raise datetime_error(f"a FORMAT of {len(pattern)} characters; at most {PATTERN_MAX}")
    found: list[Token] = []
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter == "'":
            text, at = _quoted(pattern, at)
            found.append(Token(text, 0))
        elif letter in "IT":
            zulu = pattern[at + 1 : at + 2] == "U"
            found.extend(_iso(letter, kind, zulu))
            at += 2 if zulu else 1
        elif letter in LETTERS:
            end = at
            while pattern[end : end + 1] == letter:
                end += 1
            zulu = letter == "Z" and pattern[end : end + 1] == "U"
            found.append(Token(letter, end - at, zulu))
            at = end + zulu
        else:
            found.append(Token(letter, 0))
            at += 1
    return found


def _quoted(pattern: str, at: int) -> tuple[str, int]:
    """Return quoted text and its end; two quotes are one, inside and outside."""
    if pattern.startswith("''", at):
        return "'", at + 2
    text, at = "", at + 1
    while at < len(pattern):
        if pattern.startswith("''", at):
            text, at = text + "'", at + 2
        elif pattern[at] == "'":
            return text, at + 1
        else:
            text, at = text + pattern[at], at + 1
    raise datetime_error(f"FORMAT {pattern} has a quote that is not closed")


def _iso(letter: str, kind: str, zulu: bool) -> list[Token]:
    form = ISO[kind] if letter == "I" else _ISO_TIME
    return [token._replace(zulu=zulu and token.text == "Z") for token in tokens_of(form, kind)]
