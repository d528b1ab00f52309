"""Reads expressions by precedence, lowest first: OR, AND, NOT, comparisons, + -, ||, * /, unary.

`||` binds tighter than + and -, as the language requires. NOT applies to a whole comparison. Operators of one
rank in a row become one Chain.
"""

from __future__ import annotations

from penstock.esql.limits import COMPARISONS_MAX
from penstock.esql.parser import operands
from penstock.esql.parser.cursor import QUOTED, Cursor
from penstock.esql.syntax.expressions import (
    Between,
    Chain,
    Comparison,
    Expression,
    In,
    Is,
    Like,
    Unary,
)

OR, AND, NOT, COMPARE, ADD, CONCATENATE, MULTIPLY, UNARY = range(1, 9)
RANKS = {
    "OR": OR,
    "AND": AND,
    "=": COMPARE,
    "<>": COMPARE,
    "<": COMPARE,
    ">": COMPARE,
    "<=": COMPARE,
    ">=": COMPARE,
    "IS": COMPARE,
    "IN": COMPARE,
    "LIKE": COMPARE,
    "BETWEEN": COMPARE,
    "NOT": COMPARE,  # a NOT IN, a NOT LIKE, a NOT BETWEEN
    "+": ADD,
    "-": ADD,
    "||": CONCATENATE,
    "*": MULTIPLY,
    "/": MULTIPLY,
}
_IS_WHAT = frozenset(("NULL", "TRUE", "FALSE", "UNKNOWN", "INF", "INFINITY", "NAN", "NUM", "NUMBER"))
_NEGATABLE = frozenset(("IN", "LIKE", "BETWEEN"))


def read_expression(cursor: Cursor, rank: int = OR) -> Expression:
    """Read an expression whose operators bind at least as tight as `rank`."""
    cursor.deeper()
    at = cursor.starts[cursor.index]
    word = cursor.word
    if word == "NOT" and cursor.kinds[cursor.index] != QUOTED:
        cursor.advance()
        left: Expression = Unary(at, "NOT", read_expression(cursor, max(rank, NOT)))
    elif word in ("-", "+"):
        cursor.advance()
        left = Unary(at, word, read_expression(cursor, UNARY))
    else:
        left = operands.read_operand(cursor)
    while (found := RANKS.get(cursor.word, 0)) >= rank and found:
        if found == COMPARE:
            left = _read_comparisons(cursor, at, left)
        else:
            left = _read_chain(cursor, at, left, found)
    cursor.depth -= 1
    return left


def read_list(cursor: Cursor, close: str) -> tuple[Expression, ...]:
    """Read expressions separated by commas, including the closing mark; there may be none."""
    if cursor.take(close):
        return ()
    found = [read_expression(cursor)]
    while cursor.take(","):
        found.append(read_expression(cursor))
    cursor.expect(close)
    return tuple(found)


def _read_chain(cursor: Cursor, at: int, first: Expression, rank: int) -> Expression:
    operators: list[str] = []
    found = [first]
    while RANKS.get(cursor.word, 0) == rank:
        operators.append(cursor.word)
        cursor.advance()
        found.append(read_expression(cursor, rank + 1))
    return Chain(at, tuple(operators), tuple(found))


def _read_comparisons(cursor: Cursor, at: int, left: Expression) -> Expression:
    for _ in range(COMPARISONS_MAX):
        left = _read_comparison(cursor, at, left)
        if RANKS.get(cursor.word, 0) != COMPARE:
            return left
    return cursor.fail("the end of the comparison", "set parentheses", "E114")


def _read_comparison(cursor: Cursor, at: int, left: Expression) -> Expression:
    word = cursor.word
    cursor.advance()
    if word == "IS":
        return _read_is(cursor, at, left)
    negated = word == "NOT"
    if negated:
        word = cursor.take_any(_NEGATABLE) or cursor.fail("IN, LIKE or BETWEEN after NOT")
    if word == "IN":
        cursor.expect("(", "the choices of IN must be in parentheses")
        return In(at, left, read_list(cursor, ")"), negated)
    if word == "LIKE":
        pattern = read_expression(cursor, ADD)
        escape = read_expression(cursor, ADD) if cursor.take("ESCAPE") else None
        return Like(at, left, pattern, escape, negated)
    if word == "BETWEEN":
        symmetric = cursor.take_any(("SYMMETRIC", "ASYMMETRIC")) == "SYMMETRIC"
        low = read_expression(cursor, ADD)
        cursor.expect("AND", "BETWEEN has two limits: a BETWEEN x AND y")
        return Between(at, left, low, read_expression(cursor, ADD), symmetric, negated)
    return Comparison(at, word, left, read_expression(cursor, ADD))


def _read_is(cursor: Cursor, at: int, left: Expression) -> Expression:
    negated = cursor.take("NOT")
    sign = cursor.take_any(("+", "-"))
    what = cursor.take_any(_IS_WHAT)
    if not what or (sign and not what.startswith("INF")):
        likely = "compare values with = and <>" if not sign else ""
        cursor.fail("NULL, TRUE, FALSE, UNKNOWN, INF, NAN or NUM after IS", likely)
    what = {"INFINITY": "INF", "NUMBER": "NUM"}.get(what, what)
    return Is(at, left, sign + what, negated)
