"""A unit of work at the other end of a socket, for asyncio: what `async with qm.unit_of_work():` enters.

As `unit_of_work`: a unit whose connection is gone was backed out at the other end.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.core.units import UnitContext
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from types import TracebackType


class AsyncUnitOfWork(UnitContext):
    """A unit of work of an asyncio program."""

    async def __aenter__(self) -> Any:
        return self._begin()

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is None or scope.ended:
            return
        try:
            await self._qm.end_scope(scope, kind is None)
        except asyncio.CancelledError:
            if not scope.ended:  # nothing was sent
                self._qm.drop_scope(scope)
            raise
        except MQError as failure:
            if kind is None or failure.reason not in calls.GONE:
                raise
        finally:
            self.committed = scope.committed
