"""Tables as the database describes them: columns with their types, found in any case.

ESQL programs spell names as their old database did (usually in capitals), other databases fold them; a name
is matched exactly first, then without regard to case if that is unique. Descriptions are kept for the life of
the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import database_error

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection
    from sqlalchemy import Table as SqlTable

NO_TABLE, NO_COLUMN = "42S02", "42S22"


class TableView:
    """A table of the database and its columns."""

    def __init__(self, sql: SqlTable) -> None:
        self.sql = sql
        self._folded: dict[str, list[str]] = {}
        for name in list(sql.c.keys()):
            self._folded.setdefault(name.upper(), []).append(name)

    def column(self, name: str) -> Column[Any]:
        """Return a column; raise D42S22 if there is none, or if several differ only by case."""
        if name in self.sql.c:
            return self.sql.c[name]
        near = self._folded.get(name.upper(), [])
        if len(near) != 1:
            raise database_error(NO_COLUMN, 0, f"table {self.sql.name} has no column {name}")
        return self.sql.c[near[0]]

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the table's order."""
        return list(self.sql.c.keys())


def look_up(connection: Connection, schema: str | None, name: str) -> TableView:
    """Return the database's description of a table or view; raise D42S02 if it does not exist."""
    from sqlalchemy import MetaData, inspect
    from sqlalchemy import Table as SqlTable

    inspector = inspect(connection)
    schema = _spelt(schema, inspector.get_schema_names()) if schema else None
    if schema and connection.dialect.name == "sqlite" and schema not in inspector.get_schema_names():
        schema = None  # SQLite has one schema; a program that names its old one means that
    there = inspector.get_table_names(schema) + inspector.get_view_names(schema)
    found = _spelt(name, there)
    if found not in there:
        shown = f"{schema}.{name}" if schema else name
        raise database_error(NO_TABLE, 0, f"there is no table {shown}")
    table = SqlTable(found, MetaData(), schema=schema, autoload_with=connection, resolve_fks=False)
    if connection.dialect.name == "sqlite":
        _keep_decimals(table)
    return TableView(table)


def _spelt(name: str, known: list[str]) -> str:
    near = [each for each in known if each.upper() == name.upper()]
    return name if name in known or len(near) != 1 else near[0]


def _keep_decimals(table: SqlTable) -> None:
    """Let DECIMAL columns of SQLite accept text and return Decimal; SQLite itself keeps about 15 digits."""
    from sqlalchemy import Float, Numeric

    from penstock.esql.database.sqlite_types import DecimalText

    for column in table.c:
        if isinstance(column.type, Numeric) and not isinstance(column.type, Float):
            column.type = DecimalText()
