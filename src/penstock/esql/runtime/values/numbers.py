"""Numeric functions: ABS, ROUND, MOD, POWER, SIN, BITAND, RAND ...

An INTEGER stays one (64 bits; more is an error), DECIMAL has 34 digits, and what has no exact answer is
FLOAT. Operators are in `operators.py`, number formats in `number_formats.py`.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.function_errors import argument_error, division_by_zero, overflow, type_error
from penstock.esql.runtime.values.types import DECIMAL_CONTEXT, INTEGER_MAX, INTEGER_MIN, OMITTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.runtime.services import Outside

PLACES_MAX = 6144  # digits that ROUND and TRUNCATE look at, as DECIMAL has exponents
_MODES = {
    "ROUND_UP": decimal.ROUND_UP,
    "ROUND_DOWN": decimal.ROUND_DOWN,
    "ROUND_CEILING": decimal.ROUND_CEILING,
    "ROUND_FLOOR": decimal.ROUND_FLOOR,
    "ROUND_HALF_UP": decimal.ROUND_HALF_UP,
    "ROUND_HALF_EVEN": decimal.ROUND_HALF_EVEN,
    "ROUND_HALF_DOWN": decimal.ROUND_HALF_DOWN,
}


def integer(value: int) -> int:
    """Return an INTEGER that fits 64 bits; raise for one that does not."""
    if INTEGER_MIN <= value <= INTEGER_MAX:
        return value
    raise overflow(f"{value if abs(value) < 10**40 else 'the result'} is outside INTEGER")


def abs_(x: Any) -> Any:
    """ABS(x) and ABSVAL."""
    if x is None:
        return None
    _check("ABS", x)
    return integer(abs(x)) if type(x) is int else abs(x)


def sign(x: Any) -> Any:
    """SIGN(x): -1, 0 or 1, of the type of x."""
    if x is None:
        return None
    _check("SIGN", x)
    if x != x:
        return x
    return type(x)((x > 0) - (x < 0))


def ceiling(x: Any) -> Any:
    """CEIL(x) and CEILING, of the type of x."""
    return _to_whole("CEIL", x, math.ceil)


def floor(x: Any) -> Any:
    """FLOOR(x), of the type of x."""
    return _to_whole("FLOOR", x, math.floor)


def round_(x: Any, places: int | None, mode: str = "ROUND_HALF_UP") -> Any:
    """ROUND(x, places [MODE mode]); negative places round before the point."""
    return _quantized("ROUND", x, places, _MODES[mode])


def truncate(x: Any, places: int | None) -> Any:
    """TRUNCATE(x, places): digits behind them become zero."""
    return _quantized("TRUNCATE", x, places, decimal.ROUND_DOWN)


def mod(dividend: int | None, divisor: int | None) -> int | None:
    """MOD(dividend, divisor); the sign is the dividend's."""
    if dividend is None or divisor is None:
        return None
    if type(dividend) is not int or type(divisor) is not int:
        raise type_error("MOD", dividend, divisor)
    if not divisor:
        raise division_by_zero()
    rest = abs(dividend) % abs(divisor)
    return -rest if dividend < 0 else rest


def power(x: Any, exponent: Any) -> Any:
    """POWER(x, exponent): INTEGER for two INTEGERs that give one, DECIMAL for a DECIMAL, else FLOAT."""
    if x is None or exponent is None:
        return None
    _check("POWER", x, exponent)
    if type(x) is int and type(exponent) is int and exponent >= 0:
        if abs(x) > 1 and exponent > 63:
            raise overflow("POWER: the result is outside INTEGER")
        return integer(x**exponent)
    if Decimal in (type(x), type(exponent)) and float not in (type(x), type(exponent)):
        return _decimal("POWER", lambda: DECIMAL_CONTEXT.power(Decimal(x), Decimal(exponent)))
    return _float("POWER", lambda: math.pow(x, exponent))


def sqrt(x: Any) -> Any:
    """SQRT(x): DECIMAL for a DECIMAL, else FLOAT."""
    return _root_or_exp("SQRT", x, DECIMAL_CONTEXT.sqrt, math.sqrt)


def exp(x: Any) -> Any:
    """EXP(x), e raised to x: DECIMAL for a DECIMAL, else FLOAT."""
    return _root_or_exp("EXP", x, DECIMAL_CONTEXT.exp, math.exp)


def _float_function(name: str, function: Callable[..., float]) -> Callable[..., float | None]:
    """Return an ESQL function of FLOATs: NULL if an argument is, an error where it has no value."""

    def called(*arguments: Any) -> float | None:
        if None in arguments:
            return None
        _check(name, *arguments)
        return _float(name, lambda: function(*map(float, arguments)))

    called.__doc__ = f"{name}, of FLOATs."
    return called


