"""The runtime of DFDL expressions: single values, comparisons, arithmetic, functions.

A value is a string, a number, a boolean, a date or bytes; a list has the fields that a path found. Texts and
numbers are never compared with each other: use `xs:int(...)` and `xs:string(...)`.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

Function = Callable[..., Any]
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
MAGNITUDE_MAX = 1_000  # of a number's decimal exponent: 1e9999999 is short, but its digits are not
_BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class Failure(Exception):
    """An expression has no value here; the text says why."""


def one(found: Any) -> Any:
    """Return the single value of a result."""
    if not isinstance(found, list):
        return found
    if len(found) != 1:
        raise Failure("a path finds nothing" if not found else f"a path finds {len(found)} fields, not one")
    value = found[0].value
    if value is None:
        raise Failure(f"{found[0].name} has no value")
    return value


def truth(found: Any) -> bool:
    """Return the Boolean of a value: a boolean, or whether a path finds something."""
    if isinstance(found, list):
        return bool(found) if len(found) != 1 or not isinstance(found[0].value, bool) else found[0].value
    if isinstance(found, bool):
        return found
    raise Failure(f"{found!r} is neither true nor false")


def compared(how: str, left: Any, right: Any) -> bool:
    """Return the comparison of two values of one kind."""
    try:
        if _is_number(left) and _is_number(right):
            return _COMPARISONS[how](*_alike(left, right))
        if type(left) is type(right):
            return _COMPARISONS[how](left, right)
    except (ArithmeticError, TypeError) as problem:  # NaN; a time with a zone and one without
        raise Failure(f"{left} and {right} cannot be compared") from problem
    raise Failure(f"{left!r} and {right!r} cannot be compared")


def arithmetic(sign: str, left: Any, right: Any) -> Any:
    """Return a sum, difference, product, quotient or remainder."""
    if not (_is_number(left) and _is_number(right)):
        raise Failure(f"{left!r} {sign} {right!r} is not a calculation with numbers")
    left, right = _alike(left, right)
    try:
        return calculated(sign, left, right)
    except (ArithmeticError, ValueError) as problem:
        raise Failure(f"{left} {sign} {right} has no result") from problem


def calculated(sign: str, left: Any, right: Any) -> Any:
    """Return what a sign of XPath 2.0 makes of two numbers of one type."""
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    if sign == "*":
        return left * right
    if sign == "div":
        return Decimal(left) / Decimal(right) if isinstance(left, int) else left / right
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return int(quotient) if sign == "idiv" else left - right * quotient


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _alike(left: Any, right: Any) -> tuple[Any, Any]:
    if isinstance(left, float) or isinstance(right, float):
        return float(left), float(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return Decimal(left), Decimal(right)
    return left, right


def _string(value: Any) -> str:
    value = one(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex().upper()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return format(_bounded(value), "f") if isinstance(value, Decimal) else str(value)


def _number(value: Any) -> Any:
    value = one(value)
    try:
        number = value if _is_number(value) else Decimal(value.strip() if isinstance(value, str) else value)
    except (InvalidOperation, TypeError, ValueError) as problem:
        raise Failure(f"{value!r} is not a number") from problem
    if isinstance(number, int):
        return number
    if not math.isfinite(number):
        raise Failure(f"{number} is not a finite number")
    return _bounded(number) if isinstance(number, Decimal) else number


def _bounded(number: Decimal) -> Decimal:
    """Return a number that can be written in full."""
    if abs(number.adjusted()) > MAGNITUDE_MAX:
        raise Failure(f"a number has an exponent of at most {MAGNITUDE_MAX}, not {number.adjusted()}")
    return number


def _integer(name: str) -> Function:
    bits = _BITS.get(name.removeprefix("unsigned").lower())
    least = 0 if name.startswith(("unsigned", "nonNeg")) else None

    def made(_: Any, value: Any) -> int:
        number = _number(value)
        try:
            whole = int(number)
        except (ValueError, OverflowError) as problem:
            raise Failure(f"{number} is not an integer") from problem
        low = least if least is not None or bits is None else -(1 << (bits - 1))
        high = None if bits is None else (1 << (bits if least == 0 else bits - 1)) - 1
        if (low is not None and whole < low) or (high is not None and whole > high):
            raise Failure(f"{whole} is no xs:{name}")
        return whole

    return made


def _boolean(_: Any, value: Any) -> bool:
    value = one(value)
    if _is_number(value):
        return bool(value)
    found = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip())
    if found is None:
        raise Failure(f"{value!r} is neither true nor false")
    return found


def _moment(kind: Any) -> Function:
    def made(_: Any, value: Any) -> Any:
        value = one(value)
        try:
            return value if type(value) is kind else kind.fromisoformat(str(value))
        except ValueError as problem:
            raise Failure(f"{value!r} is no {kind.__name__}") from problem

    return made


def _substring(_: Any, text: Any, start: Any, length: Any = math.inf) -> str:
    start, length = float(_number(start)), float(_number(length)) if length is not math.inf else math.inf
    return "".join(
        each for at, each in enumerate(_string(text), 1) if at >= round(start) and at < round(start) + length
    )


def _round(_: Any, value: Any) -> Any:
    number = _number(value)
    return number if isinstance(number, int) else type(number)(Decimal(number).quantize(1, ROUND_HALF_UP))


def _text(function: Callable[..., Any]) -> Function:
    return lambda _, *values: function(*(_string(each) for each in values))


def _numeric(function: Callable[[Any], Any]) -> Function:
    return lambda _, value: function(_number(value))


def _count(_: Any, found: Any) -> int:
    return len(found) if isinstance(found, list) else 1


FUNCTIONS: dict[str, tuple[int, int, Function]] = {  # least and most arguments; the place comes first
    "fn:true": (0, 0, lambda _: True),
    "fn:false": (0, 0, lambda _: False),
    "fn:not": (1, 1, lambda _, value: not truth(value)),
    "fn:exists": (1, 1, lambda _, found: _count(_, found) > 0),
    "fn:empty": (1, 1, lambda _, found: _count(_, found) == 0),
    "fn:count": (1, 1, _count),
    "fn:string": (1, 1, _text(str)),
    "fn:concat": (2, 100, _text(lambda *texts: "".join(texts))),
    "fn:string-length": (1, 1, _text(len)),
    "fn:upper-case": (1, 1, _text(str.upper)),
    "fn:lower-case": (1, 1, _text(str.lower)),
    "fn:contains": (2, 2, _text(str.__contains__)),
    "fn:starts-with": (2, 2, _text(str.startswith)),
    "fn:ends-with": (2, 2, _text(str.endswith)),
    "fn:substring-before": (2, 2, _text(lambda text, part: text.partition(part)[0] if part in text else "")),
    "fn:substring-after": (2, 2, _text(lambda text, part: text.partition(part)[2])),
    "fn:substring": (2, 3, _substring),
    "fn:abs": (1, 1, _numeric(abs)),
    "fn:floor": (1, 1, _numeric(math.floor)),
    "fn:ceiling": (1, 1, _numeric(math.ceil)),
    "fn:round": (1, 1, _round),
    "fn:local-name": (0, 1, lambda place, found=None: found[0].name if found else place.name),
    "dfdl:occursIndex": (0, 0, lambda place: place.index()),
    "xs:string": (1, 1, _text(str)),
    "xs:decimal": (1, 1, _numeric(Decimal)),
    "xs:double": (1, 1, _numeric(float)),
    "xs:float": (1, 1, _numeric(float)),
    "xs:boolean": (1, 1, _boolean),
    "xs:date": (1, 1, _moment(dt.date)),
    "xs:time": (1, 1, _moment(dt.time)),
    "xs:dateTime": (1, 1, _moment(dt.datetime)),
    **{
        f"xs:{name}": (1, 1, _integer(name))
        for name in (
            *("integer", "long", "int", "short", "byte", "nonNegativeInteger"),
            *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
        )
    },
}
FUNCTIONS |= {name.replace("xs:", "xsd:"): known for name, known in FUNCTIONS.items()}
