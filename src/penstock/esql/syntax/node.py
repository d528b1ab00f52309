"""The base class of nodes, and the walk over a tree.

The walk has its own stack, so the depth of a program cannot exhaust Python's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Immutable:
    """Every class derived from it is a frozen dataclass without being decorated."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Node(Immutable):
    """A piece of a program; `at` is the offset of its first character and does not count in `==`."""

    at: int = field(compare=False)


# Annotations of fields that never hold a node; they are texts because annotations are postponed.
_PLAIN_TYPES = frozenset(
    (
        *("int", "str", "bool", "int | None", "str | None", "bool | None"),
        *("tuple[int, ...]", "tuple[str, ...]", "tuple[str, ...] | None", "tuple[tuple[str, ...], ...]"),
    )
)


@cache
def _node_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a class that can hold nodes."""
    return tuple(each.name for each in fields(kind) if each.type not in _PLAIN_TYPES)


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly below one, in the order of the source."""
    kind: Any = type(node)
    for name in _node_fields(kind):
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            for each in value:
                if isinstance(each, Node):
                    yield each


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, parents first."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(list(children(current))))
