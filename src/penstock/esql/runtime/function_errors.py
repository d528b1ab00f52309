"""The errors of functions and casts, by cause; each has the SQLSTATE that handlers match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.errors import esql_error
from penstock.esql.runtime.values.types import type_name

if TYPE_CHECKING:
    from penstock.model.errors import MQError

TEXT_SHOWN_MAX = 60


def cast_error(value: Any, wanted: str, why: str = "") -> MQError:
    """Return the error for a value that cannot be cast to a type."""
    return esql_error("S22018", f"{shown(value)} cannot become {wanted}" + (f": {why}" if why else ""))


def overflow(what: str) -> MQError:
    """Return the error for a number outside the range of its type."""
    return esql_error("S22003", what)


def datetime_error(detail: str) -> MQError:
    """Return the error for a date, time or format that does not exist or cannot be read."""
    return esql_error("S22007", detail)


def division_by_zero() -> MQError:
    """Return the error for a division by zero."""
    return esql_error("S22012", "division by zero")


def type_error(what: str, *values: Any) -> MQError:
    """Return the error for operands with incompatible types."""
    kinds = " and ".join(type_name(value) for value in values)
    return esql_error("S42000", f"{what} does not work on {kinds}")


def argument_error(detail: str) -> MQError:
    """Return the error for an argument that a function does not accept."""
    return esql_error("S22023", detail)


def too_long(detail: str) -> MQError:
    """Return the error for a result longer than the limit."""
    return esql_error("S22001", detail)


def shown(value: Any) -> str:
    """Return a value for a message: its type, and the beginning of its text."""
    text = value.hex() if isinstance(value, bytes) else str(value)
    cut = text if len(text) <= TEXT_SHOWN_MAX else text[:TEXT_SHOWN_MAX] + "..."
    return f"{type_name(value)} '{cut}'"
