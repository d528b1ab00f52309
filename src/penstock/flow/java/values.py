"""Values of Java while it runs: what is not simply a Python value.

int, long, short and byte are `int`, float and double are `float`, String is `str`, null is None. A char is a
`Char`, which is a text of one character that counts as a number in arithmetic; an array is an `Array`.
Exceptions are Python exceptions in the hierarchy of Java's (`throwables`).
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

BITS = {"byte": 8, "short": 16, "int": 32, "long": 64}
BOXES = {
    "Byte": "byte",
    "Short": "short",
    "Integer": "int",
    "Long": "long",
    "Character": "char",
    "Boolean": "boolean",
    "Double": "double",
    "Float": "float",
}
FLOAT_PLAIN = (1e-3, 1e7)  # between these, Java writes a double without an exponent


class Char(str):
    """A char."""

    __slots__ = ()


class Array(list[Any]):
    """An array; `type` is that of its items."""

    __slots__ = ("type",)

    def __init__(self, type_: str, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self.type = type_

    __hash__ = object.__hash__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self is other


def bytes_array(data: bytes) -> Array:
    """Return a byte[], whose items have a sign."""
    return Array("byte", (each - 256 if each > 127 else each for each in data))


def as_bytes(array: Iterable[int]) -> bytes:
    """Return the bytes of a byte[]."""
    return bytes(each & 0xFF for each in array)


def wrapped(value: int, bits: int) -> int:
    """Return a whole number as it is after an overflow."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def number(value: Any) -> Any:
    """Return what arithmetic works with: a char is its code."""
    return ord(value) if type(value) is Char else value


def converted(value: Any, type_: str) -> Any:
    """Return a value as a variable of a type takes it, or a cast to a primitive makes it."""
    type_ = BOXES.get(type_, type_) if value is not None else type_
    if type_ in BITS:
        value = number(value)
        if isinstance(value, float):
            value = _whole(value, 64 if type_ == "long" else 32)
        return wrapped(int(value), BITS[type_]) if isinstance(value, (int, Decimal)) else value
    if type_ in ("double", "float"):
        value = number(value)
        return float(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else value
    if type_ == "char" and isinstance(value, int):
        return Char(chr(value & 0xFFFF))
    return value


def _whole(value: float, bits: int) -> int:
    """Return a double as a cast to int or long makes it: cut, and at most the largest."""
    if math.isnan(value):
        return 0
    most = (1 << (bits - 1)) - 1
    return most if value > most else -most - 1 if value < -most - 1 else int(value)


def text(value: Any) -> str:
    """Return what String.valueOf makes of a value."""
    if isinstance(value, str):
        return str(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, Array):
        return f"[{value.type[:1].upper()}@{id(value):x}"
    found = getattr(value, "toString", None)
    return str(found() if found is not None else value)


def double_text(value: float) -> str:
    """Return a double as Java writes it.

    >>> [double_text(each) for each in (1.0, 0.0001, 12345678.0)]
    ['1.0', '1.0E-4', '1.2345678E7']
    """
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or FLOAT_PLAIN[0] <= abs(value) < FLOAT_PLAIN[1]:
        found = format(Decimal(repr(value)), "f")
        return found if "." in found else f"{found}.0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    figures = "".join(map(str, digits)).rstrip("0") or "0"
    power = len(digits) - 1 + int(exponent)
    return f"{'-' if sign else ''}{figures[0]}.{figures[1:] or '0'}E{power}"
