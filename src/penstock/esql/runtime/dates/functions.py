"""Functions and arithmetic of dates and times: CURRENT_DATE and so on, EXTRACT, dates plus intervals.

"Now" is the context's and does not change while a node processes one message. In EXTRACT a week begins on
Sunday and the week of 1 January is the first, as DAYOFWEEK counts Sunday as 1; FORMAT has ISO weeks.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.dates import local_now, now_of, zone_of
from penstock.esql.runtime.function_errors import datetime_error, division_by_zero, type_error
from penstock.esql.runtime.values.interval import MICROS, Interval, interval, parts_of, total_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.runtime.services import Outside

_MICRO = timedelta(microseconds=1)
_DAY = MICROS["DAY"]


def current_date(ctx: Outside) -> date:
    """CURRENT_DATE."""
    return local_now(ctx).date()


def current_time(ctx: Outside) -> time:
    """CURRENT_TIME."""
    return local_now(ctx).time()


def current_timestamp(ctx: Outside) -> datetime:
    """CURRENT_TIMESTAMP."""
    return local_now(ctx)


def current_gmtdate(ctx: Outside) -> date:
    """CURRENT_GMTDATE."""
    return now_of(ctx).date()


def current_gmttime(ctx: Outside) -> time:
    """CURRENT_GMTTIME."""
    return now_of(ctx).timetz()


def current_gmttimestamp(ctx: Outside) -> datetime:
    """CURRENT_GMTTIMESTAMP."""
    return now_of(ctx)


def local_timezone(ctx: Outside) -> Interval:
    """LOCAL_TIMEZONE: how far local time is ahead of GMT, as INTERVAL HOUR TO MINUTE."""
    offset = now_of(ctx).astimezone(zone_of(ctx)).utcoffset() or timedelta(0)
    return interval(offset // _MICRO, ("HOUR", "MINUTE"))


def extract(part: str, value: Any) -> Any:
    """EXTRACT(part FROM value): INTEGER, but FLOAT for SECOND and BOOLEAN for ISLEAPYEAR.

    >>> extract("DAYS", date(2000, 2, 29))
    730179
    """
    if value is None:
        return None
    if isinstance(value, Interval):
        return _extract_of_interval(part, value)
    if isinstance(value, date) and part in _OF_DATE:
        return _OF_DATE[part](value)
    if isinstance(value, (datetime, time)):
        if part == "SECOND":
            return value.second + value.microsecond / 1_000_000
        if part in ("HOUR", "MINUTE"):
            return getattr(value, part.lower())
    raise type_error(f"EXTRACT({part})", value)


def _extract_of_interval(part: str, value: Interval) -> Any:
    parts = parts_of(value)
    if part not in parts:
        raise type_error(f"EXTRACT({part})", value)
    sign = -1 if total_of(value) < 0 else 1
    return sign * parts[part] / 1_000_000 if part == "SECOND" else sign * parts[part]


def _day_of_year(value: date) -> int:
    return value.timetuple().tm_yday


def _week_of(value: date, first: date) -> int:
    return ((value - first).days + first.isoweekday() % 7) // 7 + 1


_OF_DATE: dict[str, Callable[[date], Any]] = {
    "YEAR": lambda day: day.year,
    "MONTH": lambda day: day.month,
    "DAY": lambda day: day.day,
    "DAYS": lambda day: day.toordinal(),
    "DAYOFYEAR": _day_of_year,
    "DAYOFWEEK": lambda day: day.isoweekday() % 7 + 1,
    "MONTHS": lambda day: (day.year - 1) * 12 + day.month,
    "QUARTEROFYEAR": lambda day: (day.month + 2) // 3,
    "QUARTERS": lambda day: (day.year - 1) * 4 + (day.month + 2) // 3,
    "WEEKS": lambda day: (day.toordinal() - 1) // 7 + 1,
    "WEEKOFYEAR": lambda day: _week_of(_plain(day), date(day.year, 1, 1)),
    "WEEKOFMONTH": lambda day: _week_of(_plain(day), date(day.year, day.month, 1)),
    "ISLEAPYEAR": lambda day: isleap(day.year),
}


def _plain(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def subtract_dates(a: Any, b: Any, qualifier: tuple[str, ...]) -> Interval | None:
    """Return `(a - b) qualifier`, the span between two dates or times of one type."""
    if a is None or b is None:
        return None
    if isinstance(a, Interval) and isinstance(b, Interval):
        return interval(total_of(minus_dates(a, b)), qualifier)
    if qualifier[0] in ("YEAR", "MONTH"):
        return interval(_months_between(a, b), qualifier)
    return interval(_micros_between(a, b), qualifier)


def add_dates(a: Any, b: Any) -> Any:
    """Return a + b of dates and intervals: date and interval in either order, or two intervals of a kind."""
    if a is None or b is None:
        return None
    if isinstance(a, Interval):
        return _sum(a, b, 1) if isinstance(b, Interval) else _shifted(b, a, 1)
    return _shifted(a, b, 1)


def minus_dates(a: Any, b: Any) -> Any:
    """Return a - b where b is an interval."""
    if a is None or b is None:
        return None
    if isinstance(a, Interval):
        return _sum(a, b, -1)
    return _shifted(a, b, -1)


def scale_interval(span: Interval | None, number: Any) -> Interval | None:
    """Return interval * number."""
    if span is None or number is None:
        return None
    return _scaled(span, _exact(span, number), "*")


def divide_interval(span: Interval | None, number: Any) -> Interval | None:
    """Return interval / number."""
    if span is None or number is None:
        return None
    exact = _exact(span, number)
    if not exact:
        raise division_by_zero()
    return _scaled(span, 1 / exact, "/")


def _exact(span: Interval, number: Any) -> Decimal:
    if type(number) not in (int, float, Decimal):
        raise type_error("arithmetic", span, number)
    return Decimal(repr(number)) if type(number) is float else Decimal(number)


def _scaled(span: Interval, factor: Decimal, operator: str) -> Interval:
    if not factor.is_finite():
        raise type_error(operator, span, factor)
    total = int((total_of(span) * factor).to_integral_value())
    return Interval(total if span.is_months else 0, 0 if span.is_months else total, span.qualifier)


def _sum(a: Interval, b: Any, sign: int) -> Interval:
    if not isinstance(b, Interval) or a.is_months != b.is_months:
        raise type_error("arithmetic", a, b)
    return Interval(a.months + sign * b.months, a.micros + sign * b.micros, _wider(a, b))


def _wider(a: Interval, b: Interval) -> tuple[str, ...]:
    """Return the qualifier that covers both: the larger first field, the smaller last one."""
    order = list(("YEAR", "MONTH") if a.is_months else ("DAY", "HOUR", "MINUTE", "SECOND"))
    first = min(order.index(a.qualifier[0]), order.index(b.qualifier[0]))
    last = max(order.index(a.qualifier[-1]), order.index(b.qualifier[-1]))
    return (order[first],) if first == last else (order[first], order[last])


def _shifted(moment: Any, span: Any, sign: int) -> Any:
    """Return a date or time moved by an interval.

    A TIME goes round midnight, month ends stay in the month.
    """
    if not isinstance(span, Interval):
        raise type_error("arithmetic", moment, span)
    try:
        if isinstance(moment, date):
            if span.is_months:
                return _month_later(moment, sign * span.months)
            if isinstance(moment, datetime):
                return moment + sign * span.micros * _MICRO
            return moment + timedelta(days=sign * span.micros // _DAY)
        if isinstance(moment, time) and not span.is_months:
            micros = (_micros_of(moment) + sign * span.micros) % _DAY
            return (datetime(1970, 1, 1) + micros * _MICRO).time().replace(tzinfo=moment.tzinfo)
    except (ValueError, OverflowError) as problem:
        raise datetime_error(f"{moment} moved by {span} is no date") from problem
    raise type_error("arithmetic", moment, span)


def _month_later(moment: date, months: int) -> date:
    years, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    return moment.replace(year=years, month=month + 1, day=min(moment.day, monthrange(years, month + 1)[1]))


def _micros_of(moment: time) -> int:
    seconds = (moment.hour * 60 + moment.minute) * 60 + moment.second
    return seconds * 1_000_000 + moment.microsecond


def _micros_between(a: Any, b: Any) -> int:
    if isinstance(a, time) and isinstance(b, time):
        return _micros_of(a) - _micros_of(b)
    if isinstance(a, date) and isinstance(b, date):
        first, second = _as_moment(a), _as_moment(b)
        if (first.tzinfo is None) == (second.tzinfo is None):
            return (first - second) // _MICRO
    raise type_error("-", a, b)


def _months_between(a: Any, b: Any) -> int:
    if not isinstance(a, date) or not isinstance(b, date):
        raise type_error("-", a, b)
    if (_as_moment(a).tzinfo is None) != (_as_moment(b).tzinfo is None):
        raise type_error("-", a, b)
    if _as_moment(a) < _as_moment(b):
        return -_months_between(b, a)
    months = (a.year - b.year) * 12 + a.month - b.month
    return months - (_month_later(_as_moment(b), months) > _as_moment(a))


def _as_moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
