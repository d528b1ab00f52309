"""Values of expressions: sequences of items, which are places in trees or plain values.

Text of a message is untyped: arithmetic takes it as a number, comparison takes the type of the other side.
"""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from penstock.flow.mapping.graphical.durations import (
    Months,
    days_and_times,
    duration_text,
    years_and_months,
)
from penstock.flow.mapping.graphical.places import is_place, value_of
from penstock.model import constants as mq
from penstock.model.errors import error

Sequence = list[Any]


def atoms(items: Sequence) -> Sequence:
    """Return the values of a sequence; places without a value are left out."""
    found = [value_of(item) if is_place(item) else item for item in items]
    return [each for each in found if each is not None]


def first(items: Sequence) -> Any:
    """Return the first value; None for none."""
    return next(iter(atoms(items)), None)


def truth(items: Sequence) -> bool:
    """Return the Boolean of a sequence: a place is true, one value by what it is."""
    if not items:
        return False
    if is_place(items[0]):
        return True
    value = items[0]
    if isinstance(value, (int, float, Decimal)):
        return bool(value) and not (isinstance(value, float) and math.isnan(value))
    return bool(value)


def text_of(value: Any) -> str:
    """Return a value as text, as XML Schema writes it.

    >>> text_of(2.0), text_of(Decimal("1.50")), text_of(True), text_of(0.1)
    ('2', '1.50', 'true', '0.1')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (timedelta, Months)):
        return duration_text(value)
    return str(value)


def number_of(value: Any) -> int | float | Decimal:
    """Return a value as a number; other text is NaN."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float, Decimal)):
        return value
    try:
        return float(text_of(value).strip())
    except ValueError:
        return math.nan


def together(one: Any, other: Any) -> tuple[Any, Any]:
    """Return two numbers that can be calculated with."""
    left, right = number_of(one), number_of(other)
    if isinstance(left, float) or isinstance(right, float):
        return float(left), float(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return Decimal(left), Decimal(right)
    return left, right


def compared(one: Any, other: Any) -> tuple[Any, Any]:
    """Return two values that can be compared: numbers if one of them is a number, else text."""
    if isinstance(one, bool) or isinstance(other, bool):
        return _boolean(one), _boolean(other)
    numbers = (int, float, Decimal)
    if isinstance(one, numbers) or isinstance(other, numbers):
        return together(one, other)
    if type(one) is type(other) and not isinstance(one, str):
        return one, other
    return text_of(one), text_of(other)


def _boolean(value: Any) -> bool:
    return value in ("true", "1") if isinstance(value, str) else bool(value)


def as_type(value: Any, kind: str) -> Any:
    """Return a value in a type of XML Schema; 8336 for one that has no such form."""
    if value is None or kind in ("", "string", "anyType", "anySimpleType", "normalizedString", "token"):
        return None if value is None else value if not kind else text_of(value)
    try:
        return _CASTS[kind](value) if kind in _CASTS else value
    except (ValueError, InvalidOperation, OverflowError, TypeError) as raised:
        raise error(mq.PSRC_FLOW_MAPPING, f"{text_of(value)!r:.100} is no {kind}") from raised


def _integer(value: Any) -> int:
    if isinstance(value, (int, float, Decimal)):
        return int(value)
    found = Decimal(text_of(value).strip())
    if found != found.to_integral_value():
        raise ValueError("not a whole number")
    return int(found)


def _decimal(value: Any) -> Decimal:
    return Decimal(value) if isinstance(value, int) else Decimal(text_of(value).strip())


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    return datetime.fromisoformat(text_of(value).strip())


def _day(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(text_of(value).strip()[:10])


def _clock(value: Any) -> time:
    if isinstance(value, datetime):
        return value.time()
    return value if isinstance(value, time) else time.fromisoformat(text_of(value).strip())


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else bytes.fromhex(text_of(value))


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        if value.strip() not in ("true", "false", "1", "0"):
            raise ValueError("not a Boolean")
        return value.strip() in ("true", "1")
    return bool(value)


_CASTS: dict[str, Any] = {
    **dict.fromkeys(("integer", "int", "long", "short", "byte", "nonNegativeInteger"), _integer),
    **dict.fromkeys(("positiveInteger", "unsignedInt", "unsignedLong", "unsignedShort"), _integer),
    "decimal": _decimal,
    **dict.fromkeys(("double", "float"), lambda value: float(number_of(value))),
    "boolean": _truth,
    "dateTime": _moment,
    "date": _day,
    "time": _clock,
    "dayTimeDuration": days_and_times,
    "yearMonthDuration": years_and_months,
    **dict.fromkeys(("hexBinary", "binary"), _bytes),
}
