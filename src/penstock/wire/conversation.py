# cython: nonecheck=True
"""The server's side of one conversation: a client's puts, gets and units of work, without sleeping.

Frames come from `Link` in the loop's thread. Plain puts and gets are done here; everything else is a
named verb (`verbs`). An answer that tells of something durable leaves when the disk has it: `Server`
holds it back until then. Invariant: whatever ends the conversation, its units are backed out and nothing
of it stays in the engine. Compiled through `conversation.pxd`.
"""

from __future__ import annotations

import contextvars
from typing import TYPE_CHECKING, Any

from penstock.host import units
from penstock.host._gate import monotonic
from penstock.host._gate import now as clock
from penstock.host.arguments import GET_MANY_MAX
from penstock.host.message_batch import is_plain
from penstock.host.short_way import SPILLED
from penstock.host.units import Scope
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, plain_message
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.waiters import Match
from penstock.wire import failures, protocol, verbs
from penstock.wire._frames import weight
from penstock.wire.waits import Wait

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.wire._frames import Frame
    from penstock.wire.link import Link
    from penstock.wire.long_calls import LongCall
    from penstock.wire.remote_connection import RemoteConnection

DESCRIBED_MAX = 256
LOOK_SECONDS = 2.0  # between looks at waits: what was noted of those that were answered is gone by then
PERSISTENCE = (False, True, None)
_ASYNC_PUTS = protocol.ASYNC_PUTS
_BATCH_BYTES_MAX = protocol.BATCH_BYTES_MAX
_CALL = protocol.CALL
_CHAINED = protocol.CHAINED
_COMMIT = protocol.COMMIT
_DONE = protocol.DONE
_GET = protocol.GET
_GET_MANY = protocol.GET_MANY
_NO_REPLY = protocol.NO_REPLY
_NOTHING = protocol.NOTHING
_PUT = protocol.PUT
_PUT_MANY = protocol.PUT_MANY
_WAITS_MAX = protocol.WAITS_MAX
_READS_AHEAD = protocol.READS_AHEAD
_BEGINNING = (protocol.PUT, protocol.GET, protocol.PUT_MANY, protocol.GET_MANY)


