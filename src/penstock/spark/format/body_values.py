"""Values of a body as values of a row, and back: what a column cannot have is an error, not left out.

`values_of` walks a parsed body by the type of its model. An element that the type does not name, that comes
more often than the type says, or that has fields where a single value belongs, raises ValueError.
"""

from __future__ import annotations

import base64
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.tree.core._types import JSON_TYPES
from penstock.tree.model.logical import Type, Value

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference
    from penstock.tree.model.logical import Field

TRUE, FALSE = ("true", "1"), ("false", "0")
VALUE = "_value"  # what an element has besides its fields


def is_repeated(field: Field) -> bool:
    """Return whether a field may come several times."""
    return field.max != 1


def values_of(place: Reference, type: Type, skips: bool) -> dict[str, Any]:
    """Return the fields of an element as a row; `skips` leaves out those that the type does not name."""
    found: dict[str, list[Reference]] = {}
    for child in place:
        found.setdefault(child.name, []).append(child)
    row: dict[str, Any] = {}
    for field in type.fields():
        if isinstance(field, Value):
            row[VALUE] = _from_tree(str(field.type), place.value if place.has_value else None)
            found.pop("", None)
            continue
        there = found.get(field.name, [])
        if is_repeated(field):
            there = [item for each in there for item in (each if _is_array(each) else (each,))]
            row[field.name] = [_value(each, field, skips) for each in there]
        elif len(there) > 1:
            raise ValueError(f"{field.name} comes {len(there)} times; the model has it once")
        else:
            row[field.name] = _value(there[0], field, skips) if there else None
    others = found.keys() - row.keys()
    if others and not skips:
        raise ValueError(f"the model has no {min(others) or 'text here'} (extraFields=skip leaves it out)")
    return row


def _is_array(place: Reference) -> bool:
    return place.type == JSON_TYPES["Array"]


def _value(place: Reference, field: Field, skips: bool) -> Any:
    if isinstance(field.type, Type):
        if place.value is not None and not any(isinstance(each, Value) for each in field.type.fields()):
            raise ValueError(f"{field.name} is {str(place.value)[:40]!r}; the model has fields in it")
        return values_of(place, field.type, skips)
    if any(each.name for each in place):
        raise ValueError(f"{field.name} has fields; the model has a single value")
    try:
        return _from_tree(field.type, place.value)
    except (ValueError, ArithmeticError, TypeError) as cause:
        raise ValueError(f"{field.name} is {str(place.value)[:40]!r}, no {field.type}") from cause


def _from_tree(kind: str, value: Any) -> Any:
    """Return a value of the tree as one that Arrow takes for its column."""
    if value is None:
        return None
    match kind:
        case "integer":
            return _whole(value)
        case "decimal":
            return Decimal(str(value))
        case "float":
            return float(value)
        case "boolean":
            return _boolean(value)
        case "binary":
            return value if isinstance(value, bytes) else base64.b64decode(value)
        case "date":
            return value if isinstance(value, date) else date.fromisoformat(value)
        case "dateTime":
            return value if isinstance(value, datetime) else datetime.fromisoformat(value)
        case "time":
            return value.isoformat() if isinstance(value, time) else str(value)
    return str(value)


def _whole(value: Any) -> int:
    number = int(value)
    if isinstance(value, bool) or number != (Decimal(value) if isinstance(value, str) else value):
        raise ValueError(f"{value} is no whole number")
    return number


def _boolean(value: Any) -> bool:
    text = str(value).lower()
    if text not in (*TRUE, *FALSE):
        raise ValueError(f"{value!r} is neither true nor false")
    return text in TRUE


def to_tree(kind: str, value: Any) -> Any:
    """Return a value of a column as one for the tree."""
    if kind == "time":
        return time.fromisoformat(value)
    if kind == "decimal" and isinstance(value, Decimal):
        return value.normalize() if value != value.to_integral_value() else value.quantize(Decimal(1))
    return value
