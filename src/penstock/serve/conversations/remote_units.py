# cython: nonecheck=True
"""The units of work of a conversation, by the numbers that its client gave them.

A part of `Conversation`. A unit begins with its first use. A put without an answer that failed is
remembered: its unit can only be backed out. Compiled through `remote_units.pxd`.
"""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.units import Scope
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.serve.entry.refusals import shown

if TYPE_CHECKING:
    from penstock.host.session import Session
    from penstock.protocol._frames import Frame
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.serve.conversations.replies import Replies

_COMMIT = protocol.COMMIT
_DONE = protocol.DONE


class RemoteUnits:
    """What a client has under way in units of work."""

    def __init__(self, session: Session, replies: Replies) -> None:
        self.session = session
        self.replies = replies
        self.units: dict[int, UnitOfWork] = {}
        self.contexts: dict[int, tuple[Scope, contextvars.Context]] = {}
        self.failed_puts: dict[int, MQError] = {}  # the first failure of a unit's puts without an answer
        self.async_failures: list[MQError] = []  # the first one outside units
        self.async_done = 0
        self.async_failed = 0

    def unit(self, number: int) -> UnitOfWork:
        """Return the unit that a client calls by a number, begun by its first use."""
        found: UnitOfWork | None = self.units.get(number)
        if found is None:
            if len(self.units) >= protocol.UNITS_MAX:
                raise error(
                    mq.MQRC_SYNCPOINT_LIMIT_REACHED,
                    f"{protocol.UNITS_MAX} units of work are open in this conversation",
                )
            found = self.units[number] = self.new_unit()
        return found

    def any_begun(self) -> bool:
        """Return whether something was done in a unit that is open."""
        return any(unit.count for unit in self.units.values())

    def new_unit(self) -> UnitOfWork:
        """Begin a unit without a number."""
        with self.session.gate:
            unit: UnitOfWork = self.session.engine.new_unit(self.session.connection, clock())
            return unit

    def context(self, number: int) -> contextvars.Context:
        """Return the context in which verbs of the host find a unit."""
        found = self.contexts.get(number)
        if found is None:
            unit = self.unit(number)
            context = contextvars.Context()
            scope = Scope(self.session, unit)
            context.run(units.enter, scope)
            self.session.open_scopes += 1
            found = self.contexts[number] = (scope, context)
        return found[1]

    def run(self, unit: int, call: Any) -> Any:
        """Make a call of the host inside a unit, or outside all units for 0."""
        return self.context(unit).run(call) if unit else call()

    def forget_unit(self, number: int) -> UnitOfWork | None:
        """Take a unit out of the books; its end is the caller's."""
        found = self.contexts.pop(number, None)
        if found is not None:
            found[0].ended = True
            self.session.open_scopes -= 1
        self.failed_puts.pop(number, None)
        unit: UnitOfWork | None = self.units.pop(number, None)
        return unit

    def end_unit(self, frame: Frame) -> None:
        """Commit or back out; a unit that lost a put without an answer is backed out."""
        number = frame.unit
        failure = self.failed_puts.get(number)
        unit = self.forget_unit(number)
        commit = frame.kind == _COMMIT
        if unit is not None:
            self.finish_unit(unit, commit and failure is None, not frame.flags & protocol.UNCOUNTED)
        if commit and failure is not None:
            self.replies.caller.reached = 0
            raise error(mq.MQRC_BACKED_OUT, f"a put of this unit had failed: {failure}", cause=failure.reason)
        self.replies.done(_DONE, frame.request)

    def finish_unit(self, unit: UnitOfWork, commit: bool, counted: bool = True) -> None:
        """Commit or back out a unit that is out of the books."""
        session = self.session
        with session.step():
            if commit:
                session.engine.commit(unit, clock())
            else:
                if not counted:
                    unit.spare()
                session.engine.backout(unit, clock())

    def note_failed_put(self, unit: int, failure: MQError) -> None:
        """Keep the failure of a put whose client did not wait for an answer."""
        failure = shown(self.replies.link, failure)
        self.async_failed += 1
        if unit:  # which may not have begun: its commit must not look as if there was nothing to do
            if len(self.failed_puts) >= protocol.UNITS_MAX and unit not in self.failed_puts:
                raise ValueError(f"puts of more than {protocol.UNITS_MAX} units have failed")
            self.failed_puts.setdefault(unit, failure)
        elif not self.async_failures:
            self.async_failures.append(failure)

    def end_all(self, commit: bool) -> None:
        """End every unit, whatever becomes of the others."""
        failure = None
        for number in list(self.units):
            unit = self.forget_unit(number)
            if unit is None or self.session.gate.closed:
                continue
            try:
                self.finish_unit(unit, commit)
            except MQError as problem:
                failure = problem
        if failure is not None:
            raise failure
