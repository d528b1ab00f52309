"""SQL of nested tuples: what the compiler writes for the part of a statement that a database does.

("column", name) · ("value", i), the i-th parameter · ("=", a, b) and <> < > <= >= + - * / || · ("and", a, ..)
("or", a, ...) ("not", a) ("negative", a) · ("is null", a) ("is not null", a) · ("in", a, b, ...) ·
("between", a, low, high) · ("like", a, pattern, escape) · ("call", name, a, ...). Parameters are always
bound, NULL too.
"""

from __future__ import annotations

from decimal import Decimal
from functools import reduce
from typing import TYPE_CHECKING, Any

from penstock.esql.database.column_values import to_database
from penstock.esql.database.prepared import PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement

    from penstock.esql.database.tables import TableView

_ARITHMETIC = ("+", "-", "*", "/", "||")
_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")


class SqlTerms:
    """Makes SQLAlchemy expressions on one table, with the values of one statement."""

    def __init__(self, table: TableView, values: Sequence[Any], dialect: str) -> None:
        self.table = table
        self.values = values
        self.dialect = dialect
        self.bound: list[tuple[int, Any]] = []  # which value each parameter is, and its column's type

    def condition(self, term: tuple[Any, ...]) -> ColumnElement[Any]:
        """Return a condition or any other term."""
        return self._term(term, None)

    def value(self, term: tuple[Any, ...], column: str) -> ColumnElement[Any]:
        """Return the new value of a column; a parameter takes the column's type."""
        return self._term(term, self.table.column(column).type)

    def bind(self, index: int, kind: Any) -> ColumnElement[Any]:
        """Return a parameter for one of the values; a column's type or None."""
        from sqlalchemy import bindparam

        value = to_database(self.values[index], kind, self.dialect)
        self.bound.append((index, kind))
        return bindparam(f"{PREFIX}{len(self.bound) - 1}", value, type_=kind)

    def _term(self, term: tuple[Any, ...], kind: Any) -> ColumnElement[Any]:
        from sqlalchemy import and_, not_, or_

        word, *operands = term
        if word == "column":
            return self.table.column(operands[0])
        if word == "value":
            return self.bind(operands[0], kind)
        if word in _COMPARISONS or word in ("in", "between"):
            return _JOINED.get(word, _compared(word))(*self._alike(operands))
        if word in _ARITHMETIC:
            left, right = self._alike(operands)
            return left.op(word)(right)
        if word in ("and", "or"):
            return (and_ if word == "and" else or_)(*(self._term(each, None) for each in operands))
        if word == "not":
            return not_(self._term(operands[0], None))
        if word == "like":
            text, pattern = self._alike(operands[:2])
            return text.like(pattern, escape=operands[2])
        return self._single(word, operands)

    def _single(self, word: str, operands: list[Any]) -> ColumnElement[Any]:
        from sqlalchemy import func, null

        if word == "call":
            found: ColumnElement[Any] = getattr(func, operands[0].lower())(*self._alike(operands[1:]))
            return found
        operand = self._term(operands[0], None)
        if word == "negative":
            return -operand
        return operand.is_(null()) if word == "is null" else operand.is_not(null())

    def _alike(self, operands: Sequence[Any]) -> list[ColumnElement[Any]]:
        """Return operands; parameters get the type of the first column among them.

        A fraction beside an integer column stays a fraction: as an integer it would be another number.
        """
        from sqlalchemy import Integer

        kinds = [self.table.column(each[1]).type for each in operands if each[0] == "column"]
        kind = kinds[0] if kinds else None
        found = []
        for each in operands:
            value = self.values[each[1]] if each[0] == "value" else None
            is_fraction = isinstance(kind, Integer) and isinstance(value, (float, Decimal))
            found.append(self._term(each, None if is_fraction else kind))
        return found


def _compared(word: str) -> Callable[..., ColumnElement[Any]]:
    return lambda left, right: left.bool_op(word)(right)


def _is_one_of(operand: ColumnElement[Any], *choices: ColumnElement[Any]) -> ColumnElement[Any]:
    from sqlalchemy import or_

    return reduce(or_, (operand.bool_op("=")(each) for each in choices))


def _between(operand: ColumnElement[Any], low: Any, high: Any) -> ColumnElement[Any]:
    return operand.between(low, high)


_JOINED: dict[str, Callable[..., ColumnElement[Any]]] = {"in": _is_one_of, "between": _between}
