# cython: nonecheck=True
"""A queue manager at the other end of a socket, for blocking programs: what `penstock.connect` returns.

It has the names of the embedded one. Here are puts and gets, which have frames of their own; everything else
is a verb of `client/core`, shared with the asyncio client, and units of work are `connection`'s. May be used
from many threads. Compiled through `queue_manager.pxd`.
"""

from __future__ import annotations

from time import time_ns
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.connection import ClientConnection
from penstock.client.core import administration, verbs
from penstock.client.driver import blocking, finish, give_up, run
from penstock.client.handle import ClientHandle
from penstock.client.read_ahead import READ_AHEAD_MESSAGES, QueueHints, ahead_of
from penstock.client.reply_coalescing import Rhythm
from penstock.client.subscription import ClientSubscription
from penstock.face._clock import monotonic
from penstock.face._clock import now as clock
from penstock.face.arguments import bodies_of, check_count, check_names, lines_of, name_of, options_of
from penstock.face.deadlines import WAIT_SECONDS_MAX, deadline_of
from penstock.face.message_arguments import FIELDS, as_properties, put_details, put_values
from penstock.model import constants as mq
from penstock.model._interrupts import Interrupted
from penstock.model.message import NO_ID, PLAIN, plain_message, plain_receipt
from penstock.model.padded_id import padded_id
from penstock.protocol import numbers as protocol
from penstock.telemetry.spans import carrying

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Never

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.client._link import ClientLink
    from penstock.client.batches import ClientBatches
    from penstock.client.dialling import Target
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle

WAIT_MS_MAX = 2_147_483_000
ASYNC = mq.MQPMO_ASYNC_RESPONSE
_CHAINED = protocol.CHAINED | protocol.NO_REPLY
_GET = protocol.GET
_GET_MANY = protocol.GET_MANY
_FAILED = protocol.FAILED
_MESSAGE = protocol.MESSAGE
_NOTHING = protocol.NOTHING
_RECEIPT = protocol.RECEIPT


