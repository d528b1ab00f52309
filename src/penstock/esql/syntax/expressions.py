"""Expressions: literals, operators, predicates, CASE, CAST and calls.

Field references are in `paths.py`, SELECT in `select.py`. Parentheses have no node: the structure of the tree
implies them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.syntax.node import Node

if TYPE_CHECKING:
    from penstock.esql.syntax.types import DataType


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """Anything that has a value."""


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """A literal value in the source.

    `kind` is CHARACTER, INTEGER, FLOAT, HEX (0x1F), BLOB, BIT, BOOLEAN, NULL, or the type word of a literal
    such as DATE '2024-01-31'. `text` is the content without quotes.
    """

    kind: str
    text: str
    qualifier: tuple[str, ...] = ()  # of an INTERVAL


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """`operator` is NOT, - or +."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Chain(Expression):
    """Operators of one rank, from left to right: AND; OR; + and -; * and /; ||.

    There is one operand more than operators.
    """

    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    """`operator` is = <> < > <= >=."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Is(Expression):
    """`operand IS [NOT] what`; what is NULL, TRUE, FALSE, UNKNOWN, INF, +INF, -INF, NAN, NUM or NUMBER."""

    operand: Expression
    what: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Between(Expression):
    """`operand [NOT] BETWEEN [SYMMETRIC] low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    symmetric: bool
    negated: bool


@dataclass(frozen=True, slots=True)
class In(Expression):
    """`operand [NOT] IN (choices)`."""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Like(Expression):
    """`operand [NOT] LIKE pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    escape: Expression | None
    negated: bool


@dataclass(frozen=True, slots=True)
class IntervalOf(Expression):
    """`(a - b) DAY`: a difference of dates or times as an interval."""

    operand: Expression
    qualifier: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class When(Node):
    """One branch of a CASE expression."""

    test: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class CaseExpression(Expression):
    """`CASE [subject] WHEN .. THEN .. [ELSE otherwise] END`."""

    subject: Expression | None
    branches: tuple[When, ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """`CAST(sources AS type [CCSID e] [ENCODING e] [FORMAT e] [DEFAULT e])`."""

    sources: tuple[Expression, ...]
    type: DataType
    ccsid: Expression | None = None
    encoding: Expression | None = None
    format: Expression | None = None
    default: Expression | None = None


@dataclass(frozen=True, slots=True)
class Star(Expression):
    """The `*` of COUNT(*)."""


@dataclass(frozen=True, slots=True)
class Missing(Expression):
    """An argument that was left out between commas."""


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """`schema.name(arguments)`: a function of the language or of the user."""

    schema: tuple[str, ...]
    name: str
    arguments: tuple[Expression, ...]
    distinct: bool = False  # COUNT(DISTINCT x)
    every: bool = False  # COUNT(ALL x)


@dataclass(frozen=True, slots=True)
class RowItem(Node):
    """`value [AS path]` in ROW(...)."""

    value: Expression
    name: Expression | None  # a FieldReference


@dataclass(frozen=True, slots=True)
class RowConstructor(Expression):
    """`ROW(value AS path, ...)`."""

    items: tuple[RowItem, ...]


@dataclass(frozen=True, slots=True)
class ListConstructor(Expression):
    """`LIST{value, ...}`."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quantified(Expression):
    """`FOR [ALL|ANY|SOME] source AS name (predicate)`; `quantifier` is that word, or empty for ALL."""

    quantifier: str
    source: Expression
    name: str
    predicate: Expression
