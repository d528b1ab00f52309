"""Stored procedures and functions of PostgreSQL; SQLite has none.

A procedure is called with CALL and returns its OUT parameters as one row; a function is selected from: one
row of one column is its result, anything more a result set. A returned cursor is fetched as a result set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.esql.database.column_values import from_database, to_database
from penstock.esql.runtime.errors import database_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.esql.database.connection import DataSourceConnection

ROWS_MAX = 1_000_000
_CURSOR_TYPE = 1790  # the number of refcursor in pg_type


@dataclass
class Called:
    """The result of a call: OUT values in order, result sets with the names of their columns, the result."""

    outs: list[Any] = field(default_factory=list)
    result_sets: list[tuple[list[str], list[Any]]] = field(default_factory=list)
    returned: Any = None


def call_procedure(
    connection: DataSourceConnection,
    schema: str | None,
    name: str,
    arguments: Sequence[Any],
    directions: Sequence[str],
) -> Called:
    """Call a procedure or function by name.

    Raise D0A000 if the database has none, D42883 for an unknown one.
    """
    if connection.dialect != "postgresql":
        raise database_error("0A000", 0, f"{connection.dialect} has no stored procedures")
    schema, name = _named(schema, name)
    kind, name, schema = _look_up(connection, schema, name)
    values = tuple(to_database(value, None, connection.dialect) for value in arguments)
    quoted = ".".join(_quoted(each) for each in (schema, name))
    if kind == "p":
        markers = ", ".join("%s" for _ in values)
        return _procedure(connection, f"CALL {quoted}({markers})", values, directions)
    given = tuple(value for value, way in zip(values, directions, strict=True) if way != "OUT")
    return _function(
        connection, f"SELECT * FROM {quoted}({', '.join('%s' for _ in given)})", given, directions
    )


def _named(schema: str | None, name: str) -> tuple[str | None, str]:
    """Return schema and name; an external name may hold both, and % for any schema."""
    before, dot, last = name.rpartition(".")
    found = before if dot and schema is None else schema
    return (None if found in (None, "", "%") else found), (last if dot else name)


def _look_up(connection: DataSourceConnection, schema: str | None, name: str) -> tuple[str, str, str]:
    sql = (
        "SELECT p.prokind, p.proname, n.nspname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
        "WHERE lower(p.proname) = lower(%s) AND (%s::text IS NULL OR lower(n.nspname) = lower(%s)) "
        "AND (%s::text IS NOT NULL OR pg_function_is_visible(p.oid)) ORDER BY p.proname = %s DESC LIMIT 1"
    )
    with connection.executed(sql, (name, schema, schema, schema, name)) as result:
        row: Any = result.first()
    if row is None:
        raise database_error("42883", 0, f"there is no procedure {schema + '.' if schema else ''}{name}")
    kind = row[0].decode() if isinstance(row[0], bytes) else str(row[0])
    return kind, row[1], row[2]


def _procedure(
    connection: DataSourceConnection, sql: str, values: tuple[Any, ...], directions: Sequence[str]
) -> Called:
    found = Called()
    with connection.executed(sql, values) as result:
        cursors = _cursors(result)
        row = list(result.first() or ()) if result.returns_rows else []
    outs = sum(way != "IN" for way in directions)
    found.outs = [from_database(value) for at, value in enumerate(row) if at not in cursors][:outs]
    for at in cursors:
        found.result_sets.append(_fetched(connection, row[at]))
    return found


def _function(
    connection: DataSourceConnection, sql: str, values: tuple[Any, ...], directions: Sequence[str]
) -> Called:
    found = Called()
    with connection.executed(sql, values) as result:
        cursors = _cursors(result)
        names = list(result.keys())
        rows = result.fetchmany(ROWS_MAX)
    outs = sum(way != "IN" for way in directions)
    if cursors:
        found.result_sets = [_fetched(connection, row[at]) for row in rows for at in cursors]
    elif outs and rows:
        found.outs = [from_database(value) for value in rows[0]][:outs]
    else:
        found.result_sets = [(names, list(rows))]
    if len(names) == 1 and len(rows) == 1:
        found.returned = from_database(rows[0][0])
    return found


def _cursors(result: Any) -> list[int]:
    """Return the positions of cursor columns."""
    described = result.cursor.description if result.cursor is not None else None
    return [at for at, column in enumerate(described or ()) if column.type_code == _CURSOR_TYPE]


def _fetched(connection: DataSourceConnection, cursor: str) -> tuple[list[str], list[Any]]:
    with connection.executed(f"FETCH ALL FROM {_quoted(cursor)}") as result:
        return list(result.keys()), list(result.fetchmany(ROWS_MAX))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
