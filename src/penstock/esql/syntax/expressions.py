"""Expressions: literals, operators, predicates, CASE, CAST and calls.

Field references are in `paths.py`, SELECT in `select.py`. Parentheses have no node: the structure of the tree
implies them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.types import DataType


class Expression(Node):
    """Anything that has a value."""


class Literal(Expression):
    """A literal value in the source.

    `kind` is CHARACTER, INTEGER, FLOAT, HEX (0x1F), BLOB, BIT, BOOLEAN, NULL, or the type word of a literal
    such as DATE '2024-01-31'. `text` is the content without quotes.
    """

    kind: str
    text: str
    qualifier: tuple[str, ...] = ()  # of an INTERVAL


class Unary(Expression):
    """`operator` is NOT, - or +."""

    operator: str
    operand: Expression


class Chain(Expression):
    """Operators of one rank, from left to right: AND; OR; + and -; * and /; ||.

    There is one operand more than operators.
    """

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


class Comparison(Expression):
    """`operator` is = <> < > <= >=."""

    operator: str
    left: Expression
    right: Expression


class Is(Expression):
    """`operand IS [NOT] what`; what is NULL, TRUE, FALSE, UNKNOWN, INF, +INF, -INF, NAN, NUM or NUMBER."""

    operand: Expression
    what: str
    negated: bool


class Between(Expression):
    """`operand [NOT] BETWEEN [SYMMETRIC] low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    symmetric: bool
    negated: bool


class In(Expression):
    """`operand [NOT] IN (choices)`."""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool


class Like(Expression):
    """`operand [NOT] LIKE pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool


class IntervalOf(Expression):
    """`(a - b) DAY`: a difference of dates or times as an interval."""

    operand: Expression
    qualifier: tuple[str, ...]


class When(Node):
    """One branch of a CASE expression."""

    test: Expression
    result: Expression


class CaseExpression(Expression):
    """`CASE [subject] WHEN .. THEN .. [ELSE otherwise] END`."""

    subject: Expression | None
    branches: tuple[When, ...]
    otherwise: Expression | None


class Cast(Expression):
    """`CAST(sources AS type [CCSID e] [ENCODING e] [FORMAT e] [DEFAULT e])`."""

    sources: tuple[Expression, ...]
    type: DataType
    ccsid: Expression | None = None
    encoding: Expression | None = None
    format: Expression | None = None
    default: Expression | None = None


class Star(Expression):
    """The `*` of COUNT(*)."""


class Missing(Expression):
    """An argument that was left out between commas."""


class Call(Expression):
    """`schema.name(arguments)`: a function of the language or of the user."""

    schema: tuple[str, ...]
    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False  # COUNT(DISTINCT x)
    every: bool = False  # COUNT(ALL x)


class RowItem(Node):
    """`value [AS path]` in ROW(...)."""

    value: Expression
    name: Expression | None  # a FieldReference


class RowConstructor(Expression):
    """`ROW(value AS path, ...)`."""

    items: tuple[RowItem, ...]


class ListConstructor(Expression):
    """`LIST{value, ...}`."""

    items: tuple[Expression, ...]


class Quantified(Expression):
    """`FOR [ALL|ANY|SOME] source AS name (predicate)`; `quantifier` is that word, or empty for ALL."""

    quantifier: str
    source: Expression
    name: str
    predicate: Expression
