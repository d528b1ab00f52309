"""A unit of work at the other end of a socket: commit at the end, back out on an exception.

What `with qm.unit_of_work():` enters on a blocking client. The queue manager keeps the books; a unit whose
connection is gone was backed out there, so that leaving it because of an exception raises nothing more.
Compiled through `unit_of_work.pxd`: no signal cuts a commit off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.core.units import UnitContext
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.face.units import Scope


class ClientUnitOfWork(UnitContext):
    """A unit of work of a blocking program."""

    def __enter__(self) -> Any:
        return self._begin()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is not None and not scope.ended:
            with uninterrupted:
                self._end(scope, kind is None)

    def _end(self, scope: Scope, commit: bool) -> None:
        if commit:
            self._qm.end_scope(scope, True)
            self.committed = True
            return
        try:
            self._qm.end_scope(scope, False)
        except MQError as failure:
            if failure.reason not in calls.GONE:
                raise
