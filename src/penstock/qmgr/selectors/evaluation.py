"""What a selector does with values: comparisons, logic and arithmetic as functions of a message.

Three-valued: true, false, and None for unknown. Each function here returns one that is asked for every
message; those never raise. Called by `selector`, which turns the nodes of a selector into them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.model.message import Message
from penstock.model.properties import Float32, Int8, Int16, Int32, Int64
from penstock.qmgr.selectors.parser import INTEGER_MAX, INTEGER_MIN, LiteralValue

if TYPE_CHECKING:
    from penstock.qmgr.selectors.fields import Field

Test: TypeAlias = Callable[[Message, Mapping[str, Any]], bool | None]

NUMBER, STRING, BOOLEAN, BYTES, OTHER = 1, 2, 3, 4, 0
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Kinds(dict[type, int]):
    """What counts as one type in a comparison; a subclass counts as its base."""

    def __missing__(self, kind: type) -> int:
        return next((self[base] for base in kind.__mro__[1:-1] if base in self), OTHER)


KINDS = _Kinds(
    {bool: BOOLEAN, int: NUMBER, float: NUMBER, str: STRING, bytes: BYTES}
    | dict.fromkeys((Int8, Int16, Int32, Int64, Float32), NUMBER)
)


def truth(getter: Field) -> Test:
    """A name or literal used as a condition: true, false, or unknown if null."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        return None if value is None else value is True

    return test


def negation(inner: Test) -> Test:
    """Return the opposite; unknown stays unknown."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = inner(message, properties)
        return None if value is None else not value

    return test


def conjunction(terms: list[Test]) -> Test:
    """Return whether all terms are true: AND."""
    return _decided(terms, False)


def disjunction(terms: list[Test]) -> Test:
    """Return whether any term is true: OR."""
    return _decided(terms, True)


def _decided(terms: list[Test], decisive: bool) -> Test:
    """Return a test that ends at the first decisive term; an unknown one makes the rest unknown."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        result: bool | None = not decisive
        for term in terms:
            value = term(message, properties)
            if value is decisive:
                return decisive
            if value is None:
                result = None
        return result

    return test


def is_null(getter: Field, negated: bool) -> Test:
    """Return whether there is no value: IS NULL."""
    return lambda message, properties: (getter(message, properties) is None) is not negated


def membership(getter: Field, values: frozenset[LiteralValue], negated: bool) -> Test:
    """Return whether a text is one of some: IN."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        if value is None:
            return None
        return (isinstance(value, str) and value in values) is not negated

    return test


def likeness(
    getter: Field, pattern: Callable[[str], bool], negated: bool, characters_max: int | None = None
) -> Test:
    """Return whether a text matches a pattern: LIKE. Of a longer text than can be searched it is unknown."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        if value is None:
            return None
        if characters_max is not None and isinstance(value, str) and len(value) > characters_max:
            return None
        return (isinstance(value, str) and pattern(value)) is not negated

    return test


def compare_property(symbol: str, name: str, literal: LiteralValue) -> Test:
    """The commonest term, a property against a literal, in one function without inner calls."""
    kind = KINDS[type(literal)]
    kinds = KINDS

    def equal(_message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = properties.get(name)
        return None if value is None else kinds[type(value)] == kind and value == literal

    def unequal(_message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = properties.get(name)
        return None if value is None else kinds[type(value)] == kind and value != literal

    if symbol == "=":
        return equal
    if symbol == "<>":
        return unequal
    order = ORDER[symbol]

    def ordered(_message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = properties.get(name)
        return None if value is None else kinds[type(value)] == NUMBER and order(value, literal)

    return ordered


def compare_literal(symbol: str, getter: Field, literal: LiteralValue) -> Test:
    """Compare a value with a literal."""
    kind = KINDS[type(literal)]
    compare: Callable[[Any, Any], bool] = ORDER.get(symbol, operator.eq if symbol == "=" else operator.ne)

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        return None if value is None else KINDS[type(value)] == kind and compare(value, literal)

    return test


def compare_values(symbol: str, left: Field, right: Field) -> Test:
    """Compare two values that are known only with the message."""
    kinds = (NUMBER,) if symbol in ORDER else (NUMBER, STRING, BOOLEAN, BYTES)
    compare: Callable[[Any, Any], bool] = ORDER.get(symbol, operator.eq if symbol == "=" else operator.ne)

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        one = left(message, properties)
        other = right(message, properties)
        if one is None or other is None:
            return None
        kind = KINDS[type(one)]
        return kind == KINDS[type(other)] and kind in kinds and compare(one, other)

    return test


def negative(getter: Field) -> Field:
    """Return a number with the other sign."""

    def value(message: Message, properties: Mapping[str, Any]) -> Any:
        number = getter(message, properties)
        return _bounded(-number) if KINDS[type(number)] == NUMBER else None

    return value


def arithmetic(first: Field, rest: list[tuple[Callable[[Any, Any], Any], Field]]) -> Field:
    """Null, strings and booleans make the whole expression null, and so does an overflow."""

    def value(message: Message, properties: Mapping[str, Any]) -> Any:
        total = first(message, properties)
        if KINDS[type(total)] != NUMBER:
            return None
        for operation, operand in rest:
            number = operand(message, properties)
            if KINDS[type(number)] != NUMBER:
                return None
            try:
                total = _bounded(operation(total, number))
            except (OverflowError, ZeroDivisionError):
                return None
            if total is None:
                return None
        return total

    return value


def _bounded(number: Any) -> Any:
    """Reject integers that do not fit into 64 bits."""
    return None if isinstance(number, int) and not INTEGER_MIN <= number <= INTEGER_MAX else number


def _divide(dividend: Any, divisor: Any) -> Any:
    """Divide as MQ's C does: two integers give an integer, cut off towards zero."""
    if isinstance(dividend, int) and isinstance(divisor, int):
        quotient = abs(dividend) // abs(divisor)
        return quotient if (dividend < 0) == (divisor < 0) else -quotient
    return dividend / divisor


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
}
