"""The implicit casts of comparisons: two values of different types become values of one.

CHARACTER becomes the other type, INTEGER and DECIMAL become FLOAT with a FLOAT, INTEGER becomes DECIMAL with
a DECIMAL, GMT times become local ones, a DATE with a TIMESTAMP is its midnight. Other pairs cannot be
compared.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts import cast as casts
from penstock.esql.runtime.casts.numbers import PLAIN_DIGITS_MAX
from penstock.esql.runtime.errors import WRONG_TYPES, esql_error
from penstock.esql.runtime.values.interval import Interval
from penstock.esql.runtime.values.types import Bits, type_name

if TYPE_CHECKING:
    from collections.abc import Callable


def aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Return both values in the type of the comparison."""
    if type(a) is str:
        return _as_type_of(b, a), b
    if type(b) is str:
        return a, _as_type_of(a, b)
    kinds = {type(a), type(b)}
    if kinds <= _NUMBERS:
        if float in kinds:
            return float(a), float(b)
        return Decimal(a), Decimal(b)
    if isinstance(a, date) and isinstance(b, date):
        return casts.to_timestamp(_midnight(a)), casts.to_timestamp(_midnight(b))
    if isinstance(a, time) and isinstance(b, time):
        return casts.to_time(a), casts.to_time(b)
    if kinds == {bytes, Bits}:
        return casts.to_bit(a), casts.to_bit(b)
    raise esql_error(WRONG_TYPES, f"{type_name(a)} cannot be compared with {type_name(b)}", a, b)


_NUMBERS = {int, float, Decimal}


def _midnight(value: date) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime(value.year, value.month, value.day)


def _as_type_of(other: Any, text: str) -> Any:
    """Return a text in the type of the value it is compared with."""
    kind = type(other)
    if kind is int:  # a text with a fraction is not cut off: 1.5 is not 1
        if len(text) <= PLAIN_DIGITS_MAX and text.isascii() and text.isdigit():
            return int(text)  # nearly always
        return casts.to_decimal(text)
    cast = _CASTS.get(kind)
    if cast is not None:
        return cast(text)
    if isinstance(other, datetime):
        return casts.to_gmttimestamp(text) if other.tzinfo else casts.to_timestamp(text)
    if isinstance(other, time):
        return casts.to_gmttime(text) if other.tzinfo else casts.to_time(text)
    if isinstance(other, Interval):
        return casts.to_interval(text, other.qualifier)
    raise esql_error(WRONG_TYPES, f"CHARACTER cannot be compared with {type_name(other)}", text, other)


_CASTS: dict[type, Callable[[Any], Any]] = {
    float: casts.to_float,
    Decimal: casts.to_decimal,
    bool: casts.to_boolean,
    bytes: casts.to_blob,
    Bits: casts.to_bit,
    date: casts.to_date,
}
