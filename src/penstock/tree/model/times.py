"""Dates and times as text: a pattern of letters, compiled once into fields.

The letters are those of message sets: yyyy yy MM dd HH hh mm ss SSS aa Z, D for the day of the year, text in
apostrophes is literal. Patterns without a separator work as well. The century of yy is chosen so that the
year is from 1953 to 2052. No strptime: it is slow and depends on the locale.
"""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple

from penstock.tree.model._codec import Codec

PATTERNS = {"date": "yyyy-MM-dd", "time": "HH:mm:ss", "dateTime": "yyyy-MM-dd'T'HH:mm:ss"}
_CENTURY_FROM = 53
_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  (ESQL TIMESTAMPs have no zone)
_WIDTHS = {"y": 4, "M": 2, "d": 2, "H": 2, "h": 2, "m": 2, "s": 2, "D": 3}
_NAMES = {"y": "year", "M": "month", "d": "day", "H": "hour", "h": "hour12", "m": "minute", "s": "second"}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([yMdDHhmsSaZTIUe])\2*|(.)", re.DOTALL)


class Plan(NamedTuple):
    """A compiled pattern: how it is read, and how it is written."""

    expression: re.Pattern[str]
    pieces: tuple[tuple[str, int], ...]


def compile_pattern(pattern: str) -> Plan:
    """Return the plan of a pattern; raise ValueError for one without known letters."""
    expression, pieces, seen = "", [], set()
    for token in _TOKEN.finditer(_expanded(pattern)):
        if token[2] is None:
            text = token[1].replace("''", "'") or "'" if token[1] is not None else token[3]
            expression += re.escape(text)
            pieces.append((text, 0))
            continue
        letter, width = token[2], len(token[0])
        if letter in seen:
            raise ValueError(f"{letter} occurs twice in {pattern!r}")
        seen.add(letter)
        expression += _group(letter, width, pattern)
        pieces.append((letter, width))
    return Plan(re.compile(expression), tuple(pieces))


def _expanded(pattern: str) -> str:
    """Expand the short words for ISO 8601 and for XML Schema."""
    words = {"T": "HH:mm:ss", "I": "yyyy-MM-dd'T'HH:mm:ss", "IU": "yyyy-MM-dd'T'HH:mm:ssZ"}
    return words.get(pattern, pattern)


def _group(letter: str, width: int, pattern: str) -> str:
    if letter in "yMdDHhms":
        if letter == "M" and width > 2:
            raise ValueError(f"names of months are not known here: {pattern!r}")
        digits = f"{{{width}}}" if width > 1 else f"{{1,{_WIDTHS[letter]}}}"
        return rf"(?P<{letter}>\d{digits})"
    if letter == "S":
        return rf"(?P<S>\d{{{width}}})"
    if letter == "a":
        return "(?P<a>[AaPp][Mm])"
    if letter == "Z":
        return r"(?P<Z>[Zz]|[+-]\d\d:?\d\d)"
    raise ValueError(f"letter {letter} in {pattern!r} is not known here")


