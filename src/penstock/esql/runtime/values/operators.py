"""Arithmetic, comparisons and logic of ESQL, with NULL and the implicit casts.

None is NULL and UNKNOWN, and propagates. Comparisons return True, False or None, so that `if equal(a, b):`
runs only for TRUE. Every function handles the common pairs of types first; all others use the tables of
implicit casts. Compiled ESQL calls these for every operator.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import DIVISION_BY_ZERO, OUT_OF_RANGE, WRONG_TYPES, esql_error
from penstock.esql.runtime.values.arithmetic import arithmetic
from penstock.esql.runtime.values.comparing import aligned
from penstock.esql.runtime.values.interval import Interval
from penstock.esql.runtime.values.types import INTEGER_MAX, INTEGER_MIN, Bits, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

Value = Any
Truth = bool | None


def add(a: Value, b: Value) -> Value:
    """Return `a + b`."""
    if a is None or b is None:
        return None
    if type(a) is int and type(b) is int:
        total = a + b
        if INTEGER_MIN <= total <= INTEGER_MAX:
            return total
        raise _overflow()
    if type(a) is float and type(b) is float:
        return a + b
    return arithmetic("+", a, b)


def subtract(a: Value, b: Value) -> Value:
    """Return `a - b`."""
    if a is None or b is None:
        return None
    if type(a) is int and type(b) is int:
        total = a - b
        if INTEGER_MIN <= total <= INTEGER_MAX:
            return total
        raise _overflow()
    if type(a) is float and type(b) is float:
        return a - b
    return arithmetic("-", a, b)


def multiply(a: Value, b: Value) -> Value:
    """Return `a * b`."""
    if a is None or b is None:
        return None
    if type(a) is float and type(b) is float:
        return a * b
    if type(a) is int and type(b) is int:
        total = a * b
        if INTEGER_MIN <= total <= INTEGER_MAX:
            return total
        raise _overflow()
    return arithmetic("*", a, b)


def divide(a: Value, b: Value) -> Value:
    """Return `a / b`; of two INTEGERs without the fraction.

    >>> divide(7, 2), divide(-7, 2), divide(7, 2.0)
    (3, -3, 3.5)
    """
    if a is None or b is None:
        return None
    if type(a) is int and type(b) is int:
        if b == 0:
            raise esql_error(DIVISION_BY_ZERO, "division by zero")
        whole = abs(a) // abs(b)
        whole = whole if (a < 0) == (b < 0) else -whole
        if whole <= INTEGER_MAX:
            return whole
        raise _overflow()
    return arithmetic("/", a, b)


def in_a_row(first: Value, *others: Any) -> Value:
    """Apply operators to operands from left to right; the arguments alternate.

    >>> in_a_row(1, add, 2, multiply, 3)
    9
    """
    for place in range(0, len(others), 2):
        first = others[place](first, others[place + 1])
    return first


def negate(a: Value) -> Value:
    """Return `-a`."""
    if a is None:
        return None
    if type(a) in (int, float):
        return subtract(0, a) if type(a) is int else -a
    if isinstance(a, Decimal):
        return -a
    return arithmetic("*", a, -1)


def _overflow() -> Exception:
    return esql_error(OUT_OF_RANGE, "an INTEGER has 64 bits; the result does not fit")


def equal(a: Value, b: Value) -> Truth:
    """Return `a = b`; trailing blanks of a text are ignored."""
    if a is None or b is None:
        return None
    if type(a) is not type(b) or (type(a) is not str and type(a) is not int and _zoned_apart(a, b)):
        a, b = aligned(a, b)
    if type(a) is str:
        return bool(a == b or ((a[-1:] == " " or b[-1:] == " ") and a.rstrip(" ") == b.rstrip(" ")))
    return bool(a == b)


def unequal(a: Value, b: Value) -> Truth:
    """Return `a <> b`."""
    same = equal(a, b)
    return None if same is None else not same


def less(a: Value, b: Value) -> Truth:
    """Return `a < b`."""
    if a is None or b is None:
        return None
    if (type(a) is int and type(b) is int) or (type(a) is float and type(b) is float):
        return bool(a < b)
    a, b = _comparable(a, b)
    return bool(a < b)


def less_equal(a: Value, b: Value) -> Truth:
    """Return `a <= b`."""
    if a is None or b is None:
        return None
    if (type(a) is int and type(b) is int) or (type(a) is float and type(b) is float):
        return bool(a <= b)
    a, b = _comparable(a, b)
    return bool(a <= b)


def greater(a: Value, b: Value) -> Truth:
    """Return `a > b`."""
    return less(b, a)


def greater_equal(a: Value, b: Value) -> Truth:
    """Return `a >= b`."""
    return less_equal(b, a)


_ORDERED = {str, int, float, Decimal, bytes, date, time, datetime, Bits, Interval}


def _comparable(a: Value, b: Value) -> tuple[Value, Value]:
    """Return two values of one type that has an order."""
    if type(a) is not type(b) or _zoned_apart(a, b):
        a, b = aligned(a, b)
    if type(a) is str:
        return a.rstrip(" "), b.rstrip(" ")
    if type(a) not in _ORDERED:
        raise esql_error(WRONG_TYPES, f"{type_name(a)} has no order; compare it with = or <>")
    if type(a) is Decimal and (a != a or b != b):
        return float(a), float(b)  # NAN has no order either way, but Decimal would raise
    return a, b


def _zoned_apart(a: Value, b: Value) -> bool:
    """Return whether one of two times of the same Python type is in GMT and the other local."""
    return isinstance(a, (datetime, time)) and (a.tzinfo is None) != (b.tzinfo is None)


def between(a: Value, low: Value, high: Value) -> Truth:
    """Return `a BETWEEN low AND high`."""
    return both(greater_equal(a, low), lambda: less_equal(a, high))


def between_symmetric(a: Value, low: Value, high: Value) -> Truth:
    """Return `a BETWEEN SYMMETRIC low AND high`: the limits may be in either order."""
    return either(between(a, low, high), lambda: between(a, high, low))


def is_in(a: Value, choices: tuple[Value, ...]) -> Truth:
    """Return `a IN (choices)`."""
    result: Truth = False
    for choice in choices:
        same = equal(a, choice)
        if same:
            return True
        if same is None:
            result = None
    return result


def negated(truth: Truth) -> Truth:
    """Return `NOT truth`."""
    return None if truth is None else not truth


def both(a: Truth, b: Callable[[], Truth]) -> Truth:
    """Return `a AND b`; b is only evaluated if a is not FALSE."""
    if a is False:
        return False
    other = b()
    if other is False:
        return False
    return None if a is None or other is None else True


def either(a: Truth, b: Callable[[], Truth]) -> Truth:
    """Return `a OR b`; b is only evaluated if a is not TRUE."""
    if a is True:
        return True
    other = b()
    if other is True:
        return True
    return None if a is None or other is None else False


def truth_of(value: Value) -> Truth:
    """Return the value of a condition; text must be TRUE, FALSE or UNKNOWN."""
    if value is None or value is True or value is False:
        return value
    if type(value) is str:
        from penstock.esql.runtime.casts.cast import to_boolean

        return to_boolean(value)
    raise esql_error(WRONG_TYPES, f"a condition is BOOLEAN, not {type_name(value)}")


def is_infinite(value: Value, sign: int = 0) -> bool:
    """Return `value IS INF`, with a sign `IS +INF` or `IS -INF`."""
    if type(value) not in (float, Decimal) or abs(value) != float("inf"):
        return False
    return sign == 0 or (value > 0) == (sign > 0)


def is_nan(value: Value) -> bool:
    """Return `value IS NAN`."""
    return type(value) in (float, Decimal) and value != value


def is_number(value: Value) -> bool:
    """Return `value IS NUM`: a number that is neither infinite nor NAN."""
    if type(value) is int:
        return True
    return type(value) in (float, Decimal) and not is_nan(value) and not is_infinite(value)


def coalesce(first: Value, *others: Callable[[], Value]) -> Value:
    """Return the first value that is not NULL; those after it are not evaluated."""
    if first is not None:
        return first
    for other in others:
        value = other()
        if value is not None:
            return value
    return None


def known_or(value: Value, other: Value) -> Value:
    """Return COALESCE of two values, the second of which is cheap to evaluate."""
    return other if value is None else value


def nullif(a: Value, b: Value) -> Value:
    """Return NULL if the two are equal, else the first."""
    return None if equal(a, b) else a
