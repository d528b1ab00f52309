"""Random selectors against an evaluator that takes no short cuts."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.qmgr.selectors.like import like
from penstock.qmgr.selectors.selector import Selector, compile_selector, equality_terms

NAMES = ("a", "b", "c", "usr.d")
strings = st.text(alphabet="ab%_' ", max_size=4)
integers = st.integers(min_value=-9, max_value=9)
floats = st.sampled_from([0.0, 0.5, -2.5, 3.0])
values = st.one_of(st.none(), st.booleans(), integers, floats, strings, st.binary(max_size=2))
properties = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), values)
names = st.sampled_from(NAMES).map(lambda name: ("name", name))
numbers = st.one_of(integers, floats).map(lambda value: ("literal", value))
literals = st.one_of(st.booleans(), integers, floats, strings, st.binary(min_size=1, max_size=2)).map(
    lambda value: ("literal", value)
)
arithmetic = st.recursive(
    st.one_of(names, numbers),
    lambda inner: st.one_of(
        st.tuples(st.just("minus"), inner), st.tuples(st.sampled_from("+-*/"), inner, inner)
    ),
    max_leaves=5,
)
anything = st.one_of(arithmetic, literals)
equalities = st.tuples(st.sampled_from(["=", "<>"]), anything, anything)
orderings = st.tuples(st.sampled_from(["<", "<=", ">", ">="]), arithmetic, arithmetic)
betweens = st.tuples(st.sampled_from(["BETWEEN", "NOT BETWEEN"]), arithmetic, arithmetic, arithmetic)
ins = st.tuples(st.sampled_from(["IN", "NOT IN"]), names, st.lists(strings, min_size=1, max_size=3))
likes = st.tuples(st.sampled_from(["LIKE", "NOT LIKE"]), names, strings)
nulls = st.tuples(st.sampled_from(["IS NULL", "IS NOT NULL"]), names)
truths = st.booleans().map(lambda value: ("literal", value))
conditions = st.recursive(
    st.one_of(equalities, orderings, betweens, ins, likes, nulls, names, truths),
    lambda inner: st.one_of(
        st.tuples(st.just("NOT"), inner), st.tuples(st.sampled_from(["AND", "OR"]), inner, inner)
    ),
    max_leaves=8,
)


def quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, bytes):
        return f'"0x{value.hex()}"'
    return quote(value) if isinstance(value, str) else f"({value})"


def text(node: Any) -> str:
    """Write a tree as a selector, with parentheses everywhere."""
    kind = node[0]
    if kind == "name":
        return str(node[1])
    if kind == "literal":
        return literal(node[1])
    if kind == "minus":
        return f"(-{text(node[1])})"
    if kind == "NOT":
        return f"(NOT {text(node[1])})"
    if kind in ("IS NULL", "IS NOT NULL"):
        return f"({text(node[1])} {kind})"
    if "IN" in kind.split():
        return f"({text(node[1])} {kind} ({', '.join(quote(value) for value in node[2])}))"
    if "LIKE" in kind:
        return f"({text(node[1])} {kind} {quote(node[2])})"
    if "BETWEEN" in kind:
        return f"({text(node[1])} {kind} {text(node[2])} AND {text(node[3])})"
    return f"({text(node[1])} {kind} {text(node[2])})"


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare(symbol: str, one: Any, other: Any) -> bool | None:
    if one is None or other is None:
        return None
    both_numbers = number(one) and number(other)
    if not both_numbers and (type(one) is not type(other) or symbol not in ("=", "<>")):
        return False
    return {
        "=": lambda: one == other,
        "<>": lambda: one != other,
        "<": lambda: one < other,
        "<=": lambda: one <= other,
        ">": lambda: one > other,
        ">=": lambda: one >= other,
    }[symbol]()


def both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def negate(value: bool | None) -> bool | None:
    return None if value is None else not value


def either(one: bool | None, other: bool | None) -> bool | None:
    return negate(both(negate(one), negate(other)))


def calculate(symbol: str, one: Any, other: Any) -> Any:
    if not number(one) or not number(other):
        return None
    if symbol == "/":
        if other == 0:
            return None
        quotient = one / other
        return int(quotient) if isinstance(one, int) and isinstance(other, int) else quotient
    return {"+": one + other, "-": one - other, "*": one * other}[symbol]


def value_of(node: Any, known: dict[str, Any]) -> Any:
    kind = node[0]
    if kind == "name":
        return known.get(node[1].removeprefix("usr."))
    if kind == "literal":
        return node[1]
    if kind == "minus":
        return calculate("-", 0, value_of(node[1], known))
    return calculate(kind, value_of(node[1], known), value_of(node[2], known))


def naive_like(pattern: str, value: str) -> bool:
    wildcards = {"%": ".*", "_": "."}
    expression = "".join(wildcards.get(character, re.escape(character)) for character in pattern)
    return re.fullmatch(expression, value, re.DOTALL) is not None


def evaluate(node: Any, known: dict[str, Any]) -> bool | None:
    kind = node[0]
    if kind in ("name", "literal"):
        value = value_of(node, known)
        return None if value is None else value is True
    if kind == "NOT":
        return negate(evaluate(node[1], known))
    if kind == "AND":
        return both(evaluate(node[1], known), evaluate(node[2], known))
    if kind == "OR":
        return either(evaluate(node[1], known), evaluate(node[2], known))
    operand = value_of(node[1], known)
    if kind == "IS NULL":
        return operand is None
    if kind == "IS NOT NULL":
        return operand is not None
    if kind == "BETWEEN":
        low, high = value_of(node[2], known), value_of(node[3], known)
        return both(compare(">=", operand, low), compare("<=", operand, high))
    if kind == "NOT BETWEEN":
        low, high = value_of(node[2], known), value_of(node[3], known)
        return either(compare("<", operand, low), compare(">", operand, high))
    if "IN" in kind.split() or "LIKE" in kind:
        if operand is None:
            return None
        if "LIKE" in kind:
            found = isinstance(operand, str) and naive_like(node[2], operand)
        else:
            found = operand in node[2]
        return found is not kind.startswith("NOT")
    return compare(kind, operand, value_of(node[2], known))


def compiled(given_text: str) -> Selector | MQError:
    try:
        return compile_selector(given_text)
    except MQError as caught:
        return caught


@given(conditions, properties)
def test_selector_agrees_with_the_naive_evaluator(node: Any, known: dict[str, Any]) -> None:
    expected = evaluate(node, known)
    selector = compiled(text(node))
    if isinstance(selector, MQError):
        assert selector.reason == 2504
        assert expected is not True
        return
    assert selector.matches(Message(b"", properties=known)) is (expected is True)
    if expected is True:
        for name, value in equality_terms(selector).items():
            assert known[name] == value


@given(st.text(alphabet="ab%_!", max_size=8), st.text(alphabet="ab!", max_size=10))
def test_like_agrees_with_a_regular_expression(pattern: str, value: str) -> None:
    assert like(pattern)(value) is naive_like(pattern, value)


@given(st.text(alphabet="ab1.0x'\"()<>=+-*/ ANDORNTILKEBWSU,%_\n", max_size=40))
def test_any_text_compiles_or_is_refused_with_a_reason(given_text: str) -> None:
    selector = compiled(given_text)
    if isinstance(selector, MQError):
        assert selector.reason in (2459, 2504)
    else:
        selector.matches(Message(b"", properties={"a": 1, "b": "x"}))
