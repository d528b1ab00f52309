"""Formats dates and times by a pattern, which is compiled once into a plan.

A plan is a %-template and one getter for each placeholder. Weeks are ISO weeks: they begin on Monday, and the
first has at least four days of the year. So YYYY, the year of the week, differs from yyyy around New Year, a
known trap of the language.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from penstock.esql.runtime.dates.patterns import DAYS, MONTHS, Token, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    Getter = Callable[[datetime], object]

PLANS_KEPT = 512
# Letters that are a plain attribute: patterns of only these are written in one step.
_ATTRIBUTES = {"y": "year", "M": "month", "d": "day", "H": "hour", "m": "minute", "s": "second"}


class DatePlan:
    """How a pattern formats a moment; `needs_zone` shows whether it needs its offset."""

    __slots__ = ("_attributes", "_getters", "_template", "needs_zone")

    def __init__(self, tokens: list[Token]) -> None:
        pieces, getters, names = [], [], []
        for token in tokens:
            if not token.length:
                pieces.append(token.text.replace("%", "%%"))
            else:
                form, getter = _place(token)
                pieces.append(form)
                getters.append(getter)
                if (
                    form != "%s"
                    and token.text in _ATTRIBUTES
                    and not (token.text == "y" and token.length == 2)
                ):
                    names.append(_ATTRIBUTES[token.text])
        self._template = "".join(pieces)
        self._getters = tuple(getters)
        self._attributes = attrgetter(*names) if len(names) == len(getters) > 1 else None
        self.needs_zone = any(token.length and token.text in "zZ" for token in tokens)

    def format(self, moment: datetime) -> str:
        """Return a moment as text; only zone letters use its tzinfo."""
        if self._attributes is not None:
            return self._template % self._attributes(moment)
        return self._template % tuple([getter(moment) for getter in self._getters])


@lru_cache(maxsize=PLANS_KEPT)
def date_plan(pattern: str, kind: str) -> DatePlan:
    """Return the plan of a pattern for DATE, TIME or TIMESTAMP values."""
    return DatePlan(tokens_of(pattern, kind))


def _place(token: Token) -> tuple[str, Getter]:
    """Return the template and the getter of a run of letters."""
    letter, count = token.text, token.length
    if letter in "yY":
        year: Getter = attrgetter("year") if letter == "y" else _week_year
        return ("%02d", lambda moment: year(moment) % 100) if count == 2 else (f"%0{count}d", year)  # type: ignore[operator]
    if letter == "M" and count > 2:
        return "%s", (lambda m: MONTHS[m.month - 1]) if count > 3 else (lambda m: MONTHS[m.month - 1][:3])
    if letter == "E":
        return "%s", (lambda m: DAYS[m.weekday()]) if count > 3 else (lambda m: DAYS[m.weekday()][:3])
    if letter == "S":
        return "%s", lambda moment: f"{moment.microsecond:06d}".ljust(count, "0")[:count]
    if letter in "zZ":
        return "%s", lambda moment: _zone_text(moment, token)
    if letter in "aG":
        return "%s", (lambda m: "AM" if m.hour < 12 else "PM") if letter == "a" else (lambda _: "AD")
    return f"%0{count}d", _NUMBERS[letter]


def _week_year(moment: datetime) -> int:
    return moment.isocalendar()[0]


def week_of_month(moment: datetime) -> int:
    """Return the week of the month; the first week has at least four days of it, else it is week 0."""
    first = (moment.weekday() - moment.day + 1) % 7  # the weekday of the first, Monday 0
    return (moment.day + first - 1) // 7 + (1 if first <= 3 else 0)


_NUMBERS: dict[str, Getter] = {
    "M": attrgetter("month"),
    "d": attrgetter("day"),
    "H": attrgetter("hour"),
    "m": attrgetter("minute"),
    "s": attrgetter("second"),
    "h": lambda moment: moment.hour % 12 or 12,
    "K": lambda moment: moment.hour % 12,
    "k": lambda moment: moment.hour or 24,
    "D": lambda moment: moment.timetuple().tm_yday,
    "e": lambda moment: moment.isoweekday(),
    "F": lambda moment: (moment.day - 1) // 7 + 1,
    "w": lambda moment: moment.isocalendar()[1],
    "W": week_of_month,
}


def _zone_text(moment: datetime, token: Token) -> str:
    """Return the offset: Z +3, ZZ +03, ZZZ +03:00, ZZZZ GMT+03:00, ZZZZZ +0300; z is the zone's name."""
    offset = moment.utcoffset()
    minutes = int(offset.total_seconds()) // 60 if offset is not None else 0
    if token.text == "z":
        return moment.tzname() or "GMT"
    if token.zulu and not minutes:
        return "Z"
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    if token.length == 1:
        return f"{sign}{hours}" + (f":{rest:02d}" if rest else "")
    if token.length == 2:
        return f"{sign}{hours:02d}" + (f":{rest:02d}" if rest else "")
    if token.length == 5:
        return f"{sign}{hours:02d}{rest:02d}"
    return f"{'GMT' if token.length == 4 else ''}{sign}{hours:02d}:{rest:02d}"
