"""Message selectors: which messages a get, a browse or a subscription accepts.

The SQL92 subset that MQ takes, in three-valued logic: true, false, and None for unknown. A selector
is compiled once into nested functions and then asked for every message. It is not an index; see
`equality_terms` for what an index could use. Called by opening (compile) and getting (match).
Invariant: `matches` never raises and never changes a message, whatever its properties are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message
from penstock.model.properties import JMS_SETTABLE, Float32, Int8, Int16, Int32, Int64, canonical_name
from penstock.qmgr.selectors.fields import TEXT_FIELDS, Field, delivery_mode_number, field, is_body_name
from penstock.qmgr.selectors.lexer import syntax_error
from penstock.qmgr.selectors.like import like
from penstock.qmgr.selectors.parser import (
    INTEGER_MAX,
    INTEGER_MIN,
    And,
    Arithmetic,
    Between,
    Compare,
    In,
    IsNull,
    Like,
    Literal,
    LiteralValue,
    Name,
    Negative,
    Node,
    Not,
    Or,
    parse,
)

Test: TypeAlias = Callable[[Message, Mapping[str, Any]], bool | None]
BodyFields: TypeAlias = Callable[[str, int], Field]

CACHE_SIZE = 1024
NO_PROPERTIES: Mapping[str, Any] = {}
NUMBER, STRING, BOOLEAN, BYTES, OTHER = 1, 2, 3, 4, 0
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


class _Kinds(dict[type, int]):
    """What counts as one type in a comparison; a subclass counts as its base."""

    def __missing__(self, kind: type) -> int:
        return next((self[base] for base in kind.__mro__[1:-1] if base in self), OTHER)


KINDS = _Kinds(
    {bool: BOOLEAN, int: NUMBER, float: NUMBER, str: STRING, bytes: BYTES}
    | dict.fromkeys((Int8, Int16, Int32, Int64, Float32), NUMBER)
)


class Selector:
    """A compiled selector: `text` as it was given, `matches` to ask it, `cost` its number of terms."""

    __slots__ = ("_test", "cost", "text", "tree")

    def __init__(self, text: str, tree: Node | None, test: Test) -> None:
        self.text = text
        self.tree = tree
        self.cost = _size(tree)
        self._test = test

    def matches(self, message: Message) -> bool:
        """Return whether the selector is true of this message; unknown counts as no."""
        return self._test(message, message.properties or NO_PROPERTIES) is True

    def __repr__(self) -> str:
        return f"<Selector {self.text}>"


def compile_selector(text: str) -> Selector:
    """Compile a selector. Raises 2459 with the place, and 2504 when it can never be true.

    >>> compile_selector("colour = 'red' AND weight > 2").matches(Message(b"", properties={"colour": "red"}))
    False
    """
    if not isinstance(text, str):
        raise error(mq.MQRC_SELECTOR_SYNTAX_ERROR, f"a selector is a text, not {type(text).__name__}")
    return _compiled(text)


@lru_cache(maxsize=CACHE_SIZE)
def _compiled(text: str) -> Selector:
    if not text.strip():
        return Selector(text, None, lambda _message, _properties: True)
    tree = parse(text)
    test = _Compiler(text).condition(tree)
    if not _names(tree) and test(Message(b""), NO_PROPERTIES) is not True:
        raise error(
            mq.MQRC_SELECTOR_ALWAYS_FALSE, f"the selector {text!r} is true of no message", selector=text
        )
    return Selector(text, tree, test)


def compile_with_body(text: str, body: BodyFields) -> Selector:
    """Compile a selector that may name places in the body; `body` makes the field of a place.

    `body(name, kind)` gets the type that the value is compared with (NUMBER, STRING ...), because text in a
        body may be either.
    """
    tree = parse(text)
    return Selector(text, tree, _Compiler(text, body).condition(tree))


def equality_terms(selector: Selector) -> dict[str, LiteralValue]:
    """Return the conditions of a match: properties and the values they must equal.

    Only terms of a top-level AND are looked at. Names come without "usr."; fields of MQMD and JMS
    names as written. Values compare as in Python (1 equals 1.0), so `matches` has the last word.
    """
    tree = selector.tree
    terms: dict[str, LiteralValue] = {}
    for term in tree.terms if isinstance(tree, And) else (tree,):
        if isinstance(term, Compare) and term.operator == "=":
            left, right = term.left, term.right
            if isinstance(left, Literal):
                left, right = right, left
            if isinstance(left, Name) and isinstance(right, Literal):
                name = left.name if left.name in JMS_SETTABLE else canonical_name(left.name)
                terms[name] = _comparable(name, right.value)
    return terms


def _comparable(name: str, value: LiteralValue) -> LiteralValue:
    """Strip the blanks that a field of the descriptor was stripped of."""
    return value.rstrip(" ") if name in TEXT_FIELDS and isinstance(value, str) else value


def _size(tree: Node | None) -> int:
    """Return how many names and values a tree holds."""
    waiting: list[Any] = [tree]
    found = 0
    while waiting:
        node = waiting.pop()
        found += isinstance(node, Name | Literal)
        if isinstance(node, tuple):
            waiting.extend(node)
    return found


def _names(tree: Node) -> bool:
    """Return whether the tree refers to any property."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name):
            return True
        if isinstance(node, tuple):
            waiting.extend(node)
    return False


