"""Rows of a result as ESQL sees them: folders of one tree, one field per column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.database.column_values import from_database
from penstock.esql.runtime.errors import database_error
from penstock.tree import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import CursorResult

    from penstock.tree import Reference

ROWS_MAX = 1_000_000


def fetched(result: CursorResult[Any]) -> Sequence[Any]:
    """Return all rows of a result; more than ROWS_MAX raise D54000."""
    found = result.fetchmany(ROWS_MAX + 1)
    if len(found) > ROWS_MAX:
        raise database_error("54000", 0, f"more than {ROWS_MAX} rows; narrow the WHERE")
    return found


def row_references(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Reference]:
    """Return rows as folders of one tree, their columns as fields."""
    root = Message().reference()
    plain = [str.__str__(name) for name in names]  # SQLAlchemy has a str of its own
    found: list[Reference] = []
    for row in rows:
        folder = root.add_last_child("Row")
        for name, value in zip(plain, row, strict=True):
            folder.add_last_child(name, from_database(value))
        found.append(folder)
    return found
