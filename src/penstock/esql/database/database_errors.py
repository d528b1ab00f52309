"""Errors of a database, with SQL state, native number and text.

PostgreSQL supplies its SQL state; for SQLite, which has none, the nearest is chosen. Others get HY000.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import database_error
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERAL = "HY000"
BAD_VALUE = "22018"
# PostgreSQL shuts down, crashes, starts, has no connection left; ODBC has waited too long for a connection
NOT_READY = frozenset(("57P01", "57P02", "57P03", "53300", "HYT01"))
_OF_SQLITE = (
    ("no such table", "42S02"),
    ("no such column", "42S22"),
    ("has no column named", "42S22"),
    ("already exists", "42S01"),
    ("syntax error", "42000"),
    ("is locked", "HYT00"),
    ("unable to open", "08001"),
    ("unique constraint", "23505"),
    ("not null constraint", "23502"),
    ("foreign key constraint", "23503"),
    ("check constraint", "23514"),
    ("constraint", "23000"),
    ("datatype mismatch", "22018"),
    ("readonly", "25006"),
)


@contextmanager
def translated(is_connecting: bool = False) -> Iterator[None]:
    """Turn what SQLAlchemy and drivers raise into database errors.

    An error that is about the database, not about the statement, has the field `unreachable`.
    """
    try:
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError
    except ModuleNotFoundError as problem:
        raise error(mq.PSRC_DATABASE_DRIVER, "SQLAlchemy is not installed") from problem
    try:
        yield
    except MQError:
        raise
    except DBAPIError as problem:
        raise driver_error(problem.orig, problem.connection_invalidated or is_connecting) from problem
    except ModuleNotFoundError as problem:
        raise error(
            mq.PSRC_DATABASE_DRIVER, f"the driver {problem.name} is not installed", driver=problem.name
        ) from problem
    except SQLAlchemyError as problem:
        raise database_error(GENERAL, 0, _first_line(problem)) from problem
    except (
        TypeError,
        ValueError,
        OverflowError,
    ) as problem:  # of a driver, about a value that it cannot send
        raise database_error(BAD_VALUE, 0, _first_line(problem)) from problem


def driver_error(problem: Any, is_gone: bool = False) -> MQError:
    """Return the error for a driver's exception, with `unreachable` if it is about the database."""
    raised = of_driver(problem)
    if is_gone or _is_unreachable(raised):
        raised.fields["unreachable"] = True
    return raised


def of_driver(problem: Any) -> MQError:
    """Return the error for a driver's exception."""
    text = _first_line(problem)
    state = getattr(problem, "sqlstate", None)
    if state is None and hasattr(problem, "sqlite_errorcode"):
        return database_error(_state_of_sqlite(text), int(problem.sqlite_errorcode or 0), text)
    return database_error(state or GENERAL, 0, text)


def _is_unreachable(raised: MQError) -> bool:
    """Return whether a database cannot be reached, is not ready, or is locked as a whole (SQLite)."""
    state = str(raised.fields["sqlstate"])[1:]
    locked = state == "HYT00" and bool(raised.fields["native"])  # PostgreSQL's and ODBC's are of a statement
    return locked or state.startswith("08") or state in NOT_READY


def _state_of_sqlite(text: str) -> str:
    lower = text.lower()
    return next((state for words, state in _OF_SQLITE if words in lower), GENERAL)


def _first_line(problem: object) -> str:
    return (str(problem).strip().splitlines() or ["the database gave no reason"])[0]