class ClientQueueManager(ClientConnection):
    """A connection to a queue manager in another process."""

    def __init__(self, link: ClientLink, conversation: int, target: Target, timeout: float) -> None:
        super().__init__(link, conversation, target, timeout)
        self.names: dict[str, int] = {}
        self.rhythm = Rhythm()
        self.request_fields: dict[str, bytes] = {}  # of requests, by the queue for their replies
        self.hints = QueueHints()

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
            unit = self.unit_number() if self.open_scopes else 0
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
            given["properties"] = carrying(as_properties(properties), span)
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
        slot = link.begin(self.conversation)
        try:
            number = self._number(queue)
            link.out.put(
                flags,
                self.conversation,
                slot.request,
                unit,
                number,
                persistence,
                msg_id,
                correl_id,
                body,
                fields,
            )
        except BaseException:
            self.names.clear()  # the name was in a frame that was not sent
            link.abandon()
            raise
        correl = NO_ID if correl_id is None else correl_id
        if flags:
            link.send(unit != 0 or self.rhythm.put(monotonic()))  # in a unit a commit follows
            link.release(slot)
            message = plain_message(b"", msg_id or NO_ID, correl, persistence == 1, 0, clock(), PLAIN)
            return plain_receipt(message, queue, self.name)
        try:
            frame = link.exchange(slot, self.timeout)
            if frame.kind == _RECEIPT:
                if frame.flags:
                    self.hints.heard_of_put(queue, frame.flags)
                put_time = frame.read_receipt()
                message = plain_message(
                    b"", frame.msg_id or NO_ID, correl, persistence == 1, 0, put_time, PLAIN
                )
                return plain_receipt(message, queue, self.name)
            return calls.receipt_of(calls.result(frame))
        finally:
            link.release(slot)

    def _number(self, queue: str) -> int:
        """Return the number of a queue's name; new ones are sent to the other end. The send lock is held."""
        number = self.names.get(queue)
        if number is None:
            if len(self.names) >= protocol.NAMES_MAX:
                self.names.clear()
            number = len(self.names)
            payload = number.to_bytes(4, "little") + calls.packed_name(queue)
            self.link.out.frame(protocol.NAME, 0, self.conversation, 0, 0, payload)
            self.names[queue] = number
        return number

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
        unit = self.unit_number() if self.open_scopes else 0
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
            self.rhythm.get(False, monotonic())
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
        slot = self._begin_get(kind, queue, wait_ms, count, correl_id, msg_id, unit, ahead)
        try:
            frame = self._awaited(slot, timeout, queue, unit)
            if frame.kind == _NOTHING:
                return None
            if frame.kind == _FAILED:
                raise calls.failure_of(frame)
            if frame.flags or self.hints.ahead:
                self.hints.heard_of_get(queue, frame.flags, self.open_scopes != 0)
            return frame.read_message() if kind == _GET else frame.read_messages()
        finally:
            link.release(slot)

    def _begin_get(
        self,
        kind: int,
        queue: str,
        wait_ms: int,
        count: int,
        correl_id: bytes | None,
        msg_id: bytes | None,
        unit: int,
        ahead: int = 0,
    ) -> Any:
        """Return the place for the answer to a get, with its frame written and not yet sent."""
        link = self.link
        self.rhythm.get(True, monotonic())
        slot = link.begin(self.conversation)
        try:
            number = self._number(queue)
            link.out.get(
                kind, self.conversation, slot.request, unit, number, wait_ms, count, msg_id, correl_id, ahead
            )
        except BaseException:
            self.names.clear()  # the name was in a frame that was not sent
            link.abandon()
            raise
        return slot

    def ask_many(self, queue: str, count: int, unit: int) -> Any:
        """Send a get for several messages that are there now; return the place for the answer."""
        slot = self._begin_get(_GET_MANY, queue, 0, count, None, None, unit)
        self.link.send()
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
            data, described = body, self._described_request(reply_to)
        self._check_length(data)
        wait_ms = milliseconds(wait)
        if type(queue) is not str:
            queue = name_of(queue)
        persistence = 2 if persistent is None else calls.persistence_of(persistent)
        link = self.link
        slot = link.begin(self.conversation)
        try:
            if len(self.names) > protocol.NAMES_MAX - 2:
                self.names.clear()  # both names need numbers that stay
            target, replies = self._number(queue), self._number(reply_to)
            number = slot.request
            link.out.put(
                _CHAINED, self.conversation, number, 0, target, persistence, msg_id, None, data, described
            )
            link.out.get(_GET, self.conversation, number, 0, replies, wait_ms, 0, None, msg_id)
        except BaseException:
            self.names.clear()  # the name was in a frame that was not sent
            link.abandon()
            raise
        try:
            frame = self._awaited(slot, self.patience(wait), reply_to, 0)
            reply: Message | None = frame.read_message() if frame.kind == _MESSAGE else calls.result(frame)
            return reply
        finally:
            link.release(slot)

    def _described_request(self, reply_to: str) -> bytes:
        """Return the packed fields of a request that has none of its own."""
        described = self.request_fields.get(reply_to)
        if described is None:
            if len(self.request_fields) >= protocol.NAMES_MAX:
                self.request_fields.clear()
            _, described = calls.request_fields(self.request, b"", reply_to, {})
            self.request_fields[reply_to] = described
        return described

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
        unit = self.unit_number() if self.open_scopes else 0
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
        slot = link.begin(self.conversation)
        try:
            number = self._number(queue)
            link.out.put_many(0, self.conversation, slot.request, unit, number, persistence, part)
        except BaseException:
            self.names.clear()  # the name was in a frame that was not sent
            link.abandon()
            raise
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
        unit = self.unit_number() if self.open_scopes else 0
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
