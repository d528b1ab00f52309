"""Message selectors: which messages a get, a browse or a subscription accepts.

The SQL92 subset that MQ takes, in three-valued logic: true, false, and None for unknown. A selector
is compiled once into nested functions and then asked for every message. It is not an index; see
`equality_terms` for what an index could use. Called by opening (compile) and getting (match).
Invariant: `matches` never raises and never changes a message, whatever its properties are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message
from penstock.model.properties import JMS_SETTABLE, canonical_name
from penstock.qmgr.selectors.evaluation import (
    KINDS,
    NUMBER,
    OPERATIONS,
    OTHER,
    STRING,
    Test,
    arithmetic,
    compare_literal,
    compare_property,
    compare_values,
    conjunction,
    disjunction,
    is_null,
    likeness,
    membership,
    negation,
    negative,
    truth,
)
from penstock.qmgr.selectors.fields import TEXT_FIELDS, Field, delivery_mode_number, field, is_body_name
from penstock.qmgr.selectors.lexer import syntax_error
from penstock.qmgr.selectors.like import like, searching
from penstock.qmgr.selectors.parser import (
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

BodyFields: TypeAlias = Callable[[str, int], Field]

CACHE_SIZE = 1024
SEARCH_STEPS_MAX = 10_000_000  # comparisons of all LIKE of a selector in properties: some 5 ms
NO_PROPERTIES: Mapping[str, Any] = {}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


class Selector:
    """A compiled selector: `text` as it was given, `matches` to ask it, `cost` its number of terms.

    `searches` is how many comparisons its LIKE may need for each character of the message's properties.
    """

    __slots__ = ("_test", "cost", "reads_body", "searches", "text", "tree")

    def __init__(self, text: str, tree: Node | None, test: Test, reads_body: bool = False) -> None:
        self.text = text
        self.reads_body = reads_body
        self.tree = tree
        self.searches = sum(searching(each.pattern, each.escape) for each in _likes(tree))
        self.cost = _size(tree) + (self.searches if reads_body else 0)
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
    test = _Compiler(text, likes=len(_likes(tree))).condition(tree)
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
    compiler = _Compiler(text, body, len(_likes(tree)))
    return Selector(text, tree, compiler.condition(tree), reads_body=True)


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


def _nodes(tree: Node | None) -> Iterator[Any]:
    """Yield the nodes of a tree, and what they hold."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, tuple):
            waiting.extend(node)


def _size(tree: Node | None) -> int:
    """Return how many names and values a tree holds."""
    return sum(isinstance(node, Name | Literal) for node in _nodes(tree))


def _likes(tree: Node | None) -> list[Like]:
    """Return the LIKE terms of a tree."""
    return [node for node in _nodes(tree) if isinstance(node, Like)]


def _names(tree: Node) -> bool:
    """Return whether the tree refers to any property."""
    return any(isinstance(node, Name) for node in _nodes(tree))


class _Compiler:
    """Turn the nodes of one selector into functions."""

    def __init__(self, text: str, body: BodyFields | None = None, likes: int = 0) -> None:
        self._text = text
        self._body = body
        self._likes = likes

    def condition(self, node: Node) -> Test:
        """Return the function of a condition."""
        if isinstance(node, Compare):
            return self._compare(node)
        if isinstance(node, And):
            return conjunction([self.condition(term) for term in node.terms])
        if isinstance(node, Or):
            return disjunction([self.condition(term) for term in node.terms])
        if isinstance(node, Not):
            return negation(self.condition(node.operand))
        if isinstance(node, Between):
            return self._between(node)
        if isinstance(node, In):
            return self._in(node)
        if isinstance(node, Like):
            return self._like(node)
        if isinstance(node, IsNull):
            return is_null(self._name(node.name), node.negated)
        return truth(self._value(node))

    def _value(self, node: Node, kind: int = OTHER) -> Field:
        """Return the function of a value; `kind` is what it is compared with, where that is known."""
        if isinstance(node, Literal):
            constant = node.value
            return lambda _message, _properties: constant
        if isinstance(node, Name):
            return self._name(node, kind)
        if isinstance(node, Negative):
            return negative(self._value(node.operand, NUMBER))
        assert isinstance(node, Arithmetic)
        rest = [(OPERATIONS[symbol], self._value(operand, NUMBER)) for symbol, operand in node.rest]
        return arithmetic(self._value(node.first, NUMBER), rest)

    def _name(self, node: Name, kind: int = OTHER) -> Field:
        if self._body is not None and is_body_name(node.name):
            return self._body(node.name, kind)
        try:
            known = field(node.name)
        except KeyError:
            raise syntax_error(self._text, node.position, f"{node.name} is not a field of MQMD") from None
        return _property(canonical_name(node.name)) if known is None else known

    def _like(self, node: Like) -> Test:
        """LIKE in a body is not limited: a server counts its cost before it asks."""
        in_body = self._body is not None and is_body_name(node.name.name)
        steps = searching(node.pattern, node.escape) * self._likes
        limit = SEARCH_STEPS_MAX // steps if steps and not in_body else None
        test = like(node.pattern, node.escape)
        return likeness(self._name(node.name, STRING), test, node.negated, limit)

    def _compare(self, node: Compare) -> Test:
        symbol, left, right = node
        if isinstance(left, Literal):
            symbol, left, right = MIRRORED[symbol], right, left
        if not isinstance(right, Literal):
            return compare_values(symbol, self._value(left), self._value(right))
        value = right.value
        getter = self._value(left, KINDS[type(value)])
        if isinstance(left, Name) and not (self._body is not None and is_body_name(left.name)):
            value = _comparable(left.name, value)
            if left.name == "JMSDeliveryMode" and KINDS[type(value)] == NUMBER:
                getter = delivery_mode_number
            if field(left.name) is None:
                return compare_property(symbol, canonical_name(left.name), value)
        return compare_literal(symbol, getter, value)

    def _between(self, node: Between) -> Test:
        """`a BETWEEN b AND c` is `a >= b AND a <= c`; with NOT it is `a < b OR a > c`."""
        operand, low, high = (self._value(each, NUMBER) for each in (node.operand, node.low, node.high))
        if node.negated:
            return disjunction([compare_values("<", operand, low), compare_values(">", operand, high)])
        return conjunction([compare_values(">=", operand, low), compare_values("<=", operand, high)])

    def _in(self, node: In) -> Test:
        values = frozenset(_comparable(node.name.name, value) for value in node.values)
        return membership(self._name(node.name, STRING), values, node.negated)


def _property(name: str) -> Field:
    return lambda _message, properties: properties.get(name)
