"""The fields of the message that a map reads, and those of them that its model or domain does not have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.flow.mapping.definition import SOURCE, Each, Field, Map
from penstock.flow.new_messages import MODELLED
from penstock.tree.model.logical import Type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.flow.node import Node
    from penstock.flow.project import Project

_STEP = r'(?:\([\w.]+\))?(?:\w+:|\*:)?(?:"(?:[^"]|"")+"|\w+)(?:\[\d+\])?'
_READ = re.compile(rf"(?<![\w.\"]){SOURCE}((?:\.{_STEP})+)")
_NAME = re.compile(r'(?:\([\w.]+\))?(?:\w+:|\*:)?("(?:[^"]|"")+"|\w+)(?:\[\d+\])?')


def source_paths(map: Map) -> list[str]:
    """Return the paths that a map reads below the body of the message, as its ESQL has them.

    >>> order = Map("XMLNSC")
    >>> order.set("Id", "CAST(source.Order.Number AS INTEGER)")
    >>> order.set("Kind", "'order'")
    >>> source_paths(order)
    ['source.Order.Number']
    """
    found: dict[str, None] = {}
    for entry in map.entries:
        texts: Sequence[str] = ()
        if isinstance(entry, Field):
            texts = entry.arguments if entry.function is not None else (entry.value,)
        elif isinstance(entry, Each):
            texts = (entry.of,)
        for text in texts:
            found |= {f"{SOURCE}{each.group(1)}": None for each in _READ.finditer(text)}
    return list(found)


def absent_in_json(map: Map) -> list[str]:
    """Return the paths that no JSON body has: all of its fields are in Data.

    >>> order = Map("XMLNSC")
    >>> order.set("Id", "source.id")
    >>> order.set("Name", "source.Data.name")
    >>> absent_in_json(order)
    ['source.id']
    """
    return [path for path in source_paths(map) if _names(path)[0] not in ("Data", "Padding")]


def absent_in_models(map: Map, inputs: list[Node], project: Project) -> Iterator[str]:
    """Yield the paths that no message of the inputs can have, by their models."""
    told = [node.properties() for node in inputs]
    if not told or not all(each.get("model") for each in told):
        return
    types = [each for words in told for each in _types(words, project)]
    for path in source_paths(map):
        if not any(_has(type_, _names(path)) for type_ in types):
            yield path


def _names(path: str) -> list[str]:
    """Return the names of a path's steps below the body."""
    return [match.strip('"').replace('""', '"') for match in _NAME.findall(path)][1:]


def _types(words: dict[str, Any], project: Project) -> Iterator[Type]:
    """Yield the types that InputBody may have: of a message, or one with the message as its field."""
    model = project.model(words["model"])
    only = str(words.get("message_type") or "").rpartition(":")[2]
    for name, type_ in model.messages.items():
        if only in ("", name):
            yield type_ if words.get("domain") in MODELLED else Type(_as_field(name, type_))


def _as_field(name: str, type_: Type) -> Any:
    from penstock.tree.model.logical import Field as ModelField

    return ModelField(name, type_)


def _has(type_: Type, names: list[str]) -> bool:
    """Return whether a type has a field, however deep; an open type may have any."""
    for number, name in enumerate(names):
        field = next((each for each in type_.fields() if each.name == name), None)
        if field is None:
            return type_.open
        if not isinstance(field.type, Type):
            return number == len(names) - 1
        type_ = field.type
    return True
