"""Literals: from source text to a value, and from a value to a Python expression.

The checker uses `literal` to validate a literal, the compiler to get its value; `literal_source` is its form
in generated code.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.dates import to_date, to_gmttime, to_gmttimestamp, to_time, to_timestamp
from penstock.esql.runtime.casts.numbers import to_decimal
from penstock.esql.runtime.casts.strings import to_bit, to_blob
from penstock.esql.runtime.function_errors import argument_error, cast_error
from penstock.esql.runtime.values.interval import Interval, parse_interval
from penstock.esql.runtime.values.types import INTEGER_MAX, INTEGER_MIN, Bits

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS = {"TRUE": True, "FALSE": False, "UNKNOWN": None}
_DATES = {
    "DATE": to_date,
    "TIME": to_time,
    "TIMESTAMP": to_timestamp,
    "GMTTIME": to_gmttime,
    "GMTTIMESTAMP": to_gmttimestamp,
}
_NUMBERS: dict[str, Callable[[str], Any]] = {
    "INTEGER": int,
    "HEX": lambda text: int(text, 16),
    "FLOAT": float,
}


def literal(kind: str, text: str, qualifier: tuple[str, ...] = ()) -> Any:
    """Return the value of a literal; `kind`, `text` and `qualifier` are those of the syntax tree.

    >>> literal("FLOAT", "1.5e2"), literal("INTEGER", "99999999999999999999")
    (150.0, Decimal('99999999999999999999'))
    """
    if kind == "CHARACTER":
        return text
    if kind in _NUMBERS:
        return _number(kind, text)
    if kind == "BOOLEAN":
        return _WORDS[text.upper()]
    if kind == "NULL":
        return None
    if kind == "BLOB":
        return to_blob(f"X'{text}'")
    if kind == "BIT":
        return to_bit(f"B'{text}'")
    if kind == "DECIMAL":
        return to_decimal(text)
    if kind == "INTERVAL":
        return parse_interval(text, qualifier)
    if kind in _DATES:
        return _DATES[kind](text)
    raise argument_error(f"{kind} has no literals")


def _number(kind: str, text: str) -> int | float | Decimal | None:
    """Return the number in a text; Python would also accept 1_000, and refuses numbers of too many digits."""
    try:
        value = _NUMBERS[kind]("" if "_" in text else text)
    except ValueError:
        raise cast_error(text, "INTEGER" if kind == "HEX" else kind) from None
    if kind == "FLOAT":
        return to_decimal(text) if math.isinf(value) else value
    return value if INTEGER_MIN <= value <= INTEGER_MAX else Decimal(value)


def literal_source(value: Any) -> str:
    """Return a Python expression for a value; it needs the names datetime, Decimal, Bits and Interval.

    >>> literal_source(literal("DATE", "2024-01-31")), literal_source(Bits("01"))
    ('datetime.date(2024, 1, 31)', "Bits('01')")
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, Bits):
        return f"Bits({value.text!r})"
    if isinstance(value, Interval):
        return f"Interval({value.months}, {value.micros}, {value.qualifier!r})"
    return repr(value)
