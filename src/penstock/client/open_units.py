# cython: nonecheck=True
"""The units of work that are open on one connection, and the numbers that the other end knows them by.

Both clients hold one. It sends nothing: a unit begins at the other end with its first use, and
`end_scope` of the connection ends it. Compiled through `open_units.pxd`: every put and get asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.face import units
from penstock.face.units import Scope, Scopes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.units import HasUnits

NUMBER_MAX = 0xFFFFFFF0


class OpenUnits:
    """The open units of one connection."""

    def __init__(self) -> None:
        self._scopes = Scopes()
        self.count = 0
        self._next = 1

    def new_number(self) -> int:
        """Return a number for a unit; its first use informs the other end."""
        number = self._next
        self._next = number + 1 if number < NUMBER_MAX else 1
        return number

    def enter(self, qm: HasUnits, number: int, holds_all: bool = True) -> Scope:
        """Let this context work in a unit; without `holds_all` only calls with SYNCPOINT are in it."""
        scope = Scope(qm, number, holds_all)
        self._scopes.add(scope)
        self.count = len(self._scopes)
        units.enter(scope)
        return scope

    def number_of(self, qm: HasUnits) -> int:
        """Return the unit that this context's calls without syncpoint options are in, 0 for none."""
        if not self.count:
            return 0
        scope = units.scope_of(qm)
        return 0 if scope is None else scope.unit

    def forget(self, scope: Scope) -> None:
        """Forget a unit that its context ends."""
        units.leave(scope)
        self._discard(scope)

    def abandon(self, scope: Scope) -> None:
        """Forget a unit whose context has ended."""
        scope.ended = True
        self._discard(scope)

    def _discard(self, scope: Scope) -> None:
        self._scopes.discard(scope)
        self.count = len(self._scopes)

    def __iter__(self) -> Iterator[Scope]:
        return iter(self._scopes)

    def __len__(self) -> int:
        return self.count