class TimeCodec(Codec):
    """DATE, TIME and TIMESTAMP as text."""

    def __init__(self, kind: str, pattern: str, charset: str = "utf-8", pad: str = " ") -> None:
        self.kind = kind
        self.pattern = pattern
        self.charset = charset
        self.pad = pad
        self.plan = compile_pattern(pattern)

    def read(self, data: bytes) -> dt.date | dt.time:
        """Return the date or time in some bytes."""
        text = data.decode(self.charset).strip(self.pad + " ")
        found = self.plan.expression.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no {self.kind} as {self.pattern}")
        return _made(self.kind, found.groupdict())

    def make(self, value: object, length: int) -> bytes:
        """Return the text of a date or time, padded."""
        text = "".join(_shown(_stamp(value), letter, width) for letter, width in self.plan.pieces)
        if length >= 0:
            text = text.ljust(length // len(self.pad.encode(self.charset)), self.pad)
        data = text.encode(self.charset)
        if 0 <= length != len(data):
            raise ValueError(f"{text!r} does not fit in {length} bytes")
        return data


class DigitsTimeCodec(TimeCodec):
    """Dates and times as the digits of a packed decimal."""

    def read(self, data: bytes) -> dt.date | dt.time:
        """Return the date or time in a packed decimal."""
        digits = data.hex()[:-1]
        width = sum(width for _, width in self.plan.pieces)
        found = self.plan.expression.fullmatch(digits[-width:] if len(digits) >= width else "")
        if found is None or digits[: len(digits) - width].strip("0"):
            raise ValueError(f"{digits!r} is no {self.kind} as {self.pattern}")
        return _made(self.kind, found.groupdict())

    def make(self, value: object, length: int) -> bytes:
        """Return the packed digits of a date or time."""
        text = "".join(_shown(_stamp(value), letter, width) for letter, width in self.plan.pieces)
        if len(text) > 2 * length - 1:
            raise ValueError(f"does not fit in {length} bytes")
        return bytes.fromhex(text.rjust(2 * length - 1, "0") + "c")


class EpochCodec(Codec):
    """TIMESTAMP as an integer: seconds or milliseconds since 1970."""

    def __init__(self, unit: int, order: str) -> None:
        self.unit = unit
        self.order = order

    def read(self, data: bytes) -> dt.datetime:
        """Return the timestamp in an integer."""
        number = int.from_bytes(data, "little" if self.order == "little" else "big", signed=True)
        try:
            return _EPOCH + dt.timedelta(microseconds=number * (1_000_000 // self.unit))
        except OverflowError:
            raise ValueError(f"{number} is no time") from None

    def make(self, value: object, length: int) -> bytes:
        """Return the integer of a timestamp."""
        stamp = _stamp(value)
        if stamp.tzinfo is not None:
            stamp = stamp.astimezone(dt.UTC).replace(tzinfo=None)
        number = (stamp - _EPOCH) // dt.timedelta(microseconds=1_000_000 // self.unit)
        try:
            return number.to_bytes(length, "little" if self.order == "little" else "big", signed=True)
        except OverflowError:
            raise ValueError(f"does not fit in {length} bytes") from None


def _made(kind: str, parts: dict[str, str]) -> dt.date | dt.time:
    zone = _zone(parts.get("Z"))
    micro = int(parts["S"].ljust(6, "0")[:6]) if "S" in parts else 0
    moment = dt.time(_hour(parts), int(parts.get("m", 0)), int(parts.get("s", 0)), micro, zone)
    if kind == "time":
        return moment
    year = int(parts.get("y", 1970))
    if len(parts.get("y", "    ")) == 2:
        year += 2000 if year < _CENTURY_FROM else 1900
    if "D" in parts:
        day = dt.date(year, 1, 1) + dt.timedelta(days=int(parts["D"]) - 1)
        if day.year != year:
            raise ValueError(f"day {parts['D']} is not in the year")
    else:
        day = dt.date(year, int(parts.get("M", 1)), int(parts.get("d", 1)))
    return day if kind == "date" else dt.datetime.combine(day, moment)


def _hour(parts: dict[str, str]) -> int:
    if "h" in parts:
        hour = int(parts["h"]) % 12
        return hour + 12 if parts.get("a", "am").lower() == "pm" else hour
    return int(parts.get("H", 0))


def _zone(text: str | None) -> dt.timezone | None:
    if text is None:
        return None
    if text in "Zz":
        return dt.UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return dt.timezone(dt.timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _stamp(value: object) -> dt.datetime:
    """Return a date, a time or the ISO text of one as a timestamp."""
    if isinstance(value, str):
        value = _parsed(value.strip())
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime.combine(value, dt.time())
    if isinstance(value, dt.time):
        return dt.datetime.combine(dt.date(1970, 1, 1), value)
    raise ValueError(f"no date and no time, but {type(value).__name__}")


def _parsed(text: str) -> dt.date | dt.time:
    for kind in (dt.date, dt.datetime, dt.time):
        try:
            return kind.fromisoformat(text)
        except ValueError:
            continue
    raise ValueError("no date and no time")


def _shown(stamp: dt.datetime, letter: str, width: int) -> str:
    if width == 0:
        return letter
    if letter == "y":
        return f"{stamp.year % 100:02d}" if width == 2 else f"{stamp.year:04d}"
    if letter == "D":
        return f"{stamp.timetuple().tm_yday:0{width}d}"
    if letter == "h":
        return f"{stamp.hour % 12 or 12:0{width}d}"
    if letter == "S":
        return f"{stamp.microsecond:06d}".ljust(width, "0")[:width]
    if letter == "a":
        return "PM" if stamp.hour >= 12 else "AM"
    if letter == "Z":
        text = stamp.strftime("%z")
        return "Z" if text in ("", "+0000") else f"{text[:3]}:{text[3:5]}"
    return f"{getattr(stamp, _NAMES[letter]):0{width}d}"
