"""Units of work at the other end of a socket: what both clients' units know.

The queue manager keeps the books; a unit whose connection is gone was backed out there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.face import units
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.face.units import HasUnits, Scope

    class EndsUnits(HasUnits, Protocol):
        """What a unit of work needs of a client's connection."""

        def check_open(self) -> None:
            """Raise 2018 when the connection is closed."""

        def end_scope(self, scope: Scope, commit: bool) -> Any:
            """Commit or back out a unit."""


class UnitContext:
    """What `with qm.unit_of_work():` enters. `aside` begins a unit beside one that is open.

    `committed` says afterwards whether the unit was committed, whatever exception has come.
    """

    def __init__(self, qm: EndsUnits, aside: bool = False) -> None:
        self._qm = qm
        self._aside = aside
        self._scope: Scope | None = None
        self.committed = False

    def _begin(self) -> Any:
        """Begin the unit and return the connection."""
        if self._aside:
            self._scope = self._qm.new_scope()
        else:
            begin(self._qm)
            self._scope = units.current(self._qm)
        return self._qm

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""
        if self._scope is not None:
            units.set_aside(self._scope)


def begin(qm: EndsUnits) -> int:
    """Start a unit of work in this context (MQBEGIN); 2128 when it has one."""
    qm.check_open()
    if units.current(qm) is not None:
        raise error(mq.MQRC_UOW_IN_PROGRESS, "this context is in a unit of work already")
    qm.new_scope()
    return mq.MQRC_NO_EXTERNAL_PARTICIPANTS
