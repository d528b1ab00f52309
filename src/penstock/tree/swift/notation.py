"""The notation of SWIFT fields: `4!c//16x`, `[N]3!a15d`, `3*35x`, compiled to a pattern.

A count with ! is exact, without it a maximum; [..] is optional; n*mx is up to n lines of m characters;
$ is a new line; | divides whole alternatives; everything else means itself. Types: n digits, a
capital letters, c both, h hexadecimal, d a number with a comma, x y z SWIFT's character sets, e a blank.
A value is matched whole, and `misfit` says where and why one does not fit.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error

CHARACTERS = {
    "n": "[0-9]",
    "a": "[A-Z]",
    "c": "[A-Z0-9]",
    "h": "[A-F0-9]",
    "x": r"[A-Za-z0-9/\-?:().,'+ ]",
    "y": r"[A-Z0-9 .,\-()/='+:?!\"%&*<>;]",
    "z": r"[A-Za-z0-9.,\-()/='+:?!\"%&*<>;@#_{ ]",
    "e": " ",
}
WORDS = {
    "n": "digits",
    "a": "capital letters",
    "c": "capital letters or digits",
    "h": "hexadecimal digits",
    "d": "digits with one comma",
    "x": "characters of set x",
    "y": "characters of set y",
    "z": "characters of set z",
    "e": "blanks",
}
NEW_LINE = r"\r?\n"
LENGTH_MAX = 10_000
_PART = re.compile(r"(?:(\d{1,2})\*)?(\d{1,4})(!?)([nachdxyze])|([\[\]|$])|(.)", re.DOTALL)


class Part(NamedTuple):
    """One piece of a notation: its text, its pattern, and its meaning; marks ([, ], |) have no words."""

    text: str
    pattern: str
    words: str


class Notation:
    """A notation, ready to match values."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = _parts(text)
        try:
            self._pattern = re.compile("".join(part.pattern for part in self.parts), re.DOTALL)
        except re.error as problem:
            raise error(mq.PSRC_SWIFT_NOTATION, f"notation {text!r}: {problem}", notation=text) from problem

    def match(self, value: str) -> list[str] | None:
        """Return the parts of a value that is written in this notation, absent ones empty; else None.

        >>> Notation("[N]3!a15d").match("EUR12,5")
        ['', 'EUR', '12,5']
        """
        found = self._pattern.fullmatch(value)
        return None if found is None else [part or "" for part in found.groups()]

    def fits(self, value: str) -> bool:
        """Return whether a value matches this notation."""
        return self._pattern.fullmatch(value) is not None

    def misfit(self, value: str) -> str:
        """Return where a value stops matching and what was expected there; "" if it matches.

        >>> Notation("4!c//8!n").misfit("SETT//2024013")
        'expected 8!n (exactly 8 digits) at character 7'
        """
        if self.fits(value):
            return ""
        best, expected = -1, "nothing more"
        for alternative in self._beginnings:
            for pattern, part in alternative:
                found = pattern.match(value)
                if found is None:
                    break
                if found.end() >= best:
                    best, expected = found.end(), f"{part.text} ({part.words})" if part else "nothing more"
        return f"expected {expected} at character {max(best, 0) + 1}"

    @cached_property
    def _beginnings(self) -> list[list[tuple[re.Pattern[str], Part | None]]]:
        """Yield for each alternative: patterns of its first parts, and the next part."""
        alternatives: list[list[Part]] = [[]]
        for part in self.parts:
            if part.text == "|":
                alternatives.append([])
            else:
                alternatives[-1].append(part)
        return [_prefixes(parts) for parts in alternatives]

    def __repr__(self) -> str:
        return f"Notation({self.text!r})"


@lru_cache(maxsize=1000)
def notation(text: str) -> Notation:
    """Return a notation, compiled once."""
    return Notation(text)


def _prefixes(parts: list[Part]) -> list[tuple[re.Pattern[str], Part | None]]:
    found: list[tuple[re.Pattern[str], Part | None]] = []
    for count in range(len(parts) + 1):
        open_groups = sum({"[": 1, "]": -1}.get(part.text, 0) for part in parts[:count])
        text = "".join(part.pattern for part in parts[:count]) + ")?" * open_groups
        after = next((part for part in parts[count:] if part.words), None)
        found.append((re.compile(text, re.DOTALL), after))
    return found


def _parts(text: str) -> list[Part]:
    parts: list[Part] = []
    depth = 0
    for found in _PART.finditer(text):
        lines, count, exact, kind, mark, literal = found.groups()
        if kind:
            parts.append(_piece(found[0], lines, int(count), bool(exact), kind))
        elif mark == "$":
            parts.append(Part("$", NEW_LINE, "a new line"))
        elif mark:
            depth += {"[": 1, "]": -1, "|": 0}[mark]
            parts.append(Part(mark, {"[": "(?:", "]": ")?", "|": "|"}[mark], ""))
        else:
            parts.append(_literal(parts, literal, depth))
        if depth < 0 or (mark == "|" and depth):
            raise error(mq.PSRC_SWIFT_NOTATION, f"notation {text!r}: brackets do not match", notation=text)
    if depth or not parts:
        raise error(
            mq.PSRC_SWIFT_NOTATION, f"notation {text!r} is empty, or a bracket is open", notation=text
        )
    return parts


def _literal(parts: list[Part], character: str, depth: int) -> Part:
    """Return a literal character; an optional N, the sign of an amount, is a separate part."""
    sign = character == "N" and depth > 0 and parts[-1].text == "["
    pattern = re.escape(character)
    return Part(character, f"({pattern})" if sign else pattern, f"the character {character}")


def _piece(text: str, lines: str | None, count: int, exact: bool, kind: str) -> Part:
    if not 0 < count <= LENGTH_MAX:
        raise error(mq.PSRC_SWIFT_NOTATION, f"notation {text!r}: a length of {count}", notation=text)
    how = f"exactly {count}" if exact else f"up to {count}"
    if kind == "d":
        digits = rf"(?=[0-9,]{{{count if exact else 2},{count}}}(?![0-9,]))[0-9]+,[0-9]*"
        return Part(text, f"({digits})", f"{how} {WORDS[kind]}")
    one = CHARACTERS[kind] + (f"{{{count}}}" if exact else f"{{1,{count}}}")
    if lines is None:
        return Part(text, f"({one})", f"{how} {WORDS[kind]}")
    many = f"({one}(?:{NEW_LINE}{one}){{0,{int(lines) - 1}}})"
    return Part(text, many, f"up to {lines} lines of {how} {WORDS[kind]}")
