"""CAST: one function for each target type, and `cast` for any of them by name, with FORMAT and CCSID.

Casts of several values (CAST(2024, 1, 31 AS DATE)) are here; the rest is in `numbers`, `strings` and `dates`.
NULL stays NULL. An invalid cast raises S22018, or S22007 for dates; the caller handles DEFAULT.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.dates import (
    to_date,
    to_gmttime,
    to_gmttimestamp,
    to_interval,
    to_time,
    to_timestamp,
)
from penstock.esql.runtime.casts.numbers import to_boolean, to_decimal, to_float, to_integer
from penstock.esql.runtime.casts.strings import to_bit, to_blob, to_character
from penstock.esql.runtime.function_errors import argument_error, datetime_error, type_error
from penstock.esql.runtime.values.types import type_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.runtime.services import Outside

__all__ = [
    "assign",
    "cast",
    "to_bit",
    "to_blob",
    "to_boolean",
    "to_character",
    "to_date",
    "to_decimal",
    "to_float",
    "to_gmttime",
    "to_gmttimestamp",
    "to_integer",
    "to_interval",
    "to_time",
    "to_timestamp",
]

_DATES: dict[str, Callable[..., Any]] = {
    "DATE": to_date,
    "TIME": to_time,
    "GMTTIME": to_gmttime,
    "TIMESTAMP": to_timestamp,
    "GMTTIMESTAMP": to_gmttimestamp,
}
_STRINGS: dict[str, Callable[..., Any]] = {"CHARACTER": to_character, "BLOB": to_blob}


def cast(
    values: tuple[Any, ...],
    target: str,
    *,
    size: tuple[int, ...] = (),
    qualifier: tuple[str, ...] = (),
    ccsid: int | None = None,
    encoding: int | None = None,
    format: str | None = None,
    ctx: Outside | None = None,
) -> Any:
    """Return CAST(values AS target ...); `target` is the long name of the type.

    >>> cast(("1,234.5",), "DECIMAL", format="#,##0.0")
    Decimal('1234.5')
    >>> cast((2024, 1, 31), "DATE")
    datetime.date(2024, 1, 31)
    """
    if None in values:
        return None
    _check_options(ccsid, encoding, format)
    if len(values) > 1:
        return _joined(values, target)
    value = values[0]
    if format is not None and type(value) is bytes and target not in ("CHARACTER", "BLOB", "BIT"):
        value = to_character(value, ccsid or 1208, encoding)
    if target in _STRINGS:
        return _STRINGS[target](value, ccsid, encoding, format, ctx)
    if target in _DATES:
        return _DATES[target](value, format, ctx)
    if target == "INTEGER":
        return to_integer(value, format, encoding)
    if target == "FLOAT":
        return to_float(value, format)
    if target == "DECIMAL":
        precision, scale = (*size, None, None)[:2]
        return to_decimal(value, precision, scale, format)
    if target == "BOOLEAN":
        return to_boolean(value)
    if target == "BIT":
        return to_bit(value, ccsid, encoding)
    if target == "INTERVAL":
        return to_interval(value, qualifier)
    raise argument_error(f"nothing can be cast to {target}")


def _check_options(ccsid: Any, encoding: Any, format: Any) -> None:
    """Refuse invalid FORMAT, CCSID and ENCODING values that a program computed."""
    if format is not None and type(format) is not str:
        raise type_error("FORMAT", format)
    for word, number in (("CCSID", ccsid), ("ENCODING", encoding)):
        if number is not None and type(number) is not int:
            raise type_error(word, number)


def assign(target: str, value: Any, ctx: Outside | None = None) -> Any:
    """Return a value converted for a scalar variable of a type, as CAST does.

    An INTERVAL keeps its own qualifier.
    """
    if value is None or type_name(value) == target:
        return value
    if target == "INTERVAL":
        raise type_error("assignment to INTERVAL", value)
    return cast((value,), target, ctx=ctx)


def _joined(values: tuple[Any, ...], target: str) -> Any:
    """Return the value made from several: a date of three numbers, a timestamp of a date and a time."""
    utc = UTC if target.startswith("GMT") else None
    try:
        if target == "DATE" and len(values) == 3:
            return date(*(_whole(value) for value in values))
        if target.endswith("TIMESTAMP"):
            if len(values) == 2 and type(values[0]) is date and isinstance(values[1], time):
                return datetime.combine(values[0], values[1].replace(tzinfo=utc))
            if len(values) == 6:
                day = date(*(_whole(value) for value in values[:3]))
                moment = time(_whole(values[3]), _whole(values[4]), *_seconds(values[5]), tzinfo=utc)
                return datetime.combine(day, moment)
        elif target.endswith("TIME") and len(values) == 3:
            return time(_whole(values[0]), _whole(values[1]), *_seconds(values[2]), tzinfo=utc)
    except (ValueError, OverflowError) as problem:
        shown = ", ".join(str(value) for value in values)
        raise datetime_error(f"({shown}) is no {target}: {problem}") from problem
    raise type_error(f"CAST to {target} of {len(values)} values", *values)


def _whole(value: Any) -> int:
    if type(value) is int:
        return value
    raise type_error("CAST to a date of several values", value)


def _seconds(value: Any) -> tuple[int, int]:
    """Return seconds and microseconds; seconds may be FLOAT or DECIMAL."""
    exact = to_decimal(value)
    if exact is None or not exact.is_finite():
        raise ValueError(f"{value} seconds")
    return divmod(round(exact * 1_000_000), 1_000_000)
