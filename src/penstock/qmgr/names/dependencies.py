"""What resolved names depend on: a definition changes, and exactly the routes that it is part of are stale.

A route holds a `Dependency` for every definition that was looked up for it, also for those that were not
found. A change makes the dependency permanently invalid; resolving the name again gives a new one. A name
that depends on more than definitions (a cluster's repository, say) adds a dependency of its own namespace.
Compiled through `dependencies.pxd`: every plain put checks its route.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from penstock.qmgr.objects import Definition

GROUP = "GROUP"  # the namespace of the members of the queue-sharing group
SECURITY = "SECURITY"  # the namespace of all that decides about authority: records, users, groups


class Dependency:
    """One definition, or a whole namespace, as it was when it was looked up."""

    def __init__(self) -> None:
        self.valid = True


class Dependencies:
    """The dependencies in use, by namespace and name; a namespace as a whole has the name ""."""

    def __init__(self) -> None:
        self._held: WeakValueDictionary[tuple[str, str], Dependency] = WeakValueDictionary()
        self.changes = 0  # while it is the same, whatever was current still is

    def on(self, namespace: str, name: str = "") -> Dependency:
        """Return a dependency that is valid until the definition, or anything in the namespace, changes."""
        key = namespace, name
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = Dependency()
        return held

    def changed(self, definition: Definition) -> None:
        """Invalidate what was resolved by a definition that was defined, altered or deleted."""
        namespace = definition.namespace
        self._invalidate(namespace, definition.name)
        self._invalidate(namespace, "")
        if namespace == "AUTHREC":
            self.security_changed()

    def cluster_changed(self, name: str) -> None:
        """Invalidate what was resolved by the records of a cluster queue or queue manager."""
        self._invalidate("CLUSTER", name)

    def group_changed(self) -> None:
        """Invalidate what was resolved by the members of the queue-sharing group."""
        self._invalidate(GROUP, "")

    def security_changed(self) -> None:
        """Invalidate decisions about authority."""
        self._invalidate(SECURITY, "")

    def _invalidate(self, namespace: str, name: str) -> None:
        held = self._held.pop((namespace, name), None)
        if held is not None:
            held.valid = False
            self.changes += 1


def all_valid(dependencies: tuple[Dependency, ...]) -> bool:
    """Return whether nothing has changed."""
    for dependency in dependencies:  # noqa: SIM110 -- compiled, this is quicker
        if not dependency.valid:
            return False
    return True
