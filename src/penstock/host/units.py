"""Which unit of work a caller is in: the unit belongs to the context that entered it.

A `Scope` ties an engine's unit to a context (a thread or a task). When the context goes away
without ending it, the scope goes with it and the unit is backed out, as MQ does for a connection
that dies. One context variable serves all queue managers.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.host.queue_manager import QueueManager

_scopes: ContextVar[tuple[Scope, ...]] = ContextVar("penstock_units", default=())


class Scope:
    """A unit of work that is open in one context."""

    def __init__(self, qm: Any, unit: Any) -> None:
        self.qm = qm  # embedded, or a client
        self.unit = unit  # the engine's, or the number that a client calls it by
        self.ended = False

    def __del__(self) -> None:
        if not self.ended:
            self.qm.abandon(self)


def current(qm: object) -> Scope | None:
    """Return the scope that this context has open with a queue manager."""
    for scope in _scopes.get():
        if scope.qm is qm and not scope.ended:
            return scope
    return None


def enter(scope: Scope) -> None:
    """Make a scope the one of this context."""
    _scopes.set((*(each for each in _scopes.get() if not each.ended), scope))


def leave(scope: Scope) -> None:
    """Forget a scope that has ended."""
    scope.ended = True
    _scopes.set(tuple(each for each in _scopes.get() if not each.ended))


class UnitOfWorkContext:
    """What `with qm.unit_of_work():` enters."""

    def __init__(self, qm: QueueManager) -> None:
        self._qm = qm
        self._scope: Scope | None = None

    def __enter__(self) -> QueueManager:
        self._qm.begin()
        self._scope = current(self._qm)
        return self._qm

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is None or scope.ended:
            return
        if kind is None:
            self._qm._end(scope, True)
        elif not self._qm.host.closed:
            self._qm._end(scope, False)
