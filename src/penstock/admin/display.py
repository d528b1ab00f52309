"""The layout of DISPLAY: attributes in two columns, to the byte as runmqsc does it.

Three blanks, the first field padded to forty, the second field. A field of 38 characters or more has a
line of its own, a list begins a new line. Blank values are shown as one blank in parentheses, flags as
a word (SHARE, NOSHARE). Rows arrive ready made; nothing here knows an object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.attributes import KINDS, Value, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIRST_COLUMN = 40
SHARING_LENGTH = 37
MARGIN = "   "

_TABLES = [each for kind in KINDS for each in catalogue(kind).values()]
FLAGS = frozenset(each.name for each in _TABLES if each.kind == "flag")
WORDS = frozenset({"CURRENT"})  # shown as their value alone: CURRENT or SAVED
OWN_LINE = frozenset(each.name for each in _TABLES if each.own_line)


def layout(attributes: Mapping[str, Value]) -> Iterator[str]:
    """Yield the lines that show one object."""
    first = ""
    connection = "EXTCONN" in attributes
    for name, value in attributes.items():
        shown = field_text(name, value)
        if connection and name == "TYPE":  # the line that ends a connection's identity
            yield from (MARGIN + first, MARGIN + shown) if first else (MARGIN + shown,)
            first = ""
        elif not first:
            first = shown
        elif len(first) > SHARING_LENGTH or len(shown) > SHARING_LENGTH or name in OWN_LINE:
            yield MARGIN + first
            first = shown
        else:
            yield MARGIN + first.ljust(FIRST_COLUMN) + shown
            first = ""
    if first:
        yield MARGIN + first


def field_text(name: str, value: Value) -> str:
    """Return one attribute as it is shown: NAME(value), NAME( ) or a flag's word."""
    if type(value) is int:
        return f"{name}({value})"
    if isinstance(value, tuple):
        return f"{name}({','.join(value) or ' '})"
    if name in WORDS:
        return str(value)
    if name in FLAGS:
        return name if value == "YES" else f"NO{name}"
    return f"{name}({value or ' '})"