# Angles are in radians; ATAN2(y, x) is the angle whose tangent is y / x, in its quadrant.
acos = _float_function("ACOS", math.acos)
asin = _float_function("ASIN", math.asin)
atan = _float_function("ATAN", math.atan)
atan2 = _float_function("ATAN2", math.atan2)
cos = _float_function("COS", math.cos)
cosh = _float_function("COSH", math.cosh)
cot = _float_function("COT", lambda angle: 1 / math.tan(angle))
degrees = _float_function("DEGREES", math.degrees)
ln = _float_function("LN", math.log)  # also LOG
log10 = _float_function("LOG10", math.log10)
radians = _float_function("RADIANS", math.radians)
sin = _float_function("SIN", math.sin)
sinh = _float_function("SINH", math.sinh)
tan = _float_function("TAN", math.tan)
tanh = _float_function("TANH", math.tanh)


def rand(ctx: Outside, seed: Any = OMITTED) -> float | None:
    """RAND([seed]): a number from 0 to 1; a seed begins a series that repeats."""
    if seed is None:
        return None
    if seed is not OMITTED:
        if type(seed) is not int:
            raise type_error("RAND", seed)
        ctx.random.seed(seed)
    return ctx.random.random()


def bitand(*values: int | None) -> int | None:
    """BITAND(a, b, ...)."""
    return _bits("BITAND", values, int.__and__)


def bitor(*values: int | None) -> int | None:
    """BITOR(a, b, ...)."""
    return _bits("BITOR", values, int.__or__)


def bitxor(*values: int | None) -> int | None:
    """BITXOR(a, b, ...)."""
    return _bits("BITXOR", values, int.__xor__)


def bitnot(value: int | None) -> int | None:
    """BITNOT(a)."""
    return _bits("BITNOT", (value, -1), int.__xor__)


def _bits(name: str, values: tuple[int | None, ...], join: Callable[[int, int], int]) -> int | None:
    result = values[0]
    for value in values:
        if value is None or result is None:
            return None
        if type(value) is not int:
            raise type_error(name, value)
    for value in values[1:]:
        result = join(result, value)  # type: ignore[arg-type]
    return result


def _check(name: str, *values: Any) -> None:
    for value in values:
        if type(value) not in (int, float, Decimal):
            raise type_error(name, value)


def _to_whole(name: str, x: Any, step: Callable[[Any], int]) -> Any:
    if x is None or type(x) is int:
        return x
    _check(name, x)
    if not math.isfinite(x):
        return x
    return float(step(x)) if type(x) is float else Decimal(step(x))


def _quantized(name: str, x: Any, places: int | None, mode: str) -> Any:
    if x is None or places is None:
        return None
    _check(name, x)
    if type(places) is not int:
        raise type_error(name, places)
    if abs(places) > PLACES_MAX:
        raise argument_error(f"{name} to {places} places; at most {PLACES_MAX}")
    if not math.isfinite(x) or (type(x) is int and places >= 0):
        return x
    exact = Decimal(repr(x)) if type(x) is float else Decimal(x)
    if places >= -int(exact.as_tuple().exponent):
        return x
    rounded = exact.quantize(Decimal((0, (1,), -places)), mode, decimal.Context(prec=PLACES_MAX * 2))
    if type(x) is int:
        return integer(int(rounded))
    return float(rounded) if type(x) is float else Decimal(format(rounded, "f"))


def _root_or_exp(name: str, x: Any, exact: Callable[[Decimal], Decimal], near: Callable[[Any], float]) -> Any:
    if x is None:
        return None
    _check(name, x)
    if type(x) is Decimal:
        return _decimal(name, lambda: exact(x))
    return _float(name, lambda: near(x))


def _float(name: str, call: Callable[[], float]) -> float:
    try:
        return call()
    except OverflowError as problem:
        raise overflow(f"{name}: the result is outside FLOAT") from problem
    except ZeroDivisionError as problem:
        raise division_by_zero() from problem
    except ValueError as problem:
        raise argument_error(f"{name} has no answer for this number") from problem


def _decimal(name: str, call: Callable[[], Decimal]) -> Decimal:
    try:
        return call()
    except decimal.Overflow as problem:
        raise overflow(f"{name}: the result is outside DECIMAL") from problem
    except decimal.DivisionByZero as problem:
        raise division_by_zero() from problem
    except decimal.InvalidOperation as problem:
        raise argument_error(f"{name} has no answer for this number") from problem
