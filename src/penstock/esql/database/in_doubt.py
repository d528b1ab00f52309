"""Units that were prepared and never ended: found by a prefix of their names, and resolved.

For a coordinator after a crash. Only databases with two-phase commit have such units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.database.connection import HAS_TWO_PHASES
from penstock.esql.database.database_errors import translated

if TYPE_CHECKING:
    from sqlalchemy import Engine

PREPARED = (
    "SELECT gid FROM pg_prepared_xacts"
    " WHERE database = current_database() AND starts_with(gid, %(beginning)s) ORDER BY prepared"
)


def has_two_phases(engine: Engine) -> bool:
    """Return whether a database can prepare a unit."""
    return engine.dialect.name in HAS_TWO_PHASES


def in_doubt(engine: Engine, beginning: str) -> list[str]:
    """Return the names of prepared units with a prefix."""
    with translated(), engine.connect() as connection:
        return [str(row[0]) for row in connection.exec_driver_sql(PREPARED, {"beginning": beginning})]


def resolve(engine: Engine, name: str, commit: bool) -> None:
    """End a prepared unit."""
    with translated(), engine.connect() as connection:
        if commit:
            connection.commit_prepared(name, recover=True)
        else:
            connection.rollback_prepared(name, recover=True)
