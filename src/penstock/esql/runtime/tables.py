"""Databases as compiled code sees them: a table's full name, and the databases of the deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.esql.runtime.errors import database_error

if TYPE_CHECKING:
    from penstock.esql.runtime.context import Context


class Table(NamedTuple):
    """A table; without a data source it is in the node's own."""

    dsn: str | None
    schema: str | None
    name: str


def databases(ctx: Context) -> Any:
    """Return the target of SQL statements; a deployment without databases raises D08001."""
    if ctx.databases is None:
        raise database_error("08001", 0, "no data source is bound: see penstock dsn add")
    return ctx.databases
