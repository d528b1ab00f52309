"""The oracle: a message tree in plain Python, as slow and as simple as can be.

The arena is compared with it, operation by operation, in tests/property/test_tree_operations.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from penstock import tree


@dataclass(eq=False)
class Node:
    name: str
    namespace: str = ""
    attribute: bool = False
    value: Any = None
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    deleted: bool = False

    def matches(self, step: tree.Step) -> bool:
        return (
            (step.name is None or step.name == self.name)
            and (step.namespace is None or step.namespace == self.namespace)
            and (not step.attribute or self.attribute)
        )

    def below(self, step: tree.Step) -> list[Node]:
        return [child for child in self.children if child.matches(step)]

    def find(self, path: tree.Path) -> Node | None:
        here = self
        for step in path.steps:
            found = here.below(step)
            index = step.index or 1
            if not found or abs(index) > len(found):
                return None
            here = found[index - 1 if index > 0 else index]
        return here

    def make(self, path: tree.Path) -> Node | None:
        """Return the node at a path, created if need be; None where the tree must refuse."""
        here = self
        for step in path.steps:
            found = here.below(step)
            index = step.index or 1
            if found and abs(index) <= len(found):
                here = found[index - 1 if index > 0 else index]
                continue
            if step.index and index != len(found) + 1 and not (not found and index == -1):
                return None
            if step.name is None or step.namespace is None:
                return None
            here.add(Node(step.name, step.namespace, step.attribute), len(here.children))
            here = here.children[-1]
        return here

    def add(self, node: Node, place: int) -> None:
        node.parent = self
        self.children.insert(place, node)

    def unlink(self) -> None:
        if self.parent is not None:
            self.parent.children.remove(self)
            self.parent = None

    def delete(self) -> None:
        self.unlink()
        waiting = [self]
        while waiting:
            node = waiting.pop()
            node.deleted = True
            waiting += node.children

    def is_within(self, other: Node) -> bool:
        here: Node | None = self
        while here is not None and here is not other:
            here = here.parent
        return here is other

    def copied(self) -> Node:
        copy = Node(self.name, self.namespace, self.attribute, self.value)
        for child in self.children:
            copy.add(child.copied(), len(copy.children))
        return copy

    def shown(self) -> tuple[Any, ...]:
        return (
            self.name,
            self.namespace,
            self.attribute,
            self.value,
            [child.shown() for child in self.children],
        )


def shown(reference: tree.Reference) -> tuple[Any, ...]:
    """Return what a reference stands on in the form of `Node.shown`."""
    return (
        reference.name,
        reference.namespace,
        reference.is_attribute,
        reference.value,
        [shown(child) for child in reference],
    )
