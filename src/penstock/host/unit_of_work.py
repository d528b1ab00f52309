"""`with qm.unit_of_work():` of an embedded queue manager, and units that an outside coordinator ends.

Compiled, so that no signal handler runs between its steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.face._clock import now as clock
from penstock.face.arguments import text_of
from penstock.face.units import Scope, current, set_aside
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import authorization

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.host.queue_manager import QueueManager


class UnitOfWorkContext:
    """What `with qm.unit_of_work():` enters. `aside` begins a unit beside one that is open.

    `committed` says afterwards whether the unit was committed, whatever exception has come.
    """

    def __init__(self, qm: QueueManager, aside: bool = False) -> None:
        self._qm = qm
        self._session = qm.session
        self._aside = aside
        self._scope: Scope | None = None
        self.committed = False

    def __enter__(self) -> QueueManager:
        if self._aside:
            self._session.check_open()
            self._scope = self._session.new_scope()
        else:
            self._qm.begin()
            self._scope = current(self._session)
        return self._qm

    def set_aside(self) -> None:
        """Let the calls of this context be outside the unit until it ends."""
        if self._scope is not None:
            set_aside(self._scope)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is None or scope.ended:
            return
        if kind is None:
            self._session.end_scope(scope, True)
            self.committed = True
        elif not self._session.host.closed:
            self._session.end_scope(scope, False)


def prepare(qm: QueueManager, xid: str) -> None:
    """Prepare the unit of this context under an external id."""
    session = qm.session
    session.check_open()
    scope = current(session)
    if scope is None:
        raise error(mq.MQRC_OPTIONS_ERROR, "there is no unit of work to prepare")
    with session.step():
        qm.engine.prepare(scope.unit, xid, clock())
        session.leave_scope(scope)


def resolve(qm: QueueManager, xid: str, commit: bool) -> None:
    """Commit or back out a prepared unit."""
    qm.session.check_open()
    text_of(xid, "an outside id")
    with qm.session.step():
        user = authorization.check_resolve(qm.engine, qm.connection, xid)
        qm.engine.resolve_prepared(xid, commit, clock(), user)
