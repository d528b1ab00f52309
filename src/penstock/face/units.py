"""Which unit of work a caller is in: the unit belongs to the context that entered it.

A `Scope` ties an engine's unit to a context (a thread or a task). When the context goes away
without ending it, the scope goes with it and the unit is backed out, as MQ does for a connection
that dies. One context variable serves all queue managers. `scope_of` is the rule which calls are in
a unit, `CallUnit` the unit of one call; embedded queue managers and clients share both. Compiled through
`units.pxd`: no signal comes between the steps of a begin or an end.
"""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    class HasUnits(Protocol):
        """What a unit needs of the connection that it was begun on, embedded or a client's."""

        def new_scope(self, holds_all: bool = True) -> Scope:
            """Give this context a unit; without `holds_all` only calls with SYNCPOINT are in it."""

        def drop_scope(self, scope: Scope) -> None:
            """Back out the unit of a call that has failed."""

        def abandon(self, scope: Scope) -> None:
            """Back out the unit of a context that has ended."""


SYNC = mq.MQPMO_SYNCPOINT | mq.MQPMO_NO_SYNCPOINT  # the same bits for put and get
_scopes: ContextVar[tuple[Scope, ...]] = ContextVar("penstock_units", default=())


class Scope:
    """A unit of work that is open in one context."""

    committed = False  # set by the asyncio client, whose callers may be cancelled meanwhile

    def __init__(self, qm: HasUnits, unit: Any, holds_all: bool = True) -> None:
        self.qm = qm
        self.unit = unit  # the engine's, or the number that a client calls it by
        self.holds_all = holds_all  # else only calls with SYNCPOINT are in it, as the one that began it
        self.ended = False

    def __del__(self) -> None:
        if not self.ended:
            self.qm.abandon(self)


class Scopes:
    """The scopes of one connection that have not ended; this keeps none alive."""

    def __init__(self) -> None:
        self._known: dict[int, weakref.ref[Scope]] = {}

    def add(self, scope: Scope) -> None:
        """Note a scope that has begun."""
        self._known[id(scope)] = weakref.ref(scope)

    def discard(self, scope: Scope) -> None:
        """Forget a scope that has ended."""
        self._known.pop(id(scope), None)

    def __iter__(self) -> Iterator[Scope]:
        for known in list(self._known.values()):
            scope = known()
            if scope is not None:
                yield scope

    def __len__(self) -> int:
        return len(self._known)


def current(qm: object) -> Scope | None:
    """Return the scope that this context has open with a queue manager, the newest of them."""
    for scope in _scopes.get():
        if scope.qm is qm and not scope.ended:
            return scope
    return None


def scope_of(qm: object, options: int = 0) -> Scope | None:
    """Return the open scope that a call with these options works in; None for outside all units."""
    if options & mq.MQPMO_NO_SYNCPOINT:
        return None
    scope = current(qm)
    if scope is None or scope.holds_all or options & mq.MQPMO_SYNCPOINT:
        return scope
    return None


def syncpoint_of_get(options: int) -> int:
    """Return a get's options as `scope_of` and `CallUnit` read them."""
    return options | mq.MQGMO_SYNCPOINT if options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT else options


def within_own_unit(details: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of puts that a call makes in a unit of its own, outside the one that is open."""
    options: int = details.get("options", 0)
    if options & SYNC != mq.MQPMO_NO_SYNCPOINT:
        return details
    return {**details, "options": options & ~mq.MQPMO_NO_SYNCPOINT}


def enter(scope: Scope) -> None:
    """Make a scope the one of this context."""
    _scopes.set((scope, *(each for each in _scopes.get() if not each.ended)))


def set_aside(scope: Scope) -> None:
    """Let the calls of this context be outside a scope, which has not ended."""
    _scopes.set(tuple(each for each in _scopes.get() if each is not scope))


def leave(scope: Scope) -> None:
    """Forget a scope that has ended."""
    scope.ended = True
    _scopes.set(tuple(each for each in _scopes.get() if not each.ended))


class CallUnit:
    """The unit that one call works in; SYNCPOINT begins one, which does not outlive a call that fails."""

    def __init__(self, qm: HasUnits, options: int) -> None:
        self._qm = qm
        self.begun: Scope | None = None
        scope = scope_of(qm, options)
        if scope is None and options & SYNC == mq.MQPMO_SYNCPOINT:
            scope = self.begun = qm.new_scope(holds_all=False)
        self.unit = None if scope is None else scope.unit  # None: outside

    def give_up(self) -> None:
        """End a unit that the call has begun and has nothing in."""
        begun, self.begun = self.begun, None
        if begun is not None and not begun.ended:
            self._qm.drop_scope(begun)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.give_up()