class _Compiler:
    """Turn the nodes of one selector into functions."""

    def __init__(self, text: str, body: BodyFields | None = None) -> None:
        self._text = text
        self._body = body

    def condition(self, node: Node) -> Test:
        """Return the function of a condition."""
        if isinstance(node, Compare):
            return self._compare(node)
        if isinstance(node, And):
            return _all([self.condition(term) for term in node.terms])
        if isinstance(node, Or):
            return _any([self.condition(term) for term in node.terms])
        if isinstance(node, Not):
            return _not(self.condition(node.operand))
        if isinstance(node, Between):
            return self._between(node)
        if isinstance(node, In):
            return self._in(node)
        if isinstance(node, Like):
            return _like(self._name(node.name, STRING), like(node.pattern, node.escape), node.negated)
        if isinstance(node, IsNull):
            return _is_null(self._name(node.name), node.negated)
        return _truth(self._value(node))

    def _value(self, node: Node, kind: int = OTHER) -> Field:
        """Return the function of a value; `kind` is what it is compared with, where that is known."""
        if isinstance(node, Literal):
            constant = node.value
            return lambda _message, _properties: constant
        if isinstance(node, Name):
            return self._name(node, kind)
        if isinstance(node, Negative):
            return _negative(self._value(node.operand, NUMBER))
        assert isinstance(node, Arithmetic)
        rest = [(OPERATIONS[symbol], self._value(operand, NUMBER)) for symbol, operand in node.rest]
        return _arithmetic(self._value(node.first, NUMBER), rest)

    def _name(self, node: Name, kind: int = OTHER) -> Field:
        if self._body is not None and is_body_name(node.name):
            return self._body(node.name, kind)
        try:
            known = field(node.name)
        except KeyError:
            raise syntax_error(self._text, node.position, f"{node.name} is not a field of MQMD") from None
        return _property(canonical_name(node.name)) if known is None else known

    def _compare(self, node: Compare) -> Test:
        symbol, left, right = node
        if isinstance(left, Literal):
            symbol, left, right = MIRRORED[symbol], right, left
        if not isinstance(right, Literal):
            return _compare_values(symbol, self._value(left), self._value(right))
        value = right.value
        getter = self._value(left, KINDS[type(value)])
        if isinstance(left, Name) and not (self._body is not None and is_body_name(left.name)):
            value = _comparable(left.name, value)
            if left.name == "JMSDeliveryMode" and KINDS[type(value)] == NUMBER:
                getter = delivery_mode_number
            if field(left.name) is None:
                return _compare_property(symbol, canonical_name(left.name), value)
        return _compare_literal(symbol, getter, value)

    def _between(self, node: Between) -> Test:
        """`a BETWEEN b AND c` is `a >= b AND a <= c`; with NOT it is `a < b OR a > c`."""
        operand, low, high = (self._value(each, NUMBER) for each in (node.operand, node.low, node.high))
        if node.negated:
            return _any([_compare_values("<", operand, low), _compare_values(">", operand, high)])
        return _all([_compare_values(">=", operand, low), _compare_values("<=", operand, high)])

    def _in(self, node: In) -> Test:
        values = frozenset(_comparable(node.name.name, value) for value in node.values)
        return _in(self._name(node.name, STRING), values, node.negated)


def _property(name: str) -> Field:
    return lambda _message, properties: properties.get(name)


def _truth(getter: Field) -> Test:
    """A name or literal used as a condition: true, false, or unknown if null."""

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        return None if value is None else value is True

    return test


def _not(inner: Test) -> Test:
    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = inner(message, properties)
        return None if value is None else not value

    return test


def _all(terms: list[Test]) -> Test:
    return _decided(terms, False)


def _any(terms: list[Test]) -> Test:
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


def _is_null(getter: Field, negated: bool) -> Test:
    return lambda message, properties: (getter(message, properties) is None) is not negated


def _in(getter: Field, values: frozenset[LiteralValue], negated: bool) -> Test:
    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        if value is None:
            return None
        return (isinstance(value, str) and value in values) is not negated

    return test


def _like(getter: Field, pattern: Callable[[str], bool], negated: bool) -> Test:
    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        if value is None:
            return None
        return (isinstance(value, str) and pattern(value)) is not negated

    return test


def _compare_property(symbol: str, name: str, literal: LiteralValue) -> Test:
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


def _compare_literal(symbol: str, getter: Field, literal: LiteralValue) -> Test:
    kind = KINDS[type(literal)]
    compare: Callable[[Any, Any], bool] = ORDER.get(symbol, operator.eq if symbol == "=" else operator.ne)

    def test(message: Message, properties: Mapping[str, Any]) -> bool | None:
        value = getter(message, properties)
        return None if value is None else KINDS[type(value)] == kind and compare(value, literal)

    return test


def _compare_values(symbol: str, left: Field, right: Field) -> Test:
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


def _negative(getter: Field) -> Field:
    def value(message: Message, properties: Mapping[str, Any]) -> Any:
        number = getter(message, properties)
        return _bounded(-number) if KINDS[type(number)] == NUMBER else None

    return value


def _arithmetic(first: Field, rest: list[tuple[Callable[[Any, Any], Any], Field]]) -> Field:
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
    """Give up integers that 64 bits do not hold."""
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
