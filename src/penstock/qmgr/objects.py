"""The definitions of a queue manager's objects, and the registry that finds them.

Pure data: nothing here writes a journal, opens a queue or checks a value. The engine puts and removes
definitions; `admin` reads them. Names are kept by namespace: the four kinds of queue share one, client
channels have one of their own, records (AUTHREC, CHLAUTH) have composite names.
Invariant: a definition is in exactly one namespace, under its name.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from heapq import merge
from typing import TYPE_CHECKING, Any, Protocol

from penstock.qmgr.catalogue.attributes import QUEUE_KINDS, SUBTYPE_ATTRIBUTE, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAMESPACES = (
    "QMGR",
    "CFSTRUCT",
    "QUEUE",
    "CHANNEL",
    "CLNTCONN",
    "PROCESS",
    "NAMELIST",
    "LISTENER",
    "TOPIC",
    "SUB",
    "AUTHINFO",
    "AUTHREC",
    "CHLAUTH",
    "SERVICE",
    "COMMINFO",
)
SEPARATOR = "\x1f"
SORTED_AT_ONCE = 5000  # names: some milliseconds


@dataclass(slots=True)
class Definition:
    """One object: its kind, name and attributes. Only the engine changes it."""

    kind: str
    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    id: int = 0
    created: float = 0.0
    altered: float = 0.0

    @property
    def namespace(self) -> str:
        """Where this definition is found."""
        return namespace_of(self.kind, self.attributes)

    def values(self) -> tuple[Any, ...]:
        """Return what records and checkpoints keep."""
        return self.kind, self.name, self.attributes, self.id, self.created, self.altered

    @property
    def subtype(self) -> str:
        """The CHLTYPE, AUTHTYPE or rule TYPE; empty for other kinds."""
        key = SUBTYPE_ATTRIBUTE.get(self.kind)
        return str(self.attributes.get(key, "")) if key else ""


def namespace_of(kind: str, attributes: Mapping[str, Value]) -> str:
    """Return the namespace of an object of this kind with these attributes."""
    if kind in QUEUE_KINDS:
        return "QUEUE"
    if kind == "CHANNEL" and attributes.get("CHLTYPE") == "CLNTCONN":
        return "CLNTCONN"
    return kind


class Observer(Protocol):
    """An object that keeps data derived from the definitions of a namespace."""

    def added(self, definition: Definition) -> None:
        """A definition was put."""

    def removed(self, definition: Definition) -> None:
        """A definition was removed, or another one is about to take its place."""


class Objects:
    """All definitions of one queue manager, by namespace and name; `next_id` is above every id in use."""

    __slots__ = ("_names", "_observers", "_spaces", "next_id")

    def __init__(self) -> None:
        """Start empty; see system_objects for the objects of a new queue manager."""
        self.next_id = 1
        self._spaces: dict[str, dict[str, Definition]] = {space: {} for space in NAMESPACES}
        self._names: dict[str, list[str]] = {}
        self._observers: dict[str, list[Observer]] = {}

    def observe(self, namespace: str, observer: Observer) -> None:
        """Call an observer for every definition of a namespace: existing ones, and each change."""
        for definition in self._spaces[namespace].values():
            observer.added(definition)
        self._observers.setdefault(namespace, []).append(observer)

    def find(self, namespace: str, name: str) -> Definition | None:
        """Return the definition of that name, or None."""
        return self._spaces[namespace].get(name)

    def put(self, definition: Definition) -> None:
        """Add a definition, or take the place of the one that has its name."""
        space = definition.namespace
        before = self._spaces[space].get(definition.name)
        if before is None:
            self._names.pop(space, None)
        self._spaces[space][definition.name] = definition
        for observer in self._observers.get(space, ()):
            if before is not None:
                observer.removed(before)
            observer.added(definition)
        if definition.id >= self.next_id:
            self.next_id = definition.id + 1

    def remove(self, definition: Definition) -> None:
        """Remove a definition; KeyError if it does not exist."""
        space = definition.namespace
        gone = self._spaces[space].pop(definition.name)
        self._names.pop(space, None)
        for observer in self._observers.get(space, ()):
            observer.removed(gone)

    def all(self, namespace: str) -> list[Definition]:
        """Return the definitions of a namespace, sorted by name."""
        found = self._spaces[namespace]
        return [found[name] for name in self._sorted(namespace)]

    def starting_with(self, namespace: str, prefix: str) -> Iterator[Definition]:
        """Yield the definitions whose names begin with a prefix, sorted by name.

        The names are those of the moment of the call; one that is removed meanwhile is left out.
        """
        found = self._spaces[namespace]
        names = self._sorted(namespace)
        for position in range(bisect_left(names, prefix), len(names)):
            name = names[position]
            if not name.startswith(prefix):
                return
            if name in found:
                yield found[name]

    def leafed(self, namespace: str, prefix: str) -> Iterator[Definition | None]:
        """Yield the same, and None from time to time, so that the caller can release the engine."""
        found = self._spaces[namespace]
        if namespace in self._names or len(found) <= SORTED_AT_ONCE:
            yield from self.starting_with(namespace, prefix)
            return
        names, parts = list(found), []
        for start in range(0, len(names), SORTED_AT_ONCE):
            part = names[start : start + SORTED_AT_ONCE]
            parts.append(sorted(name for name in part if name.startswith(prefix)))
            yield None
        del names
        for name in merge(*parts):
            if name in found:
                yield found[name]

    def count(self, namespace: str) -> int:
        """Return how many definitions a namespace holds."""
        return len(self._spaces[namespace])

    def __iter__(self) -> Iterator[Definition]:
        """Yield every definition, namespace by namespace, in the order in which they can be made again."""
        for namespace in NAMESPACES:
            yield from self.all(namespace)

    def in_order(self) -> list[Definition]:
        """Return the same, but that those of one namespace come in any order: no name is compared."""
        return [definition for namespace in NAMESPACES for definition in self._spaces[namespace].values()]

    def _sorted(self, namespace: str) -> list[str]:
        names = self._names.get(namespace)
        if names is None:
            names = self._names[namespace] = sorted(self._spaces[namespace])
        return names


def authority_record_name(profile: str, object_type: str, entity_type: str, entity: str) -> str:
    """Return the name of an AUTHREC in the registry."""
    return SEPARATOR.join((profile, object_type, f"{entity_type}:{entity}"))


def channel_rule_name(profile: str, attributes: Mapping[str, Value]) -> str:
    """Return the name of a CHLAUTH in the registry: two rules of one name are one rule."""
    rule = str(attributes["TYPE"])
    keys = _RULE_KEYS.get(rule, ())
    return SEPARATOR.join((profile, rule, *(str(attributes.get(key, "")) for key in keys)))


_RULE_KEYS = {
    "SSLPEERMAP": ("SSLPEER", "SSLCERTI", "ADDRESS"),
    "ADDRESSMAP": ("ADDRESS",),
    "USERMAP": ("CLNTUSER", "ADDRESS"),
    "QMGRMAP": ("QMNAME", "ADDRESS"),
}
