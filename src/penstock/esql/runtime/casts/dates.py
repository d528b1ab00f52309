"""Casts to DATE, TIME, TIMESTAMP, their GMT forms, and INTERVAL; dates and times as text.

Text without a FORMAT is the literal or its quoted part, with a blank or a T between date and time. Zone,
current date and current time come from the context; without one from the process.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.dates.formats import date_plan
from penstock.esql.runtime.dates.parsing import parse_moment
from penstock.esql.runtime.function_errors import cast_error, datetime_error
from penstock.esql.runtime.values.interval import (
    Interval,
    fields_of,
    interval,
    parse_interval,
    parse_literal,
    unit,
)

if TYPE_CHECKING:
    from penstock.esql.runtime.services import Outside

_KIND = r"(?:(?:DATE|TIME|TIMESTAMP|GMTTIME|GMTTIMESTAMP)\s*')?"
_DATE = r"(\d{4})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{0,9}))?)?"
_ZONE = r"(Z|[+-]\d\d:?\d\d)?"
_DATE_TEXT = re.compile(rf"\s*{_KIND}{_DATE}(?:[ T]{_TIME}{_ZONE})?'?\s*", re.IGNORECASE)
_TIME_TEXT = re.compile(rf"\s*{_KIND}(?:{_DATE}[ T])?{_TIME}{_ZONE}'?\s*", re.IGNORECASE)
_EPOCH = date(1970, 1, 1)


def to_date(value: Any, format: str | None = None, ctx: Outside | None = None) -> date | None:
    """Return a value as DATE, in the server's zone."""
    if value is None or type(value) is date:
        return value
    if isinstance(value, str):
        moment = _read(value, format, "DATE", _DATE_TEXT)
        return _local(moment, ctx).date()
    if isinstance(value, datetime):
        return _local(value, ctx).date()
    raise cast_error(value, "DATE")


def to_time(value: Any, format: str | None = None, ctx: Outside | None = None) -> time | None:
    """Return a value as TIME, in the server's zone."""
    if value is None:
        return None
    return _local(_time_moment(value, format, ctx, "TIME"), ctx).time()


def to_gmttime(value: Any, format: str | None = None, ctx: Outside | None = None) -> time | None:
    """Return a value as GMTTIME; text without an offset is GMT."""
    if value is None:
        return None
    moment = _time_moment(value, format, ctx, "GMTTIME")
    return _universal(moment, ctx, isinstance(value, str)).timetz()


def to_timestamp(value: Any, format: str | None = None, ctx: Outside | None = None) -> datetime | None:
    """Return a value as TIMESTAMP; a DATE gets the current time, a TIME the current date."""
    if value is None:
        return None
    if type(value) is datetime and value.tzinfo is None:
        return value
    return _local(_full_moment(value, format, ctx, "TIMESTAMP"), ctx)


def to_gmttimestamp(value: Any, format: str | None = None, ctx: Outside | None = None) -> datetime | None:
    """Return a value as GMTTIMESTAMP; text without an offset is GMT."""
    if value is None:
        return None
    moment = _full_moment(value, format, ctx, "GMTTIMESTAMP")
    return _universal(moment, ctx, isinstance(value, str))


