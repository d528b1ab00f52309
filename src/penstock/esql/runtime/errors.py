"""Errors of running ESQL, with the SQL state that handlers test.

The state's first letter tells the origin of a failure (S the program and its data, D a database, U the user's
THROW) and determines the reason code. `tracing` adds line, routine and node when an error leaves a module: a
function that raises does not know them.
"""

from __future__ import annotations

from typing import Any

from penstock.model import constants as mq
from penstock.model.errors import EsqlError, MQError

BAD_CAST = "S22018"
OUT_OF_RANGE = "S22003"
DIVISION_BY_ZERO = "S22012"
BAD_DATE = "S22007"
BAD_ARGUMENT = "S22023"
DATA_ERROR = "S22000"
WRONG_TYPES = "S42000"
USER_STATE = "U00000"
NO_ERROR = "00000"

# Numbers of the message catalogue as ExceptionList shows them.
NUMBERS = {
    BAD_CAST: 2521,
    OUT_OF_RANGE: 2422,
    DIVISION_BY_ZERO: 2423,
    BAD_DATE: 3107,
    WRONG_TYPES: 2420,
    USER_STATE: 2951,
}
NUMBER_OTHER = 2432
NUMBER_DATABASE = 2322
CATALOG = "BIPmsgs"


def esql_error(state: str, text: str, *inserts: object) -> EsqlError:
    """Return the error for an SQL state; the caller raises it."""
    reason = mq.PSRC_ESQL_TYPES if state.startswith("S42") else mq.PSRC_ESQL_DATA
    number = NUMBERS.get(state, NUMBER_OTHER)
    return _made(reason, text, sqlstate=state, inserts=inserts, number=number)


def database_error(state: str, native: int, text: str) -> EsqlError:
    """Return the error for a database's answer; `state` is its SQLSTATE of five characters."""
    return _made(
        mq.PSRC_ESQL_DATABASE,
        text,
        sqlstate=f"D{state}",
        sqlcode=-1,
        native=native,
        inserts=(f"D{state}", native, text),
        number=NUMBER_DATABASE,
    )


def user_error(severity: Any, catalog: Any, number: Any, inserts: tuple[Any, ...]) -> EsqlError:
    """Return the exception that THROW makes."""
    shown = ", ".join("NULL" if each is None else str(each) for each in inserts)
    return _made(
        mq.PSRC_ESQL_USER,
        f"the ESQL threw message {number}{': ' + shown if shown else ''}",
        sqlstate=USER_STATE,
        inserts=inserts,
        number=number,
        severity=severity,
        catalog=catalog,
    )


def _made(reason: int, text: str, **fields: Any) -> EsqlError:
    return EsqlError(reason, text, {"severity": 3, "catalog": CATALOG, **fields})


def state_of(raised: MQError) -> str:
    """Return the SQL state of any error; errors of the tree have one too, so that handlers see them."""
    state = raised.fields.get("sqlstate")
    return state if isinstance(state, str) else DATA_ERROR


__all__ = ["EsqlError", "MQError", "database_error", "esql_error", "state_of", "user_error"]