class Conversation:
    """One client connection (MQ's hConn) on a link."""

    def __init__(self, link: Link, number: int, qm: RemoteConnection) -> None:
        self.link = link
        self.server = link.server
        self.out = link.out
        self.number = number
        self.qm = qm
        self.names: dict[int, str] = {}
        self.units: dict[int, UnitOfWork] = {}
        self.contexts: dict[int, tuple[Scope, contextvars.Context]] = {}
        self.waits: dict[int, Wait] = {}
        self.look_at = 0.0  # when a wait may be over; 0 for never
        self.handles: dict[int, Any] = {}
        self.next_handle = 1
        self.described: dict[bytes, Any] = {}  # descriptors that were checked, by their packed fields
        self.failed_puts: dict[int, MQError] = {}  # the first failure of a unit's puts without an answer
        self.async_failures: list[MQError] = []  # the first one outside units
        self.async_done = 0
        self.async_failed = 0
        self.skipped = 0
        self.parked: list[Wait] = []
        self.working = 0  # long calls under way
        self.calls: dict[int, LongCall] = {}
        self.ended = False

    def handle(self, frame: Frame) -> None:
        """Do what a frame asks for; a failure is an answer."""
        kind = frame.kind
        try:
            if self.link.ending and kind in _BEGINNING:
                self.check_quiescing(frame.unit)
            if kind == _PUT:
                self.put(frame)
            elif kind == _GET or kind == _GET_MANY:  # noqa: SIM109 - numbers of C, no tuple
                self.get(frame)
            elif kind == _PUT_MANY:
                self.put_many(frame)
            elif kind in (_COMMIT, protocol.BACKOUT):
                self.end_unit(frame)
            elif kind == protocol.NAME:
                self.name(frame)
            elif kind == _CALL:
                verbs.call(self, frame)
            elif kind == protocol.CANCEL:
                self.cancel(frame.request)
            elif kind == protocol.MORE:
                self.more(frame)
            else:
                raise ValueError(f"frame kind {kind} is unknown")
        except MQError as failure:
            if frame.flags & _CHAINED:
                self.skipped = frame.request
                self.fail(frame.request, failure)
            elif frame.flags & _NO_REPLY:
                self.note_failed_put(frame.unit, failure)
            else:
                self.fail(frame.request, failure)

    def check_quiescing(self, unit: int) -> None:
        """Refuse new work to a client that was told to go; what it has begun it may finish."""
        if self.link.ending and unit not in self.units:
            raise error(2161, "the queue manager is quiescing: finish and disconnect")

    def quiesce(self) -> None:
        """End every get that waits with 2161."""
        for wait in list(self.waits.values()):
            if self._withdraw(wait):
                self.fail(wait.request, error(2161, "the queue manager is quiescing"))

    # -- messages --------------------------------------------------------------------------

    def name(self, frame: Frame) -> None:
        """Give a number to a queue's name."""
        if frame.size > 4 + protocol.NAME_BYTES_MAX:
            raise ValueError(f"a name has at most {protocol.NAME_BYTES_MAX} bytes")
        payload = frame.payload()
        number = int.from_bytes(payload[:4], "little")
        if number >= protocol.NAMES_MAX:
            raise ValueError(f"names have numbers below {protocol.NAMES_MAX}")
        self.names[number] = payload[4:].decode()

    def put(self, frame: Frame) -> None:
        body = frame.read_put()
        qm = self.qm
        name = self.names[frame.target]
        unit = self.unit(frame.unit) if frame.unit else None
        persistence = frame.persistence
        if persistence < 0 or persistence > 2:
            raise ValueError(f"persistence {persistence} is unknown")
        persistent = PERSISTENCE[persistence]
        self.link.messages += 1
        msg_id = None if frame.msg_id == NO_ID else frame.msg_id
        context = qm.context if frame.fields is None else self.described.get(frame.fields)
        message = None
        if context is not None:
            message = qm.put_quick(
                name, None, body, persistent, frame.correl_id, msg_id, context, unit, clock()
            )
        if message is None:
            self._put_in_full(frame, name, body, persistent)
        elif frame.flags & _NO_REPLY:
            self.async_done += 1
            self.server.reach(qm.reached)
            qm.reached = 0
        else:
            flags = _ASYNC_PUTS if qm.routes[name].asynchronous else 0
            if qm.reached:
                self._receipt_when_durable(frame.request, message, flags)
            else:
                self.out.receipt(self.number, frame.request, message, flags)
                self.link.mark()

    def _receipt_when_durable(self, request: int, message: Message, flags: int) -> None:
        position = self.qm.reached
        self.qm.reached = 0
        self.server.when_durable(position, self, protocol.RECEIPT | flags << 8, request, message)

    def _put_in_full(self, frame: Frame, name: str, body: bytes, persistent: bool | None) -> None:
        request, quiet, unit = frame.request, frame.flags & _NO_REPLY, frame.unit
        ids: dict[str, Any] = {"correl_id": frame.correl_id, "msg_id": frame.msg_id}
        packed = frame.fields
        fields = {} if packed is None else verbs.read_fields(packed)
        try:
            receipt = self.run(unit, lambda: self.qm.put(name, body, persistent=persistent, **ids, **fields))
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as cause:
            raise error(2026, f"the descriptor fields of a put are wrong: {cause}") from cause
        if packed is not None and is_plain(receipt.descriptor):
            if len(self.described) >= DESCRIBED_MAX:
                self.described.clear()
            self.described[packed] = receipt.descriptor
        if quiet:
            self.async_done += 1
            self.server.reach(self.qm.reached)
            self.qm.reached = 0
        else:
            verbs.answer(self, request, verbs.receipt_facts(receipt))

    def put_many(self, frame: Frame) -> None:
        """Put several messages in the unit that is named, or in one of their own."""
        bodies = frame.read_put_many()
        qm = self.qm
        name = self.names[frame.target]
        if not 0 <= frame.persistence <= 2:
            raise ValueError(f"persistence {frame.persistence} is unknown")
        persistent = PERSISTENCE[frame.persistence]
        self.link.messages += len(bodies)
        put = None if frame.unit else qm.put_many_quick(name, bodies, persistent, clock())
        if put is None:
            put = self._put_many_in_unit(frame.unit, name, bodies, persistent)
        position = qm.reached
        qm.reached = 0
        if frame.flags & _NO_REPLY:
            self.async_done += len(put)
            self.server.reach(position)
        else:
            self.server.when_durable(position, self, protocol.RECEIPTS, frame.request, put)

    def _put_many_in_unit(
        self, number: int, name: str, bodies: list[bytes], persistent: bool | None
    ) -> list[Message]:
        """Put messages one after the other in a unit, one of their own for 0."""
        qm = self.qm
        unit = self.unit(number) if number else self._new_unit()
        put: list[Message] = []
        now = clock()
        try:
            for body in bodies:
                message = qm.put_quick(name, None, body, persistent, None, None, qm.context, unit, now)
                put.append(self._put_in_unit(unit, name, body, persistent) if message is None else message)
        except MQError:
            if not number:
                self._finish_unit(unit, False)
                qm.reached = 0
            raise
        if not number:
            self._finish_unit(unit, True)
        return put

    def _put_in_unit(self, unit: UnitOfWork, name: str, body: bytes, persistent: bool | None) -> Message:
        """Put a message of many that needs the long way."""
        qm = self.qm
        scope = Scope(qm, unit)
        context = contextvars.Context()
        context.run(units.enter, scope)
        qm.open_scopes += 1
        try:
            receipt = context.run(lambda: qm.put(name, body, persistent=persistent))
        finally:
            scope.ended = True
            qm.open_scopes -= 1
        return plain_message(b"", receipt.msg_id, NO_ID, False, 0, receipt.put_time, receipt.descriptor)

    def get(self, frame: Frame) -> None:
        if self.skipped and self.skipped == frame.request:
            self.skipped = 0  # the put that it belongs to has failed, and that was said
            return
        frame.read_get()
        name = self.names[frame.target]
        unit = self.unit(frame.unit) if frame.unit else None
        match = None
        if frame.msg_id is not None or frame.correl_id is not None:
            match = Match(_wanted(frame.msg_id), _wanted(frame.correl_id))
        wait_ms = frame.wait_ms
        if wait_ms < protocol.WAIT_FOR_EVER:
            raise error(2090, f"a wait of {wait_ms} milliseconds is no wait")
        many = frame.kind == _GET_MANY
        if many and not 0 < frame.count <= GET_MANY_MAX:
            raise error(2046, f"count must be 1 to {GET_MANY_MAX}")
        count = frame.count if many else 0
        ahead = frame.ahead if many else 0
        if wait_ms == 0:
            message = self.qm.get_quick(name, match, unit)
            if message is None:
                self.out.frame(_NOTHING, 0, self.number, frame.request, 0, b"")
                self.link.mark()
                return
            if message is not SPILLED:
                self.answer_get(frame.request, name, match, unit, message, count, ahead)
                return
        deadline = 0.0 if wait_ms < 0 else monotonic() + wait_ms * 0.001
        self.retry(Wait(self, frame.request, name, match, unit, count, ahead, deadline, None))

    def check_wait(self, request: int) -> None:
        """Refuse a get that could not be remembered if it had to wait, before it is registered."""
        if len(self.waits) >= _WAITS_MAX:
            raise error(2219, f"{_WAITS_MAX} gets wait in this conversation already")
        if request in self.waits:
            raise ValueError(f"request {request} is under way already")

    def remember(self, wait: Wait) -> None:
        """Keep a get that is not answered yet."""
        self.check_wait(wait.request)
        self.waits[wait.request] = wait

    def retry(self, wait: Wait) -> None:
        """Take a message or register a waiter, in one step; read bodies first where it takes that."""
        qm = self.qm
        engine = qm.engine
        gate = qm.gate
        loading = None
        try:
            gate.acquire()
            try:
                if gate.closed:
                    raise gate.refusal()
                engine.to_load = None
                engine.position = 0
                queue = qm.way_to(wait.name).queue
                message = engine.take(queue, wait.match, wait.unit, clock())
                position = engine.position
                if message is None:
                    loading, engine.to_load = engine.to_load, None
                    if loading is None and wait.deadline and monotonic() >= wait.deadline:
                        self._close(wait)
                        self.done(_NOTHING, wait.request)
                        return
                    if self.waits.get(wait.request) is not wait:
                        self.remember(wait)
                    if loading is None:
                        wait.waiter = engine.wait(queue, wait.match, wait.unit, wait)
            finally:
                gate.release()
        except MQError as failure:
            self._close(wait)
            self.fail(wait.request, failure)
            return
        if message is not None:
            self._close(wait)
            if position:
                qm.finish(position)
            self._answer_wait(wait, message)
        elif loading is not None:
            self.server.read_bodies(loading, self, wait)
        elif wait.deadline:
            self.expect(wait.deadline)

    def expect(self, deadline: float) -> None:
        """See that somebody looks when a wait is over."""
        if not self.look_at or deadline < self.look_at:
            self.look_at = min(deadline, monotonic() + LOOK_SECONDS)
            self.server.expect(self, self.look_at)

    def look(self, now: float) -> None:
        """End the waits whose time is up, and say when to look again."""
        if self.ended or now < self.look_at:
            return  # an earlier look has come between
        self.look_at = 0.0
        for wait in list(self.waits.values()):
            if wait.deadline and wait.deadline <= now:
                self.timed_out(wait)
            elif wait.deadline:
                self.expect(wait.deadline)

    def woken(self, wait: Wait) -> None:
        """Answer a get whose waiter the engine has served."""
        waiter = wait.waiter
        if wait.over or waiter is None:
            return
        if waiter.message is None and waiter.reason == TRY_AGAIN:
            wait.waiter = None
            if wait.again is None:
                self.retry(wait)
            else:
                self._call_again(wait)
            return
        message = waiter.message
        self._close(wait)
        if message is None:
            self.fail(wait.request, error(waiter.reason, "while waiting for a message"))
            return
        if waiter.position:
            self.qm.finish(waiter.position)
        self._answer_wait(wait, message)

    def _answer_wait(self, wait: Wait, message: Message) -> None:
        self.answer_get(wait.request, wait.name, wait.match, wait.unit, message, wait.count, wait.ahead)

    def _close(self, wait: Wait) -> None:
        wait.over = True
        wait.waiter = None
        if self.waits.get(wait.request) is wait:
            del self.waits[wait.request]

    def timed_out(self, wait: Wait) -> None:
        """End a wait whose time is up, unless a message came a moment ago."""
        if not wait.over and self._withdraw(wait):
            self.done(_NOTHING, wait.request)

    def cancel(self, request: int) -> None:
        """End a wait because the client does not want it any more."""
        wait = self.waits.get(request)
        if wait is not None and self._withdraw(wait):
            self.done(_NOTHING, request)
        elif request in self.calls:
            self.calls[request].cancel()

    def more(self, frame: Frame) -> None:
        """Let a long call go on whose parts the client has read."""
        call = self.calls.get(frame.request)
        if call is not None:  # else it is over already
            call.wants_more(int.from_bytes(frame.payload()[:8], "little"))

    def _withdraw(self, wait: Wait) -> bool:
        waiter = wait.waiter
        if waiter is None:
            return False  # bodies are being read: it is answered soon
        with self.qm.gate.anyway:
            if not waiter.active:
                return False
            waiter.queue.waiting.remove(waiter)
        self._close(wait)
        return True

    def answer_get(
        self,
        request: int,
        name: str,
        match: Match | None,
        unit: UnitOfWork | None,
        message: Message,
        count: int,
        ahead: int,
    ) -> None:
        """Answer a get: one message for 0, or up to `count` and, behind them, what may be read ahead."""
        flags = 0
        if unit is None and match is None and not message.persistent:
            route = self.qm.routes.get(name)
            if route is not None and route.read_ahead:
                flags = _READS_AHEAD
        if not count:
            self.answer_message(request, message, flags)
            return
        found = [message]
        if count > 1:
            self._take_more(found, name, match, unit, count)
        if ahead and flags and len(found) == count:
            self._take_ahead(found, name, count + ahead)
        self.link.messages += len(found)
        position = self.qm.reached
        self.qm.reached = 0
        self.server.when_durable(position, self, protocol.MESSAGES | flags << 8, request, found)

    def answer_message(self, request: int, message: Message, flags: int) -> None:
        qm = self.qm
        self.link.messages += 1
        if qm.reached:
            position = qm.reached
            qm.reached = 0
            self.server.when_durable(position, self, protocol.MESSAGE | flags << 8, request, message)
        else:
            self.out.message(self.number, request, message, flags)
            self.link.mark()

    def _take_more(
        self, found: list[Message], name: str, match: Match | None, unit: UnitOfWork | None, count: int
    ) -> None:
        """Take messages behind the first, as many as one frame should carry."""
        qm = self.qm
        engine = qm.engine
        size = weight(found[0])
        now = clock()
        qm.gate.acquire()
        try:
            engine.position = 0
            queue = qm.way_to(name).queue
            while len(found) < count and size < _BATCH_BYTES_MAX:
                message = engine.take(queue, match, unit, now)
                if message is None:
                    break
                found.append(message)
                size += weight(message)
        except MQError:
            pass  # what is found already is not lost
        finally:
            engine.to_load = None
            position = engine.position
            qm.gate.release()
        if position:
            qm.finish(position)

    def _take_ahead(self, found: list[Message], name: str, count: int) -> None:
        """Take messages that nobody has asked for yet: never one that a lost client would be missed for."""
        qm = self.qm
        engine = qm.engine
        size = 0
        for there in found:
            size += weight(there)
        with qm.gate:
            queue = qm.routes[name].queue
            now = clock()
            while len(found) < count and size < _BATCH_BYTES_MAX and queue.get_enabled:
                message = engine.select(queue, None, None, now)
                engine.to_load = None
                if message is None or message.persistent:
                    return
                engine.remove(queue, message, None, now)
                found.append(message)
                size += weight(message)

    # -- units of work ---------------------------------------------------------------------

    def unit(self, number: int) -> UnitOfWork:
        """Return the unit that a client calls by a number, begun by its first use."""
        found: UnitOfWork | None = self.units.get(number)
        if found is None:
            if len(self.units) >= protocol.UNITS_MAX:
                raise error(2024, f"{protocol.UNITS_MAX} units of work are open in this conversation")
            found = self.units[number] = self._new_unit()
        return found

    def _new_unit(self) -> UnitOfWork:
        with self.qm.gate:
            unit: UnitOfWork = self.qm.engine.new_unit(self.qm.connection, clock())
            return unit

    def context(self, number: int) -> contextvars.Context:
        """Return the context in which verbs of the host find a unit."""
        found = self.contexts.get(number)
        if found is None:
            unit = self.unit(number)
            context = contextvars.Context()
            scope = Scope(self.qm, unit)
            context.run(units.enter, scope)
            self.qm.open_scopes += 1
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
            self.qm.open_scopes -= 1
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
            self._finish_unit(unit, commit and failure is None)
        if commit and failure is not None:
            self.qm.reached = 0
            raise error(2003, f"a put of this unit had failed: {failure}", cause=failure.reason)
        self.done(_DONE, frame.request)

    def _finish_unit(self, unit: UnitOfWork, commit: bool) -> None:
        qm = self.qm
        with qm.gate:
            qm.engine.position = 0
            if commit:
                qm.engine.commit(unit, clock())
            else:
                qm.engine.backout(unit, clock())
            position = qm.engine.position
        qm.finish(position)

    def note_failed_put(self, unit: int, failure: MQError) -> None:
        """Keep the failure of a put whose client did not wait for an answer."""
        self.async_failed += 1
        if unit in self.units:
            self.failed_puts.setdefault(unit, failure)
        elif not self.async_failures:
            self.async_failures.append(failure)

    # -- verbs that suspend ----------------------------------------------------------------

    def suspend(self, request: int, waiter: Any, deadline: float, again: Any) -> None:
        """Keep a call whose get waits; `again` makes it once more."""
        wait = Wait(self, request, "", None, None, 0, 0, deadline, again)
        wait.waiter = waiter
        self.remember(wait)
        with self.qm.gate.anyway:
            waiter.wake = wait
            answered = not waiter.active
        if answered:
            self.server.woke(wait)
        elif deadline:
            self.expect(deadline)

    def _call_again(self, wait: Wait) -> None:
        self._close(wait)
        assert wait.again is not None
        wait.again()

    # -- answers ---------------------------------------------------------------------------

    def done(self, kind: int, request: int) -> None:
        """Answer without a payload, when the disk has what the call did."""
        position = self.qm.reached
        self.qm.reached = 0
        self.server.when_durable(position, self, kind, request, b"")

    def fail(self, request: int, failure: MQError) -> None:
        """Answer with a failure."""
        self.out.frame(protocol.FAILED, 0, self.number, request, 0, failures.pack(failure))
        self.link.mark()

    def park(self) -> None:
        """Take no message for a client that does not read: its waits are registered again by `unpark`."""
        for wait in self.waits.values():
            waiter = wait.waiter
            if waiter is not None:
                with self.qm.gate.anyway:
                    if not waiter.active:
                        continue  # it is answered already
                    waiter.queue.waiting.remove(waiter)
                wait.waiter = None
                self.parked.append(wait)

    def unpark(self) -> None:
        """Let the waits of a client go on that reads again."""
        parked, self.parked = self.parked, []
        for wait in parked:
            if wait.over:
                continue
            if wait.again is None:
                self.retry(wait)
            else:
                self._call_again(wait)

    def end(self, commit: bool) -> int:
        """End the conversation: waits are withdrawn, units ended, handles closed.

        Return the position that the journal must reach before that may be told.
        """
        if self.ended:
            return 0
        self.ended = True
        for wait in list(self.waits.values()):
            self._withdraw(wait)
            wait.over = True
        self.waits.clear()
        for call in list(self.calls.values()):
            call.cancel()
        try:
            self._end_units(commit)
        finally:
            if not self.qm.gate.closed:
                self.qm.end()
            self.server.reach(self.qm.reached)
        return self.qm.reached

    def _end_units(self, commit: bool) -> None:
        """End every unit, whatever becomes of the others."""
        failure = None
        for number in list(self.units):
            unit = self.forget_unit(number)
            if unit is None or self.qm.gate.closed:
                continue
            try:
                self._finish_unit(unit, commit)
            except MQError as problem:
                failure = problem
        if failure is not None:
            raise failure


def _wanted(value: bytes | None) -> bytes | None:
    """Return an id to match; one of zeros matches anything, as in MQ."""
    return None if value == NO_ID else value
