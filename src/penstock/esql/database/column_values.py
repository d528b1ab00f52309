"""Conversion of values between a program and a database.

A column's value becomes an ESQL value: integers, FLOAT, DECIMAL, CHARACTER, BLOB, BOOLEAN, DATE, TIME,
TIMESTAMP, and the GMT forms where the database stores a zone; anything else (UUID, JSON, arrays) its text. A
program's value is converted to the column's type; BIT and INTERVAL cannot be stored.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.cast import to_date, to_time, to_timestamp
from penstock.esql.runtime.errors import esql_error
from penstock.esql.runtime.values.interval import Interval, interval
from penstock.esql.runtime.values.types import Bits, type_name

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

_AS_THEY_ARE = (str, int, float, Decimal, bytes, bool)


def from_database(value: Any) -> Any:
    """Return a value of a row as an ESQL value."""
    if value is None or isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, (datetime, time)):
        if value.tzinfo is None:
            return value
        return value.astimezone(UTC) if isinstance(value, datetime) else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return value
    if isinstance(value, (memoryview, bytearray)):
        return bytes(value)
    if isinstance(value, timedelta):
        return interval(value // timedelta(microseconds=1), ("DAY", "SECOND"))
    if isinstance(value, (dict, list)):
        return json.dumps(value, default=str)
    return str(value)


def to_database(value: Any, kind: TypeEngine[Any] | None, dialect: str) -> Any:
    """Return a value converted to a column's type; without a type, as the driver accepts it."""
    if isinstance(value, (Bits, Interval)):
        raise esql_error("S42000", f"a database takes no {type_name(value)}; CAST it first")
    if isinstance(value, str) and kind is not None:
        value = _of_text(value, kind)
    if dialect == "sqlite":
        return _for_sqlite(value, kind)
    return value


def _of_text(value: str, kind: TypeEngine[Any]) -> Any:
    """Return text as the date or time for a column."""
    from sqlalchemy import Date, DateTime, Time

    if isinstance(kind, DateTime):
        return to_timestamp(value)
    if isinstance(kind, Date):
        return to_date(value)
    return to_time(value) if isinstance(kind, Time) else value


def _for_sqlite(value: Any, kind: TypeEngine[Any] | None) -> Any:
    """Return a value that SQLite can store: it has neither DECIMAL nor zones."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, (datetime, time)):
        value = value.replace(tzinfo=None)
        return (
            value if kind is not None else value.isoformat(*((" ",) if isinstance(value, datetime) else ()))
        )
    if isinstance(value, date) and kind is None:
        return value.isoformat()
    return value
