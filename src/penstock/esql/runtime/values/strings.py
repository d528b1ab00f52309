"""String functions, for CHARACTER, BLOB and BIT alike: LENGTH, SUBSTRING, TRIM, POSITION, REPLACE ...

Positions count from 1. Both strings of a call have to be of one type. Nothing here knows formats or character
sets (`runtime.casts` does). Invariant: no result is longer than TEXT_MAX.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from penstock.esql.runtime.function_errors import argument_error, too_long, type_error
from penstock.esql.runtime.values.types import OMITTED, Bits

TEXT_MAX = 256 * 1024 * 1024
PATTERNS_KEPT = 512  # of LIKE, compiled
_KINDS = (str, bytes, Bits)
_BLANKS: dict[type, Any] = {str: " ", bytes: b"\0", Bits: Bits("0")}


def length(text: Any) -> int | None:
    """LENGTH(text)."""
    if text is None:
        return None
    _check("LENGTH", text)
    return len(text)


def upper(text: Any) -> Any:
    """UPPER(text) and UCASE; of a BLOB, its ASCII letters."""
    if type(text) is str or type(text) is bytes:
        return text.upper()
    return None if text is None else _unchanged("UPPER", text)


def lower(text: Any) -> Any:
    """LOWER(text) and LCASE; of a BLOB, its ASCII letters."""
    if type(text) is str or type(text) is bytes:
        return text.lower()
    return None if text is None else _unchanged("LOWER", text)


def left(text: Any, count: int | None) -> Any:
    """LEFT(text, count)."""
    if text is None or count is None:
        return None
    _check("LEFT", text)
    return text[: max(_whole("LEFT", count), 0)]


def right(text: Any, count: int | None) -> Any:
    """RIGHT(text, count)."""
    if text is None or count is None:
        return None
    _check("RIGHT", text)
    return text[max(len(text) - max(_whole("RIGHT", count), 0), 0) :]


def substring(text: Any, start: int | None, count: Any = OMITTED) -> Any:
    """SUBSTRING(text FROM start [FOR count]); positions outside the text are cut off."""
    if type(text) is str and type(start) is int and type(count) is int and start > 0 and count >= 0:
        return text[start - 1 : start - 1 + count]  # nearly always
    if text is None or start is None or count is None:
        return None
    _check("SUBSTRING", text)
    first = _whole("SUBSTRING", start) - 1
    if count is OMITTED:
        return text[max(first, 0) :]
    end = first + max(_whole("SUBSTRING", count), 0)
    return text[max(first, 0) : max(end, 0)]


def substring_before(text: Any, wanted: Any, count: Any = OMITTED) -> Any:
    """SUBSTRING(text BEFORE wanted [FOR count]): up to the first place, at most the last `count` of it."""
    if text is None or wanted is None or count is None:
        return None
    _check("SUBSTRING", text, wanted)
    found = text[: max(text.find(wanted), 0)]
    return found if count is OMITTED else right(found, count)


def substring_after(text: Any, wanted: Any, count: Any = OMITTED) -> Any:
    """SUBSTRING(text AFTER wanted [FOR count]): what follows the first place; empty when there is none."""
    if text is None or wanted is None or count is None:
        return None
    _check("SUBSTRING", text, wanted)
    place = text.find(wanted)
    found = text[place + len(wanted) :] if place >= 0 else text[:0]
    return found if count is OMITTED else left(found, count)


def position(wanted: Any, text: Any, start: int | None = 1, count: int | None = 1) -> int | None:
    """POSITION(wanted IN text [FROM start] [REPEAT count]); 0 if it is not found.

    With a negative count the search goes backwards and `start` counts from the end.
    """
    if wanted is None or text is None or start is None or count is None:
        return None
    _check("POSITION", text, wanted)
    start, count = _whole("POSITION", start), _whole("POSITION", count)
    if start < 1 or count == 0:
        raise argument_error("POSITION starts at 1 or later and counts 1, 2 ... or -1, -2 ...")
    if count < 0:
        return _position_backwards(wanted, text, start, -count)
    at = start - 1
    for _ in range(count):
        at = text.find(wanted, at) + 1
        if not at:
            return 0
    return at


def _position_backwards(wanted: Any, text: Any, start: int, count: int) -> int:
    end = len(text) - start + 1
    at = -1
    for _ in range(count):
        at = text.rfind(wanted, 0, end) if end >= len(wanted) else -1
        if at < 0:
            return 0
        end = at + len(wanted) - 1
    return at + 1


def overlay(text: Any, other: Any, start: int | None, count: Any = OMITTED) -> Any:
    """OVERLAY(text PLACING other FROM start [FOR count]); without a count as many as `other` has."""
    if text is None or other is None or start is None or count is None:
        return None
    _check("OVERLAY", text, other)
    first = _whole("OVERLAY", start)
    taken = len(other) if count is OMITTED else _whole("OVERLAY", count)
    return substring(text, 1, first - 1) + other + substring(text, first + taken)


def trim(text: Any, side: str = "BOTH", singleton: Any = OMITTED) -> Any:
    """TRIM([[BOTH|LEADING|TRAILING] [singleton] FROM] text).

    Blanks, or zeros of a BLOB or BIT, by default; several characters are removed as a whole.
    """
    if text is None or singleton is None:
        return None
    _check("TRIM", text)
    if singleton is OMITTED:
        singleton = _BLANKS[type(text)]
    elif type(singleton) is not type(text) or len(singleton) == 0:
        raise argument_error("TRIM removes characters of the type of the text")
    elif len(singleton) > 1:
        return _trim_whole(text, side, singleton)
    if side != "TRAILING":
        text = text.lstrip(singleton)
    return text if side == "LEADING" else text.rstrip(singleton)


def _trim_whole(text: Any, side: str, part: Any) -> Any:
    """Remove every occurrence of a text of several characters from the ends."""
    size, start, end = len(part), 0, len(text)
    if side != "TRAILING":
        while text[start : start + size] == part:
            start += size
    if side != "LEADING":
        while end - size >= start and text[end - size : end] == part:
            end -= size
    return text[start:end]


def ltrim(text: Any) -> Any:
    """LTRIM(text): TRIM(LEADING FROM text)."""
    return trim(text, "LEADING")


def rtrim(text: Any) -> Any:
    """RTRIM(text): TRIM(TRAILING FROM text)."""
    return trim(text, "TRAILING")


def replace(text: Any, old: Any, new: Any = OMITTED) -> Any:
    """REPLACE(text, old [, new]): every place, from left to right; without `new` they are removed."""
    if text is None or old is None or new is None:
        return None
    _check("REPLACE", text, old)
    other = text[:0] if new is OMITTED else new
    _check("REPLACE", text, other)
    if not len(old):
        return text
    if len(other) > len(old):
        _check_size("REPLACE", len(text) * len(other) // len(old))
    return text.replace(old, other)


def replicate(text: Any, count: int | None) -> Any:
    """REPLICATE(text, count): the text `count` times."""
    if text is None or count is None:
        return None
    _check("REPLICATE", text)
    times = _whole("REPLICATE", count)
    if times < 0:
        raise argument_error(f"REPLICATE of {times} times")
    _check_size("REPLICATE", len(text) * times)
    return text * times


def space(count: int | None) -> str | None:
    """SPACE(count): `count` blanks."""
    return None if count is None else replicate(" ", count)


def translate(text: Any, wanted: Any, others: Any = OMITTED) -> Any:
    """TRANSLATE(text, wanted [, others]): each character of `wanted` by the one at its place in `others`.

    A character without a partner is removed.
    """
    if text is None or wanted is None or others is None:
        return None
    _check("TRANSLATE", text, wanted)
    partners = text[:0] if others is OMITTED else others
    _check("TRANSLATE", text, partners)
    table: dict[Any, Any] = {}
    for at in range(len(wanted)):
        table.setdefault(wanted[at : at + 1], partners[at : at + 1])
    if type(text) is str:
        return text.translate(str.maketrans(table))
    result = text[:0]
    for at in range(len(text)):
        result += table.get(text[at : at + 1], text[at : at + 1])
    return result


def contains(text: Any, wanted: Any) -> bool | None:
    """CONTAINS(text, wanted)."""
    if text is None or wanted is None:
        return None
    _check("CONTAINS", text, wanted)
    return wanted in text


def startswith(text: Any, wanted: Any) -> bool | None:
    """STARTSWITH(text, wanted)."""
    if text is None or wanted is None:
        return None
    _check("STARTSWITH", text, wanted)
    return bool(text.startswith(wanted))


def endswith(text: Any, wanted: Any) -> bool | None:
    """ENDSWITH(text, wanted)."""
    if text is None or wanted is None:
        return None
    _check("ENDSWITH", text, wanted)
    return bool(text.endswith(wanted))


def concatenate(*parts: Any) -> Any:
    """Join strings of one type, as || does."""
    for part in parts:
        if part is None:
            return None
    if type(parts[0]) is str:
        try:
            return "".join(parts)
        except TypeError as problem:
            raise type_error("||", *parts) from problem
    _check("||", *parts)
    result = parts[0]
    for part in parts[1:]:
        result += part
    return result


def like(text: Any, pattern: Any, escape: Any = "\\") -> bool | None:
    """Return whether text LIKE pattern: `_` is one character, `%` any number of them."""
    if text is None or pattern is None or escape is None:
        return None
    if type(text) is not str or type(pattern) is not str or type(escape) is not str:
        raise type_error("LIKE", text, pattern)
    return _like_plan(pattern, escape).fullmatch(text) is not None


@lru_cache(maxsize=PATTERNS_KEPT)
def _like_plan(pattern: str, escape: str) -> re.Pattern[str]:
    """Return a regular expression whose time grows with the text and not with its powers.

    The text between two % is matched at its first occurrence, without backtracking.
    """
    if len(escape) != 1:
        raise argument_error("the ESCAPE of LIKE is one character")
    first, *others = _like_parts(pattern, escape)
    if not others:
        return re.compile(first, re.DOTALL)
    found_first = "".join(f"(?>.*?{part})" for part in others[:-1] if part)
    return re.compile(f"{first}{found_first}.*{others[-1]}", re.DOTALL)


def _like_parts(pattern: str, escape: str) -> list[str]:
    """Return the parts of a pattern before, between and after the %, as regular expressions."""
    parts = [""]
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            following = next(letters, None)
            if following is None:
                raise argument_error(f"LIKE '{pattern}' ends in its escape character")
            parts[-1] += re.escape(following)
        elif letter == "%":
            parts.append("")
        else:
            parts[-1] += "." if letter == "_" else re.escape(letter)
    return parts


def _check(name: str, text: Any, *others: Any) -> None:
    kind = type(text)
    if kind not in _KINDS:
        raise type_error(name, text)
    for other in others:
        if type(other) is not kind:
            raise type_error(name, text, other)


def _unchanged(name: str, text: Any) -> Any:
    _check(name, text)
    return text


def _whole(name: str, number: Any) -> int:
    if type(number) is int:
        return number
    raise type_error(name, number)


def _check_size(name: str, size: int) -> None:
    if size > TEXT_MAX:
        raise too_long(f"{name} would make {size} characters; at most {TEXT_MAX}")
