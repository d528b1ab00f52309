"""The data sources that the Java of a node names in its source: for the check, which runs nothing.

A name counts if it is a text or a constant. A name that a program works out is not known here.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from penstock.flow.java.classes import JavaClass
from penstock.flow.java.library.sql import database_in, source_named
from penstock.flow.java.syntax import Call, Literal, Member, Name, New

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.java.syntax import Node


def data_sources_of(first: JavaClass) -> set[str]:
    """Return the names in a class, and in the classes of the project that it mentions."""
    found: set[str] = set()
    waiting, seen = [first], {first.name}
    while waiting:
        class_ = waiting.pop()
        for node in _nodes(class_.declared):
            if isinstance(node, Call):
                found |= set(_sources(node, class_))
            other = class_.find(_mentioned(node)) if _mentioned(node) else None
            if isinstance(other, JavaClass) and other.name not in seen:
                seen.add(other.name)
                waiting.append(other)
    return found


def _sources(call: Call, class_: JavaClass) -> Iterator[str]:
    """Yield the data source that a call asks for, if it is known."""
    named = _text(call.arguments[0], class_) if call.arguments else None
    if named is None:
        return
    if call.name == "getJDBCType4Connection":
        yield source_named(named)
    elif (
        call.name == "getConnection" and isinstance(call.target, Name) and call.target.name == "DriverManager"
    ):
        database = database_in(named)
        if database:
            yield database


def _text(node: Node, class_: JavaClass) -> str | None:
    """Return the text of a literal, or of a field with one."""
    if isinstance(node, Literal):
        return node.value if isinstance(node.value, str) else None
    name = node.name if isinstance(node, (Name, Member)) else ""
    if isinstance(node, Member) and isinstance(node.target, Name):
        owner = class_.find(node.target.name)
        class_ = owner if isinstance(owner, JavaClass) else class_
    for each in class_.declared.fields:
        if each.name == name and isinstance(each.value, Literal):
            return _text(each.value, class_)
    return None


def _mentioned(node: Node) -> str:
    """Return the name of the class that an expression may be about."""
    if isinstance(node, New):
        return node.type
    return node.name if isinstance(node, Name) and node.name[:1].isupper() else ""


def _nodes(value: Any) -> Iterator[Any]:
    """Yield everything in a syntax tree."""
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _nodes(each)
    elif is_dataclass(value):
        yield value
        for each in fields(value):
            yield from _nodes(getattr(value, each.name))
