"""Durations of expressions (`xs:dayTimeDuration("P10D")`), and dates and times that are moved by them."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

_DURATION = re.compile(
    r"(-)?P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)


@dataclass(frozen=True)
class Months:
    """A duration of years and months."""

    count: int


def days_and_times(value: Any) -> timedelta:
    """Return a duration of days and shorter units; ValueError for any other text."""
    if isinstance(value, timedelta):
        return value
    sign, years, months, days, hours, minutes, seconds = _parts(value)
    if years or months:
        raise ValueError("years or months")
    found = timedelta(
        days=int(days or 0), hours=int(hours or 0), minutes=int(minutes or 0), seconds=float(seconds or 0)
    )
    return -found if sign < 0 else found


def years_and_months(value: Any) -> Months:
    """Return a duration of years and months; ValueError for any other text."""
    if isinstance(value, Months):
        return value
    sign, years, months, *shorter = _parts(value)
    if any(shorter):
        raise ValueError("days or shorter units")
    return Months(sign * (12 * int(years or 0) + int(months or 0)))


def _parts(value: Any) -> tuple[Any, ...]:
    found = _DURATION.fullmatch(str(value).strip())
    if found is None:
        raise ValueError("not a duration")
    return (-1 if found[1] else 1, *found.groups()[1:])


def moved(word: str, one: Any, other: Any) -> Any:
    """Return the result of + or - with a date, time or duration; None if neither is one.

    >>> moved("+", date(2024, 1, 31), Months(1)), moved("-", date(2024, 3, 1), date(2024, 2, 1))
    (datetime.date(2024, 2, 29), datetime.timedelta(days=29))
    """
    if isinstance(other, Months) and isinstance(one, date):
        return _by_months(one, other.count if word == "+" else -other.count)
    if isinstance(one, (date, time, timedelta)) and isinstance(other, timedelta):
        other = other if word == "+" else -other
        return _clock_after(one, other) if isinstance(one, time) else one + other
    if word == "+" and isinstance(one, (timedelta, Months)) and isinstance(other, (date, time)):
        return moved(word, other, one)
    if word == "-" and isinstance(one, date) and type(one) is type(other):
        return one - other
    return None


def _by_months(day: date, months: int) -> date:
    """Return the same day of another month, or its last one."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def _clock_after(clock: time, distance: timedelta) -> time:
    return (datetime.combine(date(2000, 1, 1), clock) + distance).timetz()


def duration_text(value: timedelta | Months) -> str:
    """Return a duration as XML Schema writes it.

    >>> duration_text(timedelta(days=-1, seconds=-1.5)), duration_text(Months(14))
    ('-P1DT1.5S', 'P1Y2M')
    """
    if isinstance(value, Months):
        years, months = divmod(abs(value.count), 12)
        units = f"{years}Y" * bool(years) + f"{months}M" * bool(months)
        return f"{'-' if value.count < 0 else ''}P{units or '0M'}"
    size = abs(value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    exact = f"{seconds}.{size.microseconds:06d}".rstrip("0").rstrip(".")
    clock = f"{hours}H" * bool(hours) + f"{minutes}M" * bool(minutes) + f"{exact}S" * (exact != "0")
    units = f"{size.days}D" * bool(size.days) + f"T{clock}" * bool(clock)
    return f"{'-' if value < timedelta(0) else ''}P{units or 'T0S'}"
