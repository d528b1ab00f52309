"""A subtree as JSON values, with the types of its fields: for what a node keeps on a queue."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.tree import Reference

_READ: dict[str, Callable[[str], Any]] = {
    "bytes": bytes.fromhex,
    "float": float,
    "Decimal": Decimal,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "timedelta": lambda text: dt.timedelta(microseconds=int(text)),
}


def facts_of(field: Reference) -> list[Any]:
    """Return a field as [name, namespace, type, value, children]."""
    value = field.value if field.has_value else None
    return [field.name, field.namespace, field.type, _written(value), [facts_of(each) for each in field]]


def add_facts(parent: Reference, facts: list[Any]) -> None:
    """Add a field that `facts_of` returned."""
    name, namespace, type_, value, children = facts
    made = parent.add_last_child(name, _value(value), namespace=namespace, type=type_)
    for each in children:
        add_facts(made, each)


def _written(value: Any) -> Any:
    """Return text, integers and Booleans as they are, other values as a type and text."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    kind = type(value).__name__
    if isinstance(value, bytes):
        return [kind, value.hex()]
    if isinstance(value, dt.timedelta):
        return [kind, str(value // dt.timedelta(microseconds=1))]
    return [kind, value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)]


def _value(written: Any) -> Any:
    return _READ[written[0]](written[1]) if isinstance(written, list) else written
