"""Casts to INTEGER, FLOAT, DECIMAL and BOOLEAN.

FLOAT and DECIMAL become INTEGER without their fraction. DECIMAL(p, s) rounds half up to its scale and has to
fit its precision. `cast.py` is the entry point; compiled code may call these directly.
"""

from __future__ import annotations

import decimal
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.function_errors import cast_error, overflow
from penstock.esql.runtime.values.interval import Interval, count_of, fields_of
from penstock.esql.runtime.values.number_formats import parse_number
from penstock.esql.runtime.values.numbers import integer
from penstock.esql.runtime.values.types import DECIMAL_CONTEXT, Bits

if TYPE_CHECKING:
    from penstock.tree import Path, Reference

DIGITS_MAX = 1000  # of a number in text
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,5})?", re.ASCII)
_SPECIAL = {
    sign + word: -math.inf if sign == "-" else math.inf
    for word in ("INF", "INFINITY")
    for sign in ("", "+", "-")
} | {"NAN": math.nan}
_BOOLEANS = {"TRUE": True, "FALSE": False, "UNKNOWN": None}
PLAIN_DIGITS_MAX = 18  # this many always fit 64 bits
_LITTLE = 2  # of an MQENC value's integer part


def to_boolean(value: Any) -> bool | None:
    """Return a value as BOOLEAN; text is TRUE, FALSE or UNKNOWN in any case, numbers cannot be cast."""
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        word = value.strip().upper()
        if word in _BOOLEANS:
            return _BOOLEANS[word]
    raise cast_error(value, "BOOLEAN")


def to_integer(value: Any, format: str | None = None, encoding: int | None = None) -> int | None:
    """Return a value as INTEGER; fractions of FLOAT and DECIMAL are cut off, text must be a whole number."""
    kind = type(value)
    if value is None or kind is int:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return _integer_of_text(value, format)
    if kind is float or kind is Decimal:
        if not math.isfinite(value):
            raise cast_error(value, "INTEGER")
        return integer(int(value))
    if kind is bytes or kind is Bits:
        return _integer_of_bytes(value, encoding)
    if kind is Interval and len(fields_of(value.qualifier)) == 1:
        return integer(int(count_of(value)))
    raise cast_error(value, "INTEGER")


def to_float(value: Any, format: str | None = None) -> float | None:
    """Return a value as FLOAT."""
    kind = type(value)
    if value is None or kind is float:
        return value  # type: ignore[no-any-return]
    if kind is int or kind is Decimal:
        return _float(value)
    if kind is str:
        if format is not None:
            return _float(parse_number(value, format))
        quick = _quick_float(value)
        if quick is not None:
            return quick
        text = value.strip()
        if len(text) > DIGITS_MAX or not _NUMBER.fullmatch(text):
            if text.upper() in _SPECIAL:
                return _SPECIAL[text.upper()]
            raise cast_error(value, "FLOAT")
        result = float(text)
        if math.isinf(result):
            raise overflow("the number is outside FLOAT")
        return result
    raise cast_error(value, "FLOAT")


def field_as_float(base: Reference, path: Path) -> float | None:
    """Return CAST(field AS FLOAT): usually directly from the undecoded text."""
    if base is None:  # compiled code would crash
        raise TypeError("field_as_float takes a reference, not None")
    return to_float(base.read_float(path))


def _quick_float(value: str) -> float | None:
    """Return Python's reading of a text where ESQL's is the same; None if the text needs a closer look."""
    try:
        number = float(value)
    except ValueError:
        return None
    return number if number - number == 0.0 and "_" not in value and value.isascii() else None


def to_decimal(
    value: Any, precision: int | None = None, scale: int | None = None, format: str | None = None
) -> Decimal | None:
    """Return a value as DECIMAL [(precision, scale)].

    FLOAT is rounded to its 15 reliable digits.
    """
    if value is None:
        return None
    exact = _decimal(value, format)
    if precision is None or not exact.is_finite():
        return exact
    return _sized(exact, precision, scale or 0)


def _decimal(value: Any, format: str | None) -> Decimal:
    kind = type(value)
    if kind is Decimal:
        return value  # type: ignore[no-any-return]
    if kind is int:
        return Decimal(value)
    if kind is float:
        return Decimal(f"{value:.15g}")
    if kind is Interval and len(fields_of(value.qualifier)) == 1:
        return count_of(value)
    if kind is not str:
        raise cast_error(value, "DECIMAL")
    if format is not None:
        return DECIMAL_CONTEXT.plus(parse_number(value, format))
    text = value.strip()
    if text.upper() in _SPECIAL:
        return Decimal(text)
    _check_number(text, value, "DECIMAL")
    try:
        return DECIMAL_CONTEXT.create_decimal(text)
    except decimal.Overflow as problem:
        raise overflow(f"{text[:60]} is outside DECIMAL") from problem


def _sized(exact: Decimal, precision: int, scale: int) -> Decimal:
    wide = decimal.Context(prec=max(precision, 1) + 6200)
    rounded = exact.quantize(Decimal((0, (1,), -scale)), decimal.ROUND_HALF_UP, wide)
    if rounded and rounded.adjusted() + 1 > precision - scale:
        raise overflow(f"{exact} does not fit DECIMAL({precision}, {scale})")
    return rounded


def _check_number(text: str, value: str, wanted: str) -> None:
    if len(text) > DIGITS_MAX or not _NUMBER.fullmatch(text):
        raise cast_error(value, wanted)


def _integer_of_text(value: str, format: str | None) -> int:
    if format is not None:
        return integer(int(parse_number(value, format)))
    if len(value) <= PLAIN_DIGITS_MAX and value.isascii() and value.isdigit():
        return int(value)  # nearly always
    text = value.strip()
    _check_number(text, value, "INTEGER")
    exact = Decimal(text)
    if exact.adjusted() > 30:
        raise overflow(f"{text[:60]} is outside INTEGER")
    if exact != exact.to_integral_value():
        raise cast_error(value, "INTEGER", "it has a fraction; CAST it AS DECIMAL first")
    return integer(int(exact))


def _integer_of_bytes(value: bytes | Bits, encoding: int | None) -> int:
    if isinstance(value, Bits):
        if len(value) > 64:
            raise cast_error(value, "INTEGER", "more than 64 bits")
        number = int(value.text or "0", 2)
        return number - 2**64 if len(value) == 64 and value.text[0] == "1" else number
    if len(value) > 8:
        raise cast_error(value, "INTEGER", "more than 8 bytes")
    return int.from_bytes(value, byte_order(encoding), signed=len(value) == 8)  # type: ignore[arg-type]


def byte_order(encoding: int | None) -> str:
    """Return the byte order of integers that an MQENC value specifies; big-endian by default."""
    return "little" if encoding is not None and encoding & 0xF == _LITTLE else "big"


def _float(value: float | Decimal) -> float:
    result = float(value)
    if math.isinf(result) and not (isinstance(value, Decimal) and value.is_infinite()):
        raise overflow("the number is outside FLOAT")
    return result
