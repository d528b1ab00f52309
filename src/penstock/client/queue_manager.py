# cython: nonecheck=True
"""A queue manager at the other end of a socket, for blocking programs: what `penstock.connect` returns.

It has the names of the embedded one. Here are puts and gets, which have frames of their own (`plain_frames`),
and the ends of units of work; everything else is a verb of `client/core`, shared with the asyncio client. It
holds its parts: frames, open units, read-ahead, returned messages. A unit belongs to the context that entered
it. May be used from many threads. Compiled through `queue_manager.pxd`.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Any

from penstock.client import calls, driver
from penstock.client.connection_pool import leave
from penstock.client.core import administration, verbs
from penstock.client.core.units import begin
from penstock.client.driver import blocking, finish, give_up, run
from penstock.client.handle import ClientHandle
from penstock.client.open_units import OpenUnits
from penstock.client.plain_frames import PlainFrames
from penstock.client.read_ahead import READ_AHEAD_MESSAGES, QueueHints, ahead_of
from penstock.client.returned_messages import ReturnedMessages
from penstock.client.subscription import ClientSubscription
from penstock.client.unit_of_work import ClientUnitOfWork
from penstock.face import units
from penstock.face._clock import now as clock
from penstock.face.arguments import bodies_of, check_count, check_names, lines_of, name_of, options_of
from penstock.face.deadlines import WAIT_SECONDS_MAX, deadline_of
from penstock.face.message_arguments import FIELDS, as_properties, put_details, put_values
from penstock.face.receiving import Receiving
from penstock.model import constants as mq
from penstock.model._interrupts import Interrupted, uninterrupted
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, PLAIN, plain_message, plain_receipt
from penstock.model.padded_id import padded_id
from penstock.protocol import numbers as protocol
from penstock.telemetry.spans import active_sampler

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Never

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.client._link import ClientLink
    from penstock.client.batches import ClientBatches
    from penstock.client.dialling import Target
    from penstock.face.units import Scope
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle

WAIT_MS_MAX = 2_147_483_000
ASYNC = mq.MQPMO_ASYNC_RESPONSE
_GET = protocol.GET
_GET_MANY = protocol.GET_MANY
_FAILED = protocol.FAILED
_MESSAGE = protocol.MESSAGE
_NOTHING = protocol.NOTHING
_RECEIPT = protocol.RECEIPT


class ClientQueueManager(Receiving):
    """A connection to a queue manager in another process: a conversation on a link, which may be shared."""

    def __init__(self, link: ClientLink, conversation: int, target: Target, timeout: float) -> None:
        self.link = link
        self.conversation = conversation
        self.target = target
        self.timeout = timeout
        self.name = link.terms.text("qmgr")
        self.message_max = link.terms.number("message_max", protocol.FRAME_BYTES_MAX)
        self.closed = False
        self.open_units = OpenUnits()
        self.frames = PlainFrames()
        self.hints = QueueHints()
        self.kept = ReturnedMessages()
        self.sampler = active_sampler()  # records puts and gets, of a program with telemetry

    def opened(self, facts: list[Any], arguments: dict[str, Any]) -> ClientHandle:
        """Return the handle of an object that was opened."""
        return ClientHandle(self, facts, arguments)

    def subscribed(self, facts: list[Any], arguments: dict[str, Any]) -> ClientSubscription:
        """Return a subscription that was made."""
        return ClientSubscription(self, facts, arguments)

    @property
    def batches(self) -> ClientBatches:
        """Exactly-once batches for an outside engine: reserve, read, prepare, commit."""
        from penstock.client.batches import ClientBatches

        return ClientBatches(self)

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False, **unknown: Never
    ) -> Iterator[Echo | Reply | Summary]:
        """Run MQSC; yield echoes, replies and, last, a summary, as they come."""
        if unknown:
            check_names(self.mqsc_script, unknown)
        text = "\n".join(line.rstrip("\n") for line in lines_of(lines))
        return calls.mqsc_script(self, text, verify)

    open = blocking(verbs.open, answers="ClientHandle")
    publish = blocking(verbs.publish)
    subscribe = blocking(verbs.subscribe, answers="ClientSubscription")
    unsubscribe = blocking(verbs.unsubscribe)
    put_list = blocking(verbs.put_list, interruptible=True)
    put_messages = blocking(verbs.put_messages)
    put_status = blocking(verbs.put_status)
    prepare = blocking(verbs.prepare)
    commit_prepared = blocking(verbs.commit_prepared)
    backout_prepared = blocking(verbs.backout_prepared)
    prepared = blocking(verbs.prepared)
    take_connection_tag = blocking(verbs.take_connection_tag)
    mqsc = blocking(administration.mqsc)
    export = blocking(administration.export)
    explain_access = blocking(administration.explain_access)
    explain_route = blocking(administration.explain_route)
    status = blocking(administration.status)
    queues = blocking(administration.queues)
    peek = blocking(administration.peek)
    trace = blocking(administration.trace)
    checkpoint = blocking(administration.checkpoint)
    backup = blocking(administration.backup)
    record_image = blocking(administration.record_image)
    stop = blocking(administration.stop)

    # -- units of work ---------------------------------------------------------------------

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
        return self.open_units.enter(self, self.open_units.new_number(), holds_all)

    def unit_number(self) -> int:
        """Return the unit that calls without syncpoint options are in, 0 for none."""
        return self.open_units.number_of(self)

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
        return units.scope_of(self) is not None

    def forget_numbers(self) -> None:
        """Forget which queue names the other end knows by number: it is another one."""
        self.frames.numbers.forget()

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a failed call; the other end is informed before the next call."""
        with uninterrupted:
            self.open_units.forget(scope)
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
                self.open_units.forget(scope)
                if self.kept:
                    self.kept.of_unit(scope.unit)
                calls.bare(self, protocol.BACKOUT, scope.unit, protocol.UNCOUNTED)

    def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; a signal that comes meanwhile is handled when that is done."""
        with uninterrupted:
            self.open_units.forget(scope)
            lost = self.kept.of_unit(scope.unit) if self.kept else None
            calls.bare(self, protocol.COMMIT if commit and lost is None else protocol.BACKOUT, scope.unit)
            if commit and lost is not None:
                raise lost

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that has ended, without waiting for an answer."""
        self.open_units.abandon(scope)
        calls.orphan(self, scope.unit)

    # -- messages --------------------------------------------------------------------------

    def put(
        self,
        queue: str,
        body: bytes | str,
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> Receipt:
        """Put a message to a queue; as the embedded `put`, with the answer of the network in between."""
        if self.closed:
            self.check_open()
        span = None if self.sampler is None else self.sampler.of_put(queue, properties)
        if (
            span is None
            and type(body) is bytes
            and type(queue) is str
            and expiry is None
            and properties is None
            and priority is None
            and (not fields or fields.keys() <= FIELDS)
            and (options == 0 or options == ASYNC)
            and (persistent is None or type(persistent) is bool)
            and (correl_id is None or (type(correl_id) is bytes and len(correl_id) == 24))
            and (msg_id is None or (type(msg_id) is bytes and len(msg_id) == 24 and msg_id != NO_ID))
        ):
            self._check_length(body)
            persistence = 2 if persistent is None else (1 if persistent else 0)
            unit = self.unit_number() if self.open_units.count else 0
            if options == 0 and self.hints.quiet and self.hints.puts_quietly(queue):
                options = ASYNC
            receipt: Receipt = self._put_plain(
                queue,
                body,
                persistence,
                correl_id,
                msg_id,
                unit,
                1 if options else 0,
                calls.pack_fields(fields) if fields else None,
            )
            return receipt
        given = put_values(options, persistent, correl_id, msg_id, priority, expiry, properties)
        where = {"queue": queue}
        if span is not None:
            given["properties"] = span.carried(as_properties(properties))
            with span:
                return finish(self, verbs.put_in_full(self, self.put, where, queue, body, fields, given))
        return finish(self, verbs.put_in_full(self, self.put, where, queue, body, fields, given))

    def _put_plain(
        self,
        queue: str,
        body: bytes,
        persistence: int,
        correl_id: bytes | None,
        msg_id: bytes | None,
        unit: int,
        flags: int,
        fields: bytes | None,
    ) -> Any:
        link = self.link
        slot = self.frames.put(
            link, self.conversation, flags, unit, queue, persistence, msg_id, correl_id, body, fields
        )
        correl = NO_ID if correl_id is None else correl_id
        if flags:
            link.send(unit != 0 or self.frames.may_wait())  # in a unit a commit follows
            link.release(slot)
            message = plain_message(b"", msg_id or NO_ID, correl, persistence == 1, 0, clock(), PLAIN)
            return plain_receipt(message, queue, self.name)
        try:
            frame = link.exchange(slot, self.timeout)
            if frame.kind == _RECEIPT:
                if frame.flags:
                    self.hints.note_put(queue, frame.flags)
                put_time = frame.read_receipt()
                message = plain_message(
                    b"", frame.msg_id or NO_ID, correl, persistence == 1, 0, put_time, PLAIN
                )
                return plain_receipt(message, queue, self.name)
            return calls.receipt_of(calls.result(frame))
        finally:
            link.release(slot)

    def get(
        self,
        queue: str,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""
        if self.closed:
            self.check_open()
        if unknown:
            check_names(self.get, unknown)
        if self.sampler is None:
            return self._get(queue, wait, correl_id, msg_id, selector)
        began_ns = time_ns()
        message = self._get(queue, wait, correl_id, msg_id, selector)
        if message is not None and self.sampler.carries(message.properties, message.descriptor):
            self.sampler.got(queue, message, began_ns)
        return message

    def _get(
        self,
        queue: str,
        wait: float | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        selector: str | None,
    ) -> Message | None:
        if selector is not None:
            given = {"wait": wait, "correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            return finish(self, verbs.get_in_full(self, {"queue": queue}, given))
        if correl_id is not None:
            correl_id = padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR)
        if msg_id is not None:
            msg_id = padded_id(msg_id, mq.MQRC_MSG_ID_ERROR)
        if type(queue) is not str:
            queue = name_of(queue)
        unit = self.unit_number() if self.open_units.count else 0
        if self.kept:  # seldom
            kept: Message | None = self.kept.take(queue, unit, correl_id, msg_id)
            if kept is not None:
                return kept
        if self.hints.ahead and not unit and queue in self.hints.ahead:
            return self._get_ahead(queue, wait, correl_id, msg_id)
        found: Message | None = self._get_plain(
            _GET, queue, milliseconds(wait), 0, correl_id, msg_id, unit, self.patience(wait)
        )
        return found

    def _get_ahead(
        self, queue: str, wait: float | None, correl_id: bytes | None, msg_id: bytes | None
    ) -> Message | None:
        """Get from what was read ahead of a queue with DEFREADA(YES), or read ahead again."""
        there = self.hints.take(queue, correl_id, msg_id)
        if there is not None:
            self.frames.got_ahead()
            return there
        wait_ms, patience = milliseconds(wait), self.patience(wait)
        if correl_id is not None or msg_id is not None:
            one: Message | None = self._get_plain(_GET, queue, wait_ms, 0, correl_id, msg_id, 0, patience)
            return one
        ahead = READ_AHEAD_MESSAGES - 1
        found = self._get_plain(_GET_MANY, queue, wait_ms, 1, None, None, 0, patience, ahead)
        if not found:
            return None
        self.hints.keep(queue, found[1:])
        first: Message = found[0]
        return first

    def _get_plain(
        self,
        kind: int,
        queue: str,
        wait_ms: int,
        count: int,
        correl_id: bytes | None,
        msg_id: bytes | None,
        unit: int,
        timeout: float,
        ahead: int = 0,
    ) -> Any:
        link = self.link
        slot = self.frames.get(
            link, self.conversation, kind, unit, queue, wait_ms, count, msg_id, correl_id, ahead
        )
        try:
            frame = self._awaited(slot, timeout, queue, unit)
            if frame.kind == _NOTHING:
                return None
            if frame.kind == _FAILED:
                raise calls.failure_of(frame)
            if frame.flags or self.hints.ahead:
                self.hints.note_get(queue, frame.flags, self.open_units.count != 0)
            return frame.read_message() if kind == _GET else frame.read_messages()
        finally:
            link.release(slot)

    def ask_many(self, queue: str, count: int, unit: int) -> Any:
        """Send a get for several messages that are there now; return the place for the answer."""
        link = self.link
        slot = self.frames.get(link, self.conversation, _GET_MANY, unit, queue, 0, count, None, None)
        link.send()
        return slot

    def _awaited(self, slot: Any, timeout: float, queue: str, unit: int) -> Any:
        """Send, and return the answer to a get that may wait."""
        try:
            return self.link.exchange(slot, timeout, True)
        except Interrupted as interrupted:  # Ctrl-C: the answer may be on its way
            give_up(self, slot, queue, unit)
            raise interrupted.cause from None

    def _check_length(self, body: bytes) -> None:
        """Refuse a message that the channel does not take."""
        if len(body) > self.message_max:
            calls.check_length(body, self.message_max)

    def request(
        self,
        queue: str,
        body: bytes | str,
        reply_to: str,
        *,
        wait: float | None = 30.0,
        persistent: bool | None = None,
        **fields: Any,
    ) -> Message | None:
        """Put a request and get its reply: what `reply_to` holds with the request's id as correlation id.

        Both go out together. None when no reply came in time. Outside all units: nobody could get a request
        that is not committed.
        """
        if self.closed:
            self.check_open()
        msg_id = self.link.fresh_id()
        if type(reply_to) is not str:
            reply_to = name_of(reply_to)
        if fields or type(body) is not bytes:
            data, described = calls.request_fields(self.request, body, reply_to, fields)
        else:
            data, described = body, self.frames.request_fields(self.request, reply_to)
        self._check_length(data)
        wait_ms = milliseconds(wait)
        if type(queue) is not str:
            queue = name_of(queue)
        persistence = 2 if persistent is None else calls.persistence_of(persistent)
        link = self.link
        slot = self.frames.request(
            link, self.conversation, queue, persistence, msg_id, data, described, reply_to, wait_ms
        )
        try:
            frame = self._awaited(slot, self.patience(wait), reply_to, 0)
            reply: Message | None = frame.read_message() if frame.kind == _MESSAGE else calls.result(frame)
            return reply
        finally:
            link.release(slot)

    def put_many(
        self,
        queue: str,
        bodies: Iterable[bytes | str],
        *,
        persistent: bool | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        priority: int | None = None,
        expiry: float | None = None,
        properties: Mapping[str, Any] | MessageHandle | None = None,
        options: int = 0,
        **fields: Any,
    ) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""
        self.check_open()
        queue = name_of(queue)
        waiting: list[Any] = list(bodies_of(bodies))
        details = put_details(
            self.put_many, correl_id, msg_id, priority, expiry, properties, options_of(options), fields
        )
        size = -1 if details else self._plain_bytes(waiting)
        if size < 0:
            return run(self, verbs.put_each(self, queue, waiting, persistent, details))
        persistence = calls.persistence_of(persistent)
        whole = size <= calls.PUT_MANY_BYTES and len(waiting) <= protocol.FRAME_MESSAGES_MAX
        parts = [waiting] if whole else list(calls.parts_of(waiting))
        unit = self.unit_number() if self.open_units.count else 0
        if unit or len(parts) == 1:
            return self._put_parts(queue, parts, persistence, unit)
        with self.unit_aside():
            return self._put_parts(queue, parts, persistence, self.unit_number())

    def _plain_bytes(self, bodies: list[Any]) -> int:
        """Return how long they are together, -1 when one is not bytes; 2010 for one that is too long."""
        size = 0
        for body in bodies:
            if type(body) is not bytes:
                return -1
            self._check_length(body)
            size += len(body)
        return size

    def _put_parts(self, queue: str, parts: list[list[bytes]], persistence: int, unit: int) -> list[Receipt]:
        receipts: list[Receipt] = []
        for part in parts:
            receipts += self._put_part(queue, part, persistence, unit)
        return receipts

    def _put_part(self, queue: str, part: list[bytes], persistence: int, unit: int) -> list[Receipt]:
        link = self.link
        slot = self.frames.put_many(link, self.conversation, unit, queue, persistence, part)
        try:
            frame = link.exchange(slot, self.timeout)
            if frame.kind == _FAILED:
                raise calls.failure_of(frame)
            return frame.read_receipts(queue, self.name)
        finally:
            link.release(slot)

    def get_many(
        self,
        queue: str,
        count: int,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        self.check_open()
        if unknown:
            check_names(self.get_many, unknown)
        check_count(count)
        if type(queue) is not str:
            queue = name_of(queue)
        if self.kept or selector is not None:
            match = {"correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            return finish(self, verbs.get_one_by_one(self, queue, count, wait, match))
        unit = self.unit_number() if self.open_units.count else 0
        ahead = 0
        if queue in self.hints.ahead and not unit and correl_id is None and msg_id is None:
            there = self.hints.take_many(queue, count)
            if there:
                return there
            ahead = ahead_of(count)
        found = self._get_plain(
            _GET_MANY,
            queue,
            milliseconds(wait),
            count,
            padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR),
            padded_id(msg_id, mq.MQRC_MSG_ID_ERROR),
            unit,
            self.patience(wait),
            ahead,
        )
        if found and len(found) > count:
            self.hints.keep(queue, found[count:])
            del found[count:]
        return found or []

    # -- the end ---------------------------------------------------------------------------

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take when the call itself may wait; negative for ever."""
        if wait is None:
            return -1.0
        if type(wait) is not float:
            deadline_of(wait)  # raises if it is not a number
        return self.timeout + wait

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
        for scope in list(self.open_units):
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


def milliseconds(wait: float | None) -> int:
    """Return a wait as frames carry it."""
    if wait is None:
        return protocol.WAIT_FOR_EVER
    if type(wait) is not float:
        deadline_of(wait)  # raises if it is not a number
    seconds = wait
    if not 0.0 <= seconds <= WAIT_SECONDS_MAX:
        deadline_of(wait)  # raises what is wrong
    return min(int(seconds * 1000.0 + 0.999), WAIT_MS_MAX)
