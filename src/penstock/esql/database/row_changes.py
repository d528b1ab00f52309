"""UPDATE and DELETE of rows that the program chooses, with conditions that the database cannot test.

The rows that pass the database's part of the WHERE are read and locked, the program tests each, and the
matching ones are changed one by one, found again by their primary key, or by all columns in a table without
one. Called by `databases`, inside the unit of work of its connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.database.row_trees import fetched, row_references

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement

    from penstock.esql.database.connection import DataSourceConnection
    from penstock.esql.database.tables import TableView
    from penstock.tree import Reference

    Change = Callable[[Reference], tuple[Any, ...] | None]


def change_rows(
    connection: DataSourceConnection,
    view: TableView,
    condition: ColumnElement[Any] | None,
    names: Sequence[str],
    change: Change,
    statement: Callable[[tuple[Any, ...]], Any],
) -> int:
    """Run `statement(values)` on every row for which `change` returns values; return how many rows changed.

    `names` are the columns that `change` reads. If it returns None, the row is not changed.
    """
    from sqlalchemy import and_, select

    keys = list(view.sql.primary_key.columns) or list(view.sql.c)
    wanted = select(*(view.column(name) for name in names), *keys).with_for_update()
    if condition is not None:
        wanted = wanted.where(condition)
    with connection.executed(wanted) as result:
        rows = fetched(result)
    count = 0
    for row, fields in zip(rows, row_references(names, (row[: len(names)] for row in rows)), strict=True):
        values = change(fields)
        if values is None:
            continue
        same = zip(keys, row[len(names) :], strict=True)
        where = and_(*(key.is_not_distinct_from(value) for key, value in same))
        with connection.executed(statement(values).where(where)) as result:
            count += result.rowcount
    return count
