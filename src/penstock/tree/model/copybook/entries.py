"""Entries of a record description: level, name and clauses of each sentence, and the meaning of pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.tree.model.copybook.source import Sentence

PICTURE_MAX = 1 << 24
NAMES_ONLY = {66: "a further name (RENAMES)", 78: "a constant"}  # levels that take no bytes of a record
USAGES = {
    "DISPLAY": "DISPLAY",
    "COMP": "BINARY",
    "COMPUTATIONAL": "BINARY",
    "COMP-4": "BINARY",
    "COMPUTATIONAL-4": "BINARY",
    "BINARY": "BINARY",
    "COMP-5": "NATIVE",
    "COMPUTATIONAL-5": "NATIVE",
    "COMP-1": "FLOAT",
    "COMPUTATIONAL-1": "FLOAT",
    "COMP-2": "DOUBLE",
    "COMPUTATIONAL-2": "DOUBLE",
    "COMP-3": "PACKED",
    "COMPUTATIONAL-3": "PACKED",
    "PACKED-DECIMAL": "PACKED",
    "INDEX": "INDEX",
    "POINTER": "POINTER",
    "NATIONAL": "NATIONAL",
    "DISPLAY-1": "NATIONAL",
}
_FIGURATIVE = {
    "SPACE": "",
    "SPACES": "",
    "ZERO": 0,
    "ZEROS": 0,
    "ZEROES": 0,
    "LOW-VALUE": "\0",
    "LOW-VALUES": "\0",
    "HIGH-VALUE": "",
    "HIGH-VALUES": "",
}
_SKIPPED = {"IS", "ARE", "TIMES", "CHARACTER", "ON", "GLOBAL", "EXTERNAL", "WHEN"}
_REPEATED = re.compile(r"(.)\((\d+)\)")


@dataclass(slots=True)
class Entry:
    """One data description entry."""

    line: int
    level: int
    name: str
    redefines: str = ""
    picture: str = ""
    usage: str = ""
    occurs: tuple[int, int] | None = None
    depending: str = ""
    sign: str = ""
    separate: bool = False
    synchronized: bool = False
    justified: bool = False
    values: list[object] = field(default_factory=list)
    children: list[Entry] = field(default_factory=list)


def entry_of(sentence: Sentence) -> Entry:
    """Return the entry of a sentence; raise 8150 with its line if it is invalid."""
    words = sentence.words
    if not words[0].isdecimal() or not 1 <= int(words[0]) <= 88:
        raise error(
            mq.PSRC_MODEL_ERROR, f"line {sentence.line}: {words[0]!r} is no level number", line=sentence.line
        )
    level = int(words[0])
    if level in NAMES_ONLY:
        return Entry(sentence.line, level, words[1].upper() if len(words) > 1 else "FILLER")
    named = len(words) > 1 and words[1].upper() not in _CLAUSES and words[1].upper() not in USAGES
    entry = Entry(sentence.line, level, words[1].upper() if named else "FILLER")
    rest = words[2:] if named else words[1:]
    while rest:
        rest = _clause(entry, rest)
    return entry


def _clause(entry: Entry, words: list[str]) -> list[str]:
    """Take one clause off the words and return the others."""
    word = words[0].upper()
    if word in _SKIPPED or word == "USAGE":
        return words[1:]
    if word in USAGES:
        entry.usage = USAGES[word]
        return words[1:]
    take = _CLAUSES.get(word)
    if take is None:
        raise error(
            mq.PSRC_MODEL_ERROR, f"line {entry.line}: {words[0]!r} is not understood here", line=entry.line
        )
    try:
        return take(entry, [each for each in words[1:2] if each.upper() not in _SKIPPED] + words[2:])
    except (IndexError, ValueError) as problem:
        raise error(
            mq.PSRC_MODEL_ERROR, f"line {entry.line}: the clause {word} is incomplete", line=entry.line
        ) from problem


def _redefines(entry: Entry, words: list[str]) -> list[str]:
    entry.redefines = words[0].upper()
    return words[1:]


def _picture(entry: Entry, words: list[str]) -> list[str]:
    entry.picture = words[0].upper()
    return words[1:]


def _occurs(entry: Entry, words: list[str]) -> list[str]:
    least = most = int(words[0])
    words = words[1:]
    if words and words[0].upper() == "TO":
        most = int(words[1])
        words = words[2:]
    entry.occurs = (least, most)
    while words and words[0].upper() in ("TIMES", "DEPENDING", "ON", "ASCENDING", "DESCENDING", "INDEXED"):
        word = words[0].upper()
        words = words[1:]
        if word == "DEPENDING":
            words = words[1:] if words[0].upper() == "ON" else words
            entry.depending, words = words[0].upper(), words[1:]
            if words and words[0].upper() in ("OF", "IN"):
                words = words[2:]
        elif word in ("ASCENDING", "DESCENDING", "INDEXED"):
            while words and words[0].upper() not in _CLAUSES and words[0].upper() not in USAGES:
                words = words[1:]
    return words


def _sign(entry: Entry, words: list[str]) -> list[str]:
    return words  # LEADING or TRAILING follows


def _leading(entry: Entry, words: list[str]) -> list[str]:
    entry.sign = "leading"
    return words


def _trailing(entry: Entry, words: list[str]) -> list[str]:
    entry.sign = "trailing"
    return words


def _separate(entry: Entry, words: list[str]) -> list[str]:
    entry.separate = True
    return words


def _synchronized(entry: Entry, words: list[str]) -> list[str]:
    entry.synchronized = True
    return words[1:] if words and words[0].upper() in ("LEFT", "RIGHT") else words


def _justified(entry: Entry, words: list[str]) -> list[str]:
    entry.justified = True
    return words[1:] if words and words[0].upper() == "RIGHT" else words


def _blank(entry: Entry, words: list[str]) -> list[str]:
    while words and words[0].upper() in ("WHEN", "ZERO", "ZEROS", "ZEROES"):
        words = words[1:]
    return words


def _value(entry: Entry, words: list[str]) -> list[str]:
    while words and words[0].upper() not in _CLAUSES and words[0].upper() not in USAGES:
        word = words[0].rstrip(",")
        words = words[1:]
        if word.upper() in ("THRU", "THROUGH") and entry.values and words:
            entry.values[-1] = (entry.values[-1], _literal(words[0]))
            words = words[1:]
        elif word and word.upper() != "ALL" and word.upper() not in _SKIPPED:
            entry.values.append(_literal(word))
    return words


def _literal(word: str) -> object:
    if word[0] in "'\"":
        return word[1:-1].replace(word[0] * 2, word[0])
    if word.upper() in _FIGURATIVE:
        return _FIGURATIVE[word.upper()]
    return int(word) if re.fullmatch(r"[+-]?\d+", word) else word


_CLAUSES = {
    "REDEFINES": _redefines,
    "PIC": _picture,
    "PICTURE": _picture,
    "OCCURS": _occurs,
    "SIGN": _sign,
    "LEADING": _leading,
    "TRAILING": _trailing,
    "SEPARATE": _separate,
    "SYNC": _synchronized,
    "SYNCHRONIZED": _synchronized,
    "JUST": _justified,
    "JUSTIFIED": _justified,
    "BLANK": _blank,
    "VALUE": _value,
    "VALUES": _value,
    "USAGE": _sign,
}


@dataclass(frozen=True, slots=True)
class Picture:
    """The meaning of a picture: a number with its digits, or text of a size."""

    is_number: bool
    is_national: bool
    size: int
    digits: int
    scale: int
    is_signed: bool


def picture_of(text: str, line: int) -> Picture:
    """Return the meaning of a picture; edited ones are text.

    >>> picture_of("S9(5)V99", 1)
    Picture(is_number=True, is_national=False, size=7, digits=7, scale=2, is_signed=True)
    """
    counted = [(mark, int(count)) for mark, count in _REPEATED.findall(text)]
    if sum(count for _, count in counted) > PICTURE_MAX:
        raise error(mq.PSRC_MODEL_ERROR, f"line {line}: picture {text} is too large", line=line)
    plain = _REPEATED.sub(lambda found: found[1] * int(found[2]), text)
    if re.fullmatch(r"S?P*9*P*V?P*9*P*", plain) and "9" in plain:
        before, _, after = plain.lstrip("S").partition("V")
        digits = plain.count("9")
        scale = len(after) if "V" in plain else 0
        if plain.rstrip("V").endswith("P"):
            scale = -plain.count("P")
        elif plain.lstrip("SV").startswith("P"):
            scale = plain.count("P") + digits
        elif before.startswith("P"):
            scale = len(before) + len(after)
        return Picture(True, False, digits, digits, scale, plain.startswith("S"))
    national = set(plain) <= set("NG")
    size = len(plain.replace("V", "").replace("P", "").removeprefix("S"))
    if not re.fullmatch(r"[AXBNG9Z0/,.+\-*$CRDSVP€E]+", plain):
        raise error(mq.PSRC_MODEL_ERROR, f"line {line}: picture {text!r} is not understood", line=line)
    return Picture(False, national, 2 * size if national else size, 0, 0, False)
