"""Arithmetic on anything but two INTEGERs: mixed numbers, dates and intervals.

FLOAT and any number give a FLOAT, DECIMAL and INTEGER a DECIMAL of 34 digits; a literal such as 1.6 is a
FLOAT, but with a DECIMAL it counts exactly as written. Dates and intervals are in `runtime.dates`. Text is
not a number: XML has to be CAST first.
"""

from __future__ import annotations

import operator
from datetime import date, time
from decimal import Decimal, DecimalException, DivisionByZero, InvalidOperation
from typing import TYPE_CHECKING, Any, Self

from penstock.esql.runtime.dates import functions as dates
from penstock.esql.runtime.errors import DIVISION_BY_ZERO, OUT_OF_RANGE, WRONG_TYPES, esql_error
from penstock.esql.runtime.values.interval import Interval
from penstock.esql.runtime.values.types import DECIMAL_CONTEXT, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOATS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_DECIMALS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": DECIMAL_CONTEXT.add,
    "-": DECIMAL_CONTEXT.subtract,
    "*": DECIMAL_CONTEXT.multiply,
    "/": DECIMAL_CONTEXT.divide,
}
_NUMBERS = (int, float, Decimal)


class PointLiteral(float):
    """A literal with a decimal point, with an operand whose type is only known at run time."""

    __slots__ = ("written",)
    written: Decimal

    def __new__(cls, text: str) -> Self:
        """Keep the literal's text beside the FLOAT."""
        made = super().__new__(cls, text)
        made.written = Decimal(text)
        return made

    def __repr__(self) -> str:
        return f"PointLiteral({str(self.written)!r})"

    def beside(self, other: Any) -> float | Decimal:
        """Return the number for an operation with another."""
        return self.written if type(other) is Decimal else float(self)


def arithmetic(sign: str, a: Any, b: Any) -> Any:
    """Return the result of an operator for two values that are not NULL and not both INTEGER."""
    if type(a) is PointLiteral:
        a = a.beside(b)
    elif type(b) is PointLiteral:
        b = b.beside(a)
    left, right = type(a), type(b)
    if left in _NUMBERS and right in _NUMBERS:
        if left is float or right is float:
            return _float(sign, a, b)
        return _decimal(sign, Decimal(a), Decimal(b))
    if isinstance(a, Interval) or isinstance(b, Interval):
        return _interval(sign, a, b)
    if sign == "-" and isinstance(a, (date, time)) and isinstance(b, (date, time)):
        text = "a difference of dates or times needs a qualifier: (a - b) DAY"
        raise esql_error(WRONG_TYPES, text, a, b)
    raise _refused(sign, a, b)


def _float(sign: str, a: Any, b: Any) -> float:
    try:
        return _FLOATS[sign](float(a), float(b))
    except ZeroDivisionError:
        raise esql_error(DIVISION_BY_ZERO, "division by zero", a, b) from None
    except OverflowError:
        raise esql_error(OUT_OF_RANGE, "the result is too large for FLOAT", a, b) from None


def _decimal(sign: str, a: Decimal, b: Decimal) -> Decimal:
    try:
        return _DECIMALS[sign](a, b)
    except DivisionByZero:
        raise esql_error(DIVISION_BY_ZERO, "division by zero", a, b) from None
    except InvalidOperation:
        state = DIVISION_BY_ZERO if sign == "/" and b == 0 else OUT_OF_RANGE
        raise esql_error(state, f"{a} {sign} {b} has no value", a, b) from None
    except DecimalException:
        raise esql_error(OUT_OF_RANGE, "the result is too large for DECIMAL", a, b) from None


def _interval(sign: str, a: Any, b: Any) -> Any:
    if sign == "+":
        return dates.add_dates(a, b)
    if sign == "-":
        return dates.minus_dates(a, b)
    if sign == "*" and type(b) in _NUMBERS:
        return dates.scale_interval(a, b)
    if sign == "*" and type(a) in _NUMBERS:
        return dates.scale_interval(b, a)
    if sign == "/" and type(b) in _NUMBERS:
        return dates.divide_interval(a, b)
    raise _refused(sign, a, b)


def _refused(sign: str, a: Any, b: Any) -> Exception:
    text = f"{type_name(a)} {sign} {type_name(b)} does not work; CAST to a number first"
    return esql_error(WRONG_TYPES, text, a, b)
