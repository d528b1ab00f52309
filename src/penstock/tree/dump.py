"""A tree as readable text, like the Trace node's: type, name, value, children indented.

For people, logs and tests; nothing parses it. Iterative, so that any depth works.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING

from penstock.tree.core._path import Path
from penstock.tree.core._types import GENERIC_TYPES, JSON_TYPES, XML_TYPES, XMLNSC_TYPES
from penstock.tree.core._values import as_characters

if TYPE_CHECKING:
    from penstock.tree.core._message import Message
    from penstock.tree.core._reference import Reference

VALUE_SHOWN_MAX = 200
INDENTED_MAX = 60  # levels; what is deeper is not indented further
_NAMES = {
    "XMLNSC": {number: name for name, number in XMLNSC_TYPES.items()},
    "XMLNS": {number: name for name, number in XML_TYPES.items()},
    "XML": {number: name for name, number in XML_TYPES.items()},
    "JSON": {number: name for name, number in JSON_TYPES.items()},
}
_ITSELF = Path()
_GENERIC = {number: name for name, number in GENERIC_TYPES.items()}


def dump(message: Message) -> str:
    """Return the tree of a message as lines of text."""
    return _dumped(list(message), "")


def dump_field(field: Reference | None) -> str:
    """Return a field with its subtree as lines of text: for a root the fields below, for None nothing."""
    if field is None:
        return ""
    if field.is_root:
        return _dumped(list(field), "")
    return _dumped([field], _domain_around(field))


def _domain_around(field: Reference) -> str:
    """Return the name of a field's folder, for the names of its types; the field's own if it is topmost."""
    place, name = field.copy(), ""
    while not place.is_root:
        name = place.name
        place.to_parent()
    return name


def _dumped(fields: list[Reference], around: str) -> str:
    lines: list[str] = []
    waiting: list[tuple[Reference | None, int, str]] = []
    waiting += [(field, 0, around) for field in reversed(fields)]
    while waiting:
        field, depth, domain = waiting.pop()
        if field is None:
            lines.append(_indented(depth) + ")")
            continue
        domain = domain or field.name
        children = list(field)
        lines.append(_indented(depth) + _line(field, domain) + (" (" if children else ""))
        if children:
            waiting.append((None, depth, domain))
            waiting += [(child, depth + 1, domain) for child in reversed(children)]
    return "\n".join(lines)


def _indented(depth: int) -> str:
    return "  " * min(depth, INDENTED_MAX)


def _line(field: Reference, domain: str) -> str:
    number = field.type
    kind = _NAMES.get(domain, _GENERIC).get(number, "")
    name = f"{field.namespace}:{field.name}" if field.namespace else field.name
    shown = f"(0x{number:08X}{':' + kind if kind else ''}):{name}"
    return f"{shown} = {_value(field)}" if field.has_value else shown


def _value(field: Reference) -> str:
    """Return a value with its type: a JSON number that nothing computed with as it is in the body, 123.45."""
    value = field.value
    if value is None:
        return "NULL"
    text = as_characters(field.read_written(_ITSELF) if isinstance(value, float) else value)
    if len(text) > VALUE_SHOWN_MAX:
        text = text[:VALUE_SHOWN_MAX] + "..."
    return f"{text!r} ({type_name(value)})"


def value_text(value: object) -> str:
    """Return a value as text, like CAST to CHARACTER."""
    return as_characters(value)


def type_name(value: object) -> str:
    """Return the ESQL type of a value."""
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, dt.datetime):
        return "TIMESTAMP" if value.tzinfo is None else "GMTTIMESTAMP"
    if isinstance(value, dt.time):
        return "TIME" if value.tzinfo is None else "GMTTIME"
    kinds: tuple[tuple[type, str], ...] = (
        (str, "CHARACTER"),
        (int, "INTEGER"),
        (float, "FLOAT"),
        (Decimal, "DECIMAL"),
        (bytes, "BLOB"),
        (dt.date, "DATE"),
        (dt.timedelta, "INTERVAL"),
    )
    return next(name for kind, name in kinds if isinstance(value, kind))
