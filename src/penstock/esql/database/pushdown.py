"""Which part of a condition a database can test, for the compiler.

A condition is split at its ANDs. A part goes to the database if it uses a column and consists of operations
that SQL has too; the rest stays in the program. SQL is written as nested tuples (see `sql_terms.py`):
everything that does not need the row is a parameter, computed by the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.esql.syntax import expressions as tree
from penstock.esql.syntax.functions import Trim
from penstock.esql.syntax.node import walk
from penstock.esql.syntax.paths import AnyName, FieldReference, PlainName

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.esql.syntax.expressions import Expression

Term = tuple[Any, ...]
FUNCTIONS = frozenset(("UPPER", "UCASE", "LOWER", "LCASE", "LENGTH", "ABS", "ABSVAL", "COALESCE"))
_NAMES = {"UCASE": "UPPER", "LCASE": "LOWER", "ABSVAL": "ABS"}


class Split(NamedTuple):
    """The database's part, the expressions of its parameters, and the program's part."""

    condition: Term | None
    parameters: tuple[Expression, ...]
    rest: Expression | None


def split(
    where: Expression | None, name: str, is_parameter: Callable[[Expression], bool], first: int = 0
) -> Split:
    """Split a condition on the rows of the table that is called `name`; parameters count from `first`.

    `is_parameter` says whether the program can compute an expression without the row.
    """
    pushed: list[Term] = []
    parameters: tuple[Expression, ...] = ()
    rest: list[Expression] = []
    for part in _parts(where):
        found = _condition(part, name, is_parameter, first + len(parameters))
        if found is None:
            rest.append(part)
        else:
            pushed.append(found[0])
            parameters += found[1]
    condition = None if not pushed else pushed[0] if len(pushed) == 1 else ("and", *pushed)
    return Split(condition, parameters, _joined(rest))


def translate(
    value: Expression, name: str, is_parameter: Callable[[Expression], bool], first: int = 0
) -> tuple[Term, tuple[Expression, ...]] | None:
    """Return an expression as SQL with its parameters, or None if SQL has no equivalent."""
    writer = _Writer(name, is_parameter, first)
    term = writer.term(value)
    return None if term is None else (term, tuple(writer.parameters))


def columns_of(nodes: tuple[Expression, ...], name: str) -> tuple[str, ...] | None:
    """Return the columns of a table that expressions use; None if they may need all."""
    found: dict[str, None] = {}
    for node in nodes:
        for each in walk(node):
            if isinstance(each, tree.Star):
                return None
            if isinstance(each, FieldReference) and _is_name(each.root, name):
                if len(each.steps) < 2 or not isinstance(each.steps[1].name, PlainName):
                    return None
                found[each.steps[1].name.text] = None
    return tuple(found)


def _parts(where: Expression | None) -> tuple[Expression, ...]:
    if where is None:
        return ()
    if isinstance(where, tree.Chain) and where.operators[0] == "AND":
        return tuple(part for operand in where.operands for part in _parts(operand))
    return (where,)


def _joined(parts: list[Expression]) -> Expression | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return tree.Chain(parts[0].at, ("AND",) * (len(parts) - 1), tuple(parts))


def _condition(
    part: Expression, name: str, is_parameter: Callable[[Expression], bool], first: int
) -> tuple[Term, tuple[Expression, ...]] | None:
    if is_parameter(part) or not isinstance(part, _CONDITIONS):
        return None
    return translate(part, name, is_parameter, first)


def _is_name(found: str | None, name: str) -> bool:
    return found is not None and found.upper() == name.upper()


_CONDITIONS = (tree.Comparison, tree.Is, tree.Between, tree.In, tree.Like, tree.Chain, tree.Unary)


class _Writer:
    """Writes one expression as SQL and collects its parameters."""

    def __init__(self, name: str, is_parameter: Callable[[Expression], bool], first: int) -> None:
        self.name = name
        self.is_parameter = is_parameter
        self.first = first
        self.parameters: list[Expression] = []

    def term(self, node: Expression) -> Term | None:
        """Return an expression as SQL, or None."""
        column = self._column(node)
        if column is not None:
            return ("column", column)
        if self.is_parameter(node):
            self.parameters.append(node)
            return ("value", self.first + len(self.parameters) - 1)
        if isinstance(node, tree.Chain):
            return self._chain(node)
        if isinstance(node, tree.Comparison):
            return self._all(node.operator, node.left, node.right)
        if isinstance(node, tree.Between) and not node.symmetric:
            return self._negated(self._all("between", node.operand, node.low, node.high), node.negated)
        if isinstance(node, tree.In):
            return self._negated(self._all("in", node.operand, *node.choices), node.negated)
        if isinstance(node, tree.Is) and node.what == "NULL":
            return self._all("is not null" if node.negated else "is null", node.operand)
        if isinstance(node, tree.Unary):
            return self._all("not" if node.operator == "NOT" else "negative", node.operand)
        if isinstance(node, tree.Like):
            return self._like(node)
        return self._function(node)

    def _function(self, node: Expression) -> Term | None:
        if isinstance(node, Trim) and node.singleton is None and node.side in ("", "BOTH"):
            return self._all("call", "TRIM", node.operand)
        if isinstance(node, tree.Call) and not node.schema and node.name.upper() in FUNCTIONS:
            name = node.name.upper()
            return self._all("call", _NAMES.get(name, name), *node.arguments)
        return None

    def _column(self, node: Expression) -> str | None:
        """Return the column that a path `name.column` names."""
        if not isinstance(node, FieldReference) or len(node.steps) != 2 or not _is_name(node.root, self.name):
            return None
        return None if isinstance(node.steps[1].name, AnyName) else node.steps[1].plain

    def _all(self, word: str, *operands: Expression | str) -> Term | None:
        found: list[Any] = [word]
        for operand in operands:
            term = operand if isinstance(operand, str) else self.term(operand)
            if term is None:
                return None
            found.append(term)
        return tuple(found)

    def _chain(self, node: tree.Chain) -> Term | None:
        if node.operators[0] in ("AND", "OR"):
            return self._all(node.operators[0].lower(), *node.operands)
        result = self.term(node.operands[0])
        for operator, operand in zip(node.operators, node.operands[1:], strict=True):
            right = self.term(operand)
            if result is None or right is None:
                return None
            result = (operator, result, right)
        return result

    def _like(self, node: tree.Like) -> Term | None:
        escape = "\\"
        if node.escape is not None:
            if not isinstance(node.escape, tree.Literal) or len(node.escape.text) != 1:
                return None
            escape = node.escape.text
        found = self._all("like", node.operand, node.pattern)
        return None if found is None else self._negated((*found, escape), node.negated)

    @staticmethod
    def _negated(term: Term | None, negated: bool) -> Term | None:
        return ("not", term) if negated and term is not None else term
