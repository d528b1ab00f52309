"""Statements that are built once and run often: SQL text, and how values go in and come out.

SQLAlchemy builds and compiles a statement when its shape is new; after that the driver's cursor runs the text
with the same conversions of values. The shape of a statement includes the types of its values, because they
decide about casts in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.database.column_values import to_database

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Dialect, Executable
    from sqlalchemy.types import TypeEngine

    Bound = list[tuple[int, TypeEngine[Any] | None]]

STATEMENTS_MAX = 1000  # shapes that are kept for a database
PREFIX = "v"  # of the names of bound values


class Prepared:
    """A statement of one shape; `columns` are the types of what it returns."""

    def __init__(
        self, statement: Executable, bound: Bound, columns: Sequence[TypeEngine[Any]], dialect: Dialect
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
        self.sql = str(compiled)
        self.dialect = dialect
        self.columns = columns
        self._by_name = not compiled.positional
        names = list(compiled.positiontup) if compiled.positional else list(compiled.params)
        self._slots = [self._slot(name, bound, compiled) for name in names]
        self._processors: list[Callable[[Any], Any] | None] | None = None

    def _slot(self, name: str, bound: Bound, compiled: Any) -> tuple[str, int, Any, Any, Any]:
        """Return name, index of the value (-1 for a constant), column type, conversion and constant."""
        bind = compiled.binds[name]
        convert = bind.type.dialect_impl(self.dialect).bind_processor(self.dialect)
        if name.startswith(PREFIX) and name[len(PREFIX) :].isdigit():
            index, kind = bound[int(name[len(PREFIX) :])]
            return name, index, kind, convert, None
        constant = compiled.params[name]
        return name, -1, None, None, convert(constant) if convert else constant

    def parameters(self, values: Sequence[Any]) -> Any:
        """Return values as the driver takes them."""
        dialect = self.dialect.name
        found = []
        for _, index, kind, convert, constant in self._slots:
            if index < 0:
                found.append(constant)
                continue
            value = values[index]
            if type(value) is not int:
                value = to_database(value, kind, dialect)
            found.append(value if convert is None else convert(value))
        if not self._by_name:
            return found
        return dict(zip([slot[0] for slot in self._slots], found, strict=True))

    def rows(self, cursor: Any, found: list[Any]) -> list[Any]:
        """Return the rows of a result with the values of their types."""
        if self._processors is None:
            self._processors = [
                kind.dialect_impl(self.dialect).result_processor(self.dialect, told[1])
                for kind, told in zip(self.columns, cursor.description, strict=True)
            ]
        if not any(self._processors):
            return found
        pairs = self._processors
        return [
            [value if convert is None else convert(value) for convert, value in zip(pairs, row, strict=True)]
            for row in found
        ]
