"""Parses dates and times by a pattern, which is compiled once into a regular expression.

Adjacent letters take exactly as many digits as they are long, others up to their maximum. Blanks in the
pattern match any number of blanks. Missing parts default to 1 January 1970, 00:00:00.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache

from penstock.esql.runtime.dates.patterns import DAYS, MONTHS, Token, tokens_of
from penstock.esql.runtime.function_errors import datetime_error

PLANS_KEPT = 512
CENTURY_WINDOW = 53  # two digits from here on are of the nineteen hundreds
_WIDTHS = {"y": 9, "Y": 9, "D": 3, "S": 9}
_ISO_ZONE = r"(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?"
_ISO_DATE = r"(?P<y>\d{4})(?:-?(?P<M>\d\d)(?:-?(?P<d>\d\d))?)?"
_ISO_TIME = r"(?P<H>\d\d)(?::?(?P<m>\d\d)(?::?(?P<s>\d\d)(?:[.,](?P<S>\d{1,9}))?)?)?"
_ISO = {
    "DATE": re.compile(rf"{_ISO_DATE}(?:T{_ISO_TIME})?{_ISO_ZONE}"),
    "TIME": re.compile(rf"(?:{_ISO_DATE}T)?T?{_ISO_TIME}{_ISO_ZONE}"),
    "TIMESTAMP": re.compile(rf"{_ISO_DATE}(?:T{_ISO_TIME})?{_ISO_ZONE}"),
}
_ZONE = r"(?:GMT|UTC)?[+-]\d{1,2}(?::?\d\d)?|[A-Z]{1,5}"
_ZONE_HOURS = {
    name: hours
    for hours, names in {
        0: "Z GMT UTC UT WET",
        1: "BST CET WEST",
        2: "CEST EET",
        3: "EEST",
        9: "JST",
        -4: "EDT",
        -5: "EST CDT",
        -6: "CST MDT",
        -7: "MST PDT",
        -8: "PST",
    }.items()
    for name in names.split()
}
_NAMES = {
    "M": {name[:length].lower(): at for at, name in enumerate(MONTHS, 1) for length in (3, None)},
    "E": {name[:length].lower(): at for at, name in enumerate(DAYS, 1) for length in (3, None)},
}


def parse_moment(text: str, pattern: str, kind: str) -> datetime:
    """Return the moment in a text, parsed by a pattern; with its offset if the text has one.

    >>> parse_moment("31/01/2024", "dd/MM/yyyy", "DATE")
    datetime.datetime(2024, 1, 31, 0, 0)
    """
    plan, letters, plain = _plan(pattern, kind)
    found = plan.fullmatch(text.strip())
    if found is None:
        raise datetime_error(f"'{text[:60]}' is not in the form {pattern}")
    if plain is not None:
        return _plain_moment(text, found.groups(), plain)
    fields: dict[str, str] = {}
    for group, content in found.groupdict().items():
        if content is not None:
            fields[letters.get(group, group)] = content
    try:
        return _moment(fields)
    except (ValueError, OverflowError) as problem:
        raise datetime_error(f"'{text[:60]}' is no date or time: {problem}") from problem


@lru_cache(maxsize=PLANS_KEPT)
def _plan(pattern: str, kind: str) -> tuple[re.Pattern[str], dict[str, str], tuple[int, ...] | None]:
    """Return the expression, the meaning of its groups, and their positions if all are plain numbers."""
    if pattern in ("I", "IU"):
        return _ISO[kind], {}, None
    if pattern in ("T", "TU"):
        return _ISO["TIME"], {}, None
    tokens = tokens_of(pattern, kind)
    parts: list[str] = []
    letters: dict[str, str] = {}
    for at, token in enumerate(tokens):
        if not token.length:
            parts.append(r"\s*" if token.text.isspace() else re.escape(token.text))
            continue
        group = f"g{at}"
        letters[group] = _field(token)
        touching = at + 1 < len(tokens) and _is_number(tokens[at + 1])
        touched = at > 0 and _is_number(tokens[at - 1])
        parts.append(f"(?P<{group}>{_expression(token, touching or touched)})")
    return re.compile("".join(parts), re.IGNORECASE), letters, _plain_places(tokens)


def _plain_places(tokens: list[Token]) -> tuple[int, ...] | None:
    """Return the positions of year, month, day ... in the groups of a pattern without other letters."""
    runs = [token for token in tokens if token.length]
    letters = "".join(token.text for token in runs)
    if any(not _is_number(token) or _field(token) == "y2" for token in runs):
        return None
    if sorted(letters) not in (sorted("yMd"), sorted("yMdHm"), sorted("yMdHms")):
        return None
    return tuple(letters.index(letter) for letter in "yMdHms" if letter in letters)


def _plain_moment(text: str, groups: tuple[str, ...], places: tuple[int, ...]) -> datetime:
    try:
        return datetime(*[int(groups[place]) for place in places])  # type: ignore[arg-type]
    except (ValueError, OverflowError) as problem:
        raise datetime_error(f"'{text[:60]}' is no date or time: {problem}") from problem


def _field(token: Token) -> str:
    """Return the name of the part that a token gives; `yy` differs from `yyyy`."""
    if token.text in "zZ":
        return "zone"
    return token.text + "2" if token.text in "yY" and token.length == 2 else token.text


def _is_number(token: Token) -> bool:
    return token.length > 0 and token.text not in "aGEzZ" and not (token.text == "M" and token.length > 2)


def _expression(token: Token, touches: bool) -> str:
    letter = token.text
    if letter in "zZ":
        return _ZONE
    if letter == "a":
        return "AM|PM"
    if letter == "G":
        return "AD|BC"
    if letter in "EM" and not _is_number(token):
        return "|".join(sorted(_NAMES[letter], key=len, reverse=True))
    if touches:
        return rf"\d{{{token.length}}}"
    return rf"\d{{1,{max(token.length, _WIDTHS.get(letter, 2))}}}"


def _moment(fields: dict[str, str]) -> datetime:
    day = _day(fields)
    moment = datetime(day.year, day.month, day.day, *_time(fields))
    if "zone" in fields:
        moment = moment.replace(tzinfo=_zone(fields["zone"].upper()))
    return moment


def _day(fields: dict[str, str]) -> date:
    year = _year(fields)
    if "d" not in fields and "D" in fields:
        first = date(year, 1, 1)
        found = first + timedelta(days=int(fields["D"]) - 1)
        if found.year != year:
            raise ValueError(f"day {fields['D']} of {year}")
        return found
    if "w" in fields and "M" not in fields:
        return date.fromisocalendar(year, int(fields["w"]), _weekday(fields))
    return date(year, _number_or_name("M", fields.get("M", "1")), int(fields.get("d", "1")))


def _year(fields: dict[str, str]) -> int:
    for letter in "yY":
        if letter in fields:
            return int(fields[letter])
        if letter + "2" in fields:
            digits = fields[letter + "2"]
            year = int(digits)
            return year if len(digits) > 2 else year + (1900 if year >= CENTURY_WINDOW else 2000)
    return 1970


def _weekday(fields: dict[str, str]) -> int:
    return int(fields["e"]) if "e" in fields else _number_or_name("E", fields.get("E", "1"))


def _number_or_name(letter: str, text: str) -> int:
    return int(text) if text.isdigit() else _NAMES[letter][text.lower()]


def _time(fields: dict[str, str]) -> tuple[int, int, int, int]:
    hour = int(fields.get("H", "0"))
    if "H" not in fields:
        if "k" in fields:
            hour = int(fields["k"]) % 24 if int(fields["k"]) <= 24 else 25
        elif "h" in fields or "K" in fields:
            hour = int(fields["h"]) % 12 if "h" in fields else int(fields["K"])
            hour += 12 if fields.get("a", "AM").upper() == "PM" else 0
    micros = int(fields.get("S", "0").ljust(6, "0")[:6])
    return hour, int(fields.get("m", "0")), int(fields.get("s", "0")), micros


def _zone(text: str) -> timezone:
    found = re.fullmatch(r"(?:GMT|UTC)?([+-])(\d{1,2})(?::?(\d\d))?", text)
    if found is None:
        if text not in _ZONE_HOURS:
            raise ValueError(f"time zone {text} is not known")
        return timezone(timedelta(hours=_ZONE_HOURS[text])) if _ZONE_HOURS[text] else UTC
    minutes = int(found[2]) * 60 + int(found[3] or 0)
    return timezone(timedelta(minutes=-minutes if found[1] == "-" else minutes))