def to_interval(value: Any, qualifier: tuple[str, ...]) -> Interval | None:
    """Return a value as INTERVAL: a number of its one field, text, or an interval of the same kind."""
    if value is None:
        return None
    if isinstance(value, Interval):
        if value.is_months != (qualifier[0] in ("YEAR", "MONTH")):
            raise cast_error(value, f"INTERVAL {' TO '.join(qualifier)}")
        return interval(value.months if value.is_months else value.micros, qualifier)
    if isinstance(value, timedelta):
        return interval(value // timedelta(microseconds=1), qualifier)
    if isinstance(value, str):
        return _interval_of_text(value, qualifier)
    if type(value) in (int, float, Decimal) and len(fields_of(qualifier)) == 1:
        exact = Decimal(repr(value)) if type(value) is float else Decimal(value)
        if not exact.is_finite():
            raise cast_error(value, f"INTERVAL {' TO '.join(qualifier)}")
        return interval(int(exact * unit(qualifier[0])), qualifier)
    raise cast_error(value, f"INTERVAL {' TO '.join(qualifier)}")


def format_date(value: date | time, format: str, ctx: Outside | None = None) -> str:
    """Return a date or time formatted by a FORMAT."""
    if isinstance(value, datetime):
        kind, moment = "TIMESTAMP", value
    elif isinstance(value, date):
        kind, moment = "DATE", datetime(value.year, value.month, value.day)
    else:
        kind, moment = "TIME", datetime.combine(_EPOCH, value)
    plan = date_plan(format, kind)
    if plan.needs_zone and moment.tzinfo is None:
        zone = zone_of(ctx)
        day = now_of(ctx).astimezone(zone).date() if kind == "TIME" else moment.date()
        moment = datetime.combine(day, moment.time(), zone) if zone else moment.astimezone()
    return plan.format(moment)


def zone_of(ctx: Outside | None) -> tzinfo | None:
    """Return the server's zone; None for the process's own."""
    return ctx.zone if ctx is not None else None


def now_of(ctx: Outside | None) -> datetime:
    """Return the time of CURRENT_TIMESTAMP, in UTC."""
    return ctx.now if ctx is not None else datetime.now(UTC)


def local_now(ctx: Outside | None) -> datetime:
    """Return the current time in the server's zone, without the zone."""
    return now_of(ctx).astimezone(zone_of(ctx)).replace(tzinfo=None)


def _local(moment: datetime, ctx: Outside | None) -> datetime:
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(zone_of(ctx)).replace(tzinfo=None)
    except OverflowError as problem:
        raise datetime_error(f"{moment} has no local time") from problem


def _universal(moment: datetime, ctx: Outside | None, as_gmt: bool) -> datetime:
    if moment.tzinfo is None:
        if as_gmt:
            return moment.replace(tzinfo=UTC)
        zone = zone_of(ctx)
        moment = moment.replace(tzinfo=zone) if zone else moment
    try:
        return moment.astimezone(UTC)
    except OverflowError as problem:
        raise datetime_error(f"{moment} has no time in GMT") from problem


def _time_moment(value: Any, format: str | None, ctx: Outside | None, wanted: str) -> datetime:
    """Return a moment for a time; the date is needed for the offset."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, time):
        day = now_of(ctx).date() if value.tzinfo else local_now(ctx).date()
        return datetime.combine(day, value)
    if isinstance(value, str):
        moment = _read(value, format, "TIME", _TIME_TEXT)
        return datetime.combine(local_now(ctx).date(), moment.timetz()) if moment.date() == _EPOCH else moment
    raise cast_error(value, wanted)


def _full_moment(value: Any, format: str | None, ctx: Outside | None, wanted: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, local_now(ctx).time())
    if isinstance(value, time):
        return _time_moment(value, None, ctx, wanted)
    if isinstance(value, str):
        return _read(value, format, "TIMESTAMP", _DATE_TEXT)
    raise cast_error(value, wanted)


def _read(text: str, format: str | None, kind: str, form: re.Pattern[str]) -> datetime:
    if format is not None:
        return parse_moment(text, format, kind)
    found = form.fullmatch(text)
    if found is None:
        raise datetime_error(f"'{text[:60]}' is no {kind}; a FORMAT says how it is written")
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    try:
        moment = datetime(
            int(year or 1970),
            int(month or 1),
            int(day or 1),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            int((fraction or "").ljust(6, "0")[:6]),
        )
        return datetime.fromisoformat(f"{moment.isoformat()}{zone.upper()}") if zone else moment
    except ValueError as problem:
        raise datetime_error(f"'{text[:60]}' is no {kind}: {problem}") from problem


def _interval_of_text(text: str, qualifier: tuple[str, ...]) -> Interval:
    literal = parse_literal(text)
    return parse_interval(text, qualifier) if literal is None else to_interval(literal, qualifier)  # type: ignore[return-value]
