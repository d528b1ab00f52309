"""A unit of work at the other end of a socket: commit at the end, back out on an exception.

What `with qm.unit_of_work():` enters on a blocking client. The queue manager keeps the books; a unit whose
connection is gone was backed out there, so that leaving it because of an exception raises nothing more.
Compiled through `unit_of_work.pxd`: no signal cuts a commit off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.face import units
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.face.units import Scope


class ClientUnitOfWork:
    """What `with qm.unit_of_work():` enters. `aside` begins a unit beside one that is open.

    `committed` says afterwards whether the unit was committed, whatever exception has come.
    """

    def __init__(self, qm: Any, aside: bool = False) -> None:
        self._qm = qm
        self._aside = aside
        self._scope: Scope | None = None
        self.committed = False

    def __enter__(self) -> Any:
        if self._aside:
            self._scope = self._qm.new_scope()
        else:
            self._qm.begin()
            self._scope = units.current(self._qm)
        return self._qm

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""
        if self._scope is not None:
            units.set_aside(self._scope)

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
