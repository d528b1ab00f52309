"""A unit of work at the other end of a socket, for asyncio: what `async with qm.unit_of_work():` enters.

As `unit_of_work`: a unit whose connection is gone was backed out at the other end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.face import units
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.face.units import Scope


class AsyncUnitOfWork:
    """What `async with qm.unit_of_work():` enters. `aside` begins a unit beside one that is open."""

    def __init__(self, qm: Any, aside: bool = False) -> None:
        self._qm = qm
        self._aside = aside
        self._scope: Scope | None = None

    async def __aenter__(self) -> Any:
        if self._aside:
            self._scope = self._qm.new_scope()
        else:
            await self._qm.begin()
            self._scope = units.current(self._qm)
        return self._qm

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""
        if self._scope is not None:
            units.set_aside(self._scope)

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is None or scope.ended:
            return
        if kind is None:
            await self._qm.end_scope(scope, True)
            return
        try:
            await self._qm.end_scope(scope, False)
        except MQError as failure:
            if failure.reason not in calls.GONE:
                raise
