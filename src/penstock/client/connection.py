# cython: nonecheck=True
"""A client's connection and its units of work, for blocking programs: begin, commit, back out, close.

The lowest part of `ClientQueueManager`. A unit belongs to the context that entered it; the other end hears of
it by its first use. Compiled through `connection.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import calls, driver
from penstock.client.connection_pool import leave
from penstock.client.core.units import begin
from penstock.client.returned_messages import Kept
from penstock.client.unit_of_work import ClientUnitOfWork
from penstock.face import units
from penstock.face.deadlines import deadline_of
from penstock.face.receiving import Receiving
from penstock.face.units import Scope, Scopes
from penstock.model import constants as mq
from penstock.model._interrupts import uninterrupted
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.telemetry.spans import active_sampler

if TYPE_CHECKING:
    from penstock.client._link import ClientLink
    from penstock.client.dialling import Target


class ClientConnection(Receiving):
    """A conversation on a link, and the units that are open in it."""

    def __init__(self, link: ClientLink, conversation: int, target: Target, timeout: float) -> None:
        self.link = link
        self.conversation = conversation
        self.target = target
        self.timeout = timeout
        self.name = link.terms.text("qmgr")
        self.message_max = link.terms.number("message_max", protocol.FRAME_BYTES_MAX)
        self.scopes = Scopes()
        self.open_scopes = 0
        self.next_unit = 1
        self.closed = False
        self.kept = Kept()
        self.sampler = active_sampler()  # records puts and gets, of a program with telemetry

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take when the call itself may wait; negative for ever."""
        if wait is None:
            return -1.0
        if type(wait) is not float:
            deadline_of(wait)  # raises if it is not a number
        return self.timeout + wait

    def unit_of_work(self) -> ClientUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return ClientUnitOfWork(self)

    def unit_aside(self) -> ClientUnitOfWork:
        """Enter a unit beside the one that is open, if there is one."""
        return ClientUnitOfWork(self, aside=True)

    def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one.

        Returns MQ's warning 2121: no resource manager outside takes part.
        """
        return begin(self)

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give this context a unit; without `holds_all` only calls with SYNCPOINT are in it."""
        return self.enter_scope(self.new_unit(), holds_all)

    def enter_scope(self, number: int, holds_all: bool = True) -> Scope:
        """Let this context work in a unit."""
        scope = Scope(self, number, holds_all)
        self.scopes.add(scope)
        self.open_scopes += 1
        units.enter(scope)
        return scope

    def new_unit(self) -> int:
        """Return a number for a unit; its first use informs the other end."""
        number = self.next_unit
        self.next_unit = number + 1 if number < 0xFFFFFFF0 else 1
        return number

    def unit_number(self) -> int:
        """Return the unit that calls without syncpoint options are in, 0 for none."""
        scope = units.scope_of(self)
        return 0 if scope is None else int(scope.unit)

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
        return units.scope_of(self) is not None

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a failed call; the other end is informed before the next call."""
        with uninterrupted:
            self.forget(scope)
            self.kept.of_unit(scope.unit)
            calls.orphan(self, scope.unit)

    def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self.end_scope(scope, True)

    def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            self.end_scope(scope, False)

    def backout_uncounted(self) -> None:
        """Back this context's unit out for a reason that is not its messages': their counts stay."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            with uninterrupted:
                self.forget(scope)
                if self.kept:
                    self.kept.of_unit(scope.unit)
                calls.bare(self, protocol.BACKOUT, scope.unit, protocol.UNCOUNTED)

    def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; a signal that comes meanwhile is handled when that is done."""
        with uninterrupted:
            self.forget(scope)
            lost = self.kept.of_unit(scope.unit) if self.kept else None
            calls.bare(self, protocol.COMMIT if commit and lost is None else protocol.BACKOUT, scope.unit)
            if commit and lost is not None:
                raise lost

    def forget(self, scope: Scope) -> None:
        """Take a unit out of the books."""
        units.leave(scope)
        self.scopes.discard(scope)
        self.open_scopes -= 1

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that has ended, without waiting for an answer."""
        scope.ended = True
        self.scopes.discard(scope)
        self.open_scopes -= 1
        calls.orphan(self, scope.unit)

    # -- the end ---------------------------------------------------------------------------

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed."""
        if self.closed:
            raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")

    def close(self) -> None:
        """Disconnect: commit open units, close handles, put back messages of abandoned gets."""
        if not self.closed:
            with uninterrupted:
                self._close()

    def _close(self) -> None:
        failure: MQError | None = None
        try:
            driver.put_back(self, self.kept.outside_units())
        except MQError as problem:
            failure = problem
        self.closed = True
        for scope in list(self.scopes):
            try:
                self.end_scope(scope, True)
            except MQError as problem:
                failure = problem
        leave(self.link, self.conversation)
        if failure is not None:
            raise failure

    disconnect = close

    def __repr__(self) -> str:
        return f"<ClientQueueManager {self.name}{' closed' if self.closed else ''}>"
