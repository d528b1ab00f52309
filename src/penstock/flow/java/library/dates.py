"""Dates and times: java.util, java.text, java.time, and those of the broker."""

from __future__ import annotations

import time as clock
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from penstock.esql.runtime.dates.formats import date_plan
from penstock.esql.runtime.dates.parsing import parse_moment
from penstock.flow.java.library.thing import Long, Thing
from penstock.flow.java.throwables import thrown
from penstock.model.errors import MQError

KIND = "TIMESTAMP"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _now() -> datetime:
    return datetime.now().astimezone()


class Date(Thing):
    """A moment."""

    packages = ("java.util",)
    bases = ("Comparable",)

    def __init__(self, milliseconds: int | None = None) -> None:
        seconds = clock.time() if milliseconds is None else milliseconds / 1000
        self.moment = datetime.fromtimestamp(seconds, UTC).astimezone()

    def getTime(self) -> Long:
        return round(self.moment.timestamp() * 1000)

    def setTime(self, milliseconds: int) -> None:
        self.moment = Date(milliseconds).moment

    def getYear(self) -> int:
        return self.moment.year - 1900

    def getMonth(self) -> int:
        return self.moment.month - 1

    def getDate(self) -> int:
        return self.moment.day

    def getDay(self) -> int:
        return self.moment.isoweekday() % 7

    def getHours(self) -> int:
        return self.moment.hour

    def getMinutes(self) -> int:
        return self.moment.minute

    def getSeconds(self) -> int:
        return self.moment.second

    def _moved(self, **to: int) -> None:
        """Set a part; a value that is too large moves the parts above it."""
        name, value = next(iter(to.items()))
        least = 1 if name == "day" else 0
        start = self.moment.replace(**{name: least})  # type: ignore[arg-type]
        self.moment = start + timedelta(**{f"{name}s": value - least})

    def setHours(self, value: int) -> None:
        self._moved(hour=value)

    def setMinutes(self, value: int) -> None:
        self._moved(minute=value)

    def setSeconds(self, value: int) -> None:
        self._moved(second=value)

    def setDate(self, value: int) -> None:
        self._moved(day=value)

    def before(self, other: Date) -> bool:
        return self.moment < other.moment

    def after(self, other: Date) -> bool:
        return self.moment > other.moment

    def compareTo(self, other: Date) -> int:
        return (self.moment > other.moment) - (self.moment < other.moment)

    def equals(self, other: Any) -> bool:
        return isinstance(other, Date) and self.moment == other.moment

    def toString(self) -> str:
        at = self.moment
        month = at.strftime("%b")
        return f"{DAYS[at.weekday()]} {month} {at:%d %H:%M:%S} {at.tzname()} {at.year:04}"


class Calendar(Date):
    """A moment with parts by number."""

    names = ("Calendar", "GregorianCalendar")
    abstract = True
    constants = {
        "YEAR": 1,
        "MONTH": 2,
        "DATE": 5,
        "DAY_OF_MONTH": 5,
        "HOUR": 10,
        "HOUR_OF_DAY": 11,
        "MINUTE": 12,
        "SECOND": 13,
        "MILLISECOND": 14,
    }
    _SPANS = {5: "days", 10: "hours", 11: "hours", 12: "minutes", 13: "seconds", 14: "milliseconds"}

    @staticmethod
    def getInstance() -> Calendar:
        return Calendar()

    def getTime(self) -> Date:  # type: ignore[override]
        return Date(self.getTimeInMillis())

    def getTimeInMillis(self) -> Long:
        return round(self.moment.timestamp() * 1000)

    def setTime(self, moment: Any) -> None:
        self.moment = moment.moment

    def get(self, part: int) -> int:
        at = self.moment
        known = {1: at.year, 2: at.month - 1, 5: at.day, 10: at.hour % 12, 11: at.hour, 12: at.minute}
        return (known | {13: at.second, 14: at.microsecond // 1000})[part]

    def add(self, part: int, amount: int) -> None:
        if part in (1, 2):
            months = self.moment.year * 12 + self.moment.month - 1 + amount * (12 if part == 1 else 1)
            first = self.moment.replace(year=months // 12, month=months % 12 + 1, day=1)
            last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
            self.moment = first.replace(day=min(self.moment.day, last.day))
        else:
            self.moment += timedelta(**{self._SPANS[part]: amount})


class SimpleDateFormat(Thing):
    """A pattern for moments."""

    names = ("SimpleDateFormat", "DateFormat")
    packages = ("java.text",)

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def format(self, moment: Any) -> str:
        return date_plan(self.pattern, KIND).format(moment.moment)

    def parse(self, value: str) -> Date:
        try:
            found = parse_moment(value, self.pattern, KIND)
        except MQError:
            raise thrown("ParseException", f'Unparseable date: "{value}"') from None
        made = Date()
        made.moment = found.astimezone()
        return made


class LocalDateTime(Thing):
    """A date and time without a zone."""

    packages = ("java.time",)
    abstract = True

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    @staticmethod
    def now() -> LocalDateTime:
        return LocalDateTime(_now().replace(tzinfo=None))

    @staticmethod
    def parse(value: str, form: DateTimeFormatter) -> LocalDateTime:
        return LocalDateTime(parse_moment(value, form.pattern, KIND))

    def format(self, form: DateTimeFormatter) -> str:
        return form.format(self)

    def toString(self) -> str:
        return self.moment.isoformat()


class DateTimeFormatter(Thing):
    """A pattern for dates and times."""

    packages = ("java.time.format",)
    abstract = True

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    @staticmethod
    def ofPattern(pattern: str) -> DateTimeFormatter:
        return DateTimeFormatter(pattern)

    def format(self, value: Any) -> str:
        return date_plan(self.pattern, KIND).format(value.moment)


class MbDate(Thing):
    """A DATE; months are counted from 0, as in java.util."""

    packages = ("com.ibm.broker.plugin",)

    def __init__(self, year: int | None = None, month: int = 0, day: int = 1) -> None:
        self.value: Any = _now().date() if year is None else date(year, month + 1, day)

    def toString(self) -> str:
        return str(self.value)


class MbTime(Thing):
    """A TIME."""

    packages = ("com.ibm.broker.plugin",)

    def __init__(self, hour: int | None = None, minute: int = 0, second: int = 0) -> None:
        self.value: Any = _now().time() if hour is None else time(hour, minute, second)

    def toString(self) -> str:
        return str(self.value)


class MbTimestamp(Thing):
    """A TIMESTAMP; months are counted from 0."""

    packages = ("com.ibm.broker.plugin",)

    def __init__(self, year: int | None = None, month: int = 0, day: int = 1, *rest: int) -> None:
        hour, minute, second = (*rest, 0, 0, 0)[:3]
        local = _now().replace(tzinfo=None)
        self.value: Any = (
            local if year is None else datetime(year, month + 1, day, hour, minute, second)  # noqa: DTZ001
        )

    def toString(self) -> str:
        return str(self.value)
