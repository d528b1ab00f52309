"""Operators of Java on numbers, and the types of their results."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

from penstock.flow.java.values import BITS, BOXES, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

_WITH_IDENTITY = ("String", "Integer", "Long", "Double", "Float", "Short", "Byte", "Character", "Boolean")


def divided(one: Any, other: Any) -> Any:
    """Divide as Java does: whole numbers towards zero."""
    if isinstance(one, float) or isinstance(other, float):
        if other == 0:
            return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one)
        return one / other
    found = abs(one) // abs(other)
    return found if (one < 0) == (other < 0) else -found


def remainder(one: Any, other: Any) -> Any:
    """Return the remainder of a division, with the sign of the first number."""
    if isinstance(one, float) or isinstance(other, float):
        return math.nan if other == 0 else math.fmod(one, other)
    return one - other * divided(one, other)


def shifted_left(value: int, count: int, bits: int) -> int:
    """Shift left; what leaves the number is lost."""
    return wrapped(value << (count & (bits - 1)), bits)


def shifted_right(value: int, count: int, bits: int) -> int:
    """Shift right with the sign."""
    return value >> (count & (bits - 1))


def shifted_zero(value: int, count: int, bits: int) -> int:
    """Shift right without the sign."""
    return wrapped((value & ((1 << bits) - 1)) >> (count & (bits - 1)), bits)


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": divided,
    "%": remainder,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": shifted_left,
    ">>": shifted_right,
    ">>>": shifted_zero,
}


def binary_type(one: str, other: str) -> str:
    """Return the type of arithmetic with values of two types; empty if a type is not known."""
    types = (BOXES.get(one, one), BOXES.get(other, other))
    for wide in ("double", "float", "long"):
        if wide in types:
            return wide
    return "int" if all(each in BITS or each == "char" for each in types) else ""


def is_identity(one: str, other: str) -> bool:
    """Return whether `==` between two types asks for the same object, which is not told here."""
    return one in _WITH_IDENTITY and other in _WITH_IDENTITY
