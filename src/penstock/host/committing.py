# cython: nonecheck=True
"""The units of work of a connection: begin, commit, back out, prepare for an outside decision.

Between `Publishing` and `Messaging`. A unit belongs to the context that entered it (`units`); what the engine
did is on disk when a commit returns. Compiled, because its heirs are: `committing.pxd`.
"""

from __future__ import annotations

from typing import Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.arguments import text_of
from penstock.face.units import Scope
from penstock.host.publishing import Publishing
from penstock.host.unit_of_work import UnitOfWorkContext
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import authorization


class Committing(Publishing):
    """A connection, as far as units of work need it."""

    def check_open(self) -> None:
        if self.closed or self.gate.closed:
            self._refuse()

    def _refuse(self) -> None:
        if self.closed:
            raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")
        raise self.gate.refusal()

    def unit_of_work(self) -> UnitOfWorkContext:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        qm: Any = self
        return UnitOfWorkContext(qm)

    def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one.

        Returns MQ's warning 2121: no resource manager outside takes part.
        """
        self.check_open()
        if units.current(self) is not None:
            raise error(mq.MQRC_UOW_IN_PROGRESS, "this context is in a unit of work already")
        self.new_scope()
        return mq.MQRC_NO_EXTERNAL_PARTICIPANTS

    def unit_aside(self) -> UnitOfWorkContext:
        """Enter a unit beside the one that is open, if there is one."""
        qm: Any = self
        return UnitOfWorkContext(qm, aside=True)

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give this context a unit; without `holds_all` only calls with SYNCPOINT are in it."""
        gate = self.gate
        gate.acquire()
        try:
            if gate.closed:
                raise gate.refusal()
            scope = Scope(self, self.engine.new_unit(self.connection, clock()), holds_all)
            self.scopes.add(scope)
            self.open_scopes += 1
        finally:
            gate.release()
        units.enter(scope)
        return scope

    def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self._end(scope, True)

    def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self._end(scope, False)

    def backout_uncounted(self) -> None:
        """Back this context's unit out for a reason that is not its messages': their counts stay."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self._end(scope, False, counted=False)

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a call that has failed."""
        if self.closed or self.gate.closed:
            self._forget(scope)
        else:
            self._end(scope, False)

    def _end(self, scope: Scope, commit: bool, counted: bool = True) -> None:
        """Commit or back out a unit; a signal that comes meanwhile is handled when that is done."""
        engine = self.engine
        gate = self.gate
        units.leave(scope)
        gate.acquire()
        try:
            self.scopes.discard(scope)
            self.open_scopes -= 1
            self.check_open()
            engine.step.begin()
            if commit:
                engine.commit(scope.unit, clock())
            else:
                if not counted:
                    scope.unit.spare()
                engine.backout(scope.unit, clock())
            position = engine.step.end()
        finally:
            gate.release()
        self.finish(position)

    def _forget(self, scope: Scope) -> None:
        with self.gate:
            self._leave(scope)

    def _leave(self, scope: Scope) -> None:
        units.leave(scope)
        self.scopes.discard(scope)
        self.open_scopes -= 1

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that is gone."""
        scope.ended = True
        self.scopes.discard(scope)
        self.open_scopes -= 1
        self.host.orphan(scope.unit)

    def prepare(self, xid: str) -> None:
        """Prepare this context's unit under an external id; it survives a restart until resolved."""
        self.check_open()
        scope = units.current(self)
        if scope is None:
            raise error(mq.MQRC_OPTIONS_ERROR, "there is no unit of work to prepare")
        with self.step():
            self.engine.prepare(scope.unit, xid, clock())
            self._leave(scope)

    def commit_prepared(self, xid: str) -> None:
        """Commit a prepared unit."""
        self._resolve(xid, True)

    def backout_prepared(self, xid: str) -> None:
        """Back a prepared unit out."""
        self._resolve(xid, False)

    def _resolve(self, xid: str, commit: bool) -> None:
        self.check_open()
        text_of(xid, "an external id")
        with self.step():
            authorization.check_resolve(self.engine, self.connection, xid)
            self.engine.resolve_prepared(xid, commit, clock())

    def prepared(self) -> list[dict[str, Any]]:
        """List the prepared units."""
        self.check_open()
        authorization.check_qmgr(self.engine, self.connection, "DSP")
        with self.gate:
            return self.engine.list_prepared()
