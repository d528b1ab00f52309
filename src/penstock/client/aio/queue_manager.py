"""A queue manager at the other end of a socket, for asyncio: what `penstock.aio.connect` returns.

The names of the blocking client, as coroutines. Here are puts and gets, which have frames of their own, and
the ends of units of work; everything else is a verb of `client/core`, shared with the blocking client. Many
tasks share one connection. A unit belongs to the context of the task that entered it; tasks started inside it
work in it too, until it ends. Cancelling a get that waits loses no message (`returning`).
"""

from __future__ import annotations

import functools
import os
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.aio import calls as aio_calls
from penstock.client.aio import consuming as aio_consuming
from penstock.client.aio.consuming import AsyncConsumer, start_consumer
from penstock.client.aio.driver import awaited, run
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.returning import Returning
from penstock.client.aio.subscription import AsyncSubscription
from penstock.client.aio.unit_of_work import AsyncUnitOfWork
from penstock.client.core import administration, verbs
from penstock.client.core.units import begin
from penstock.client.open_units import OpenUnits
from penstock.client.queue_manager import milliseconds
from penstock.client.queue_numbers import QueueNumbers
from penstock.client.read_ahead import READ_AHEAD_MESSAGES, QueueHints, ahead_of
from penstock.client.returned_messages import ReturnedMessages, given_up
from penstock.face import units
from penstock.face.arguments import bodies_of, check_count, check_names, lines_of, name_of, options_of
from penstock.face.deadlines import deadline_of
from penstock.face.declared import (
    ConsumeParameters,
    GetParameters,
    MessagesParameters,
    PutParameters,
    RequestParameters,
)
from penstock.face.keywords import CONSUME, GET, MESSAGES, PUT, REQUEST, completed, divided, takes
from penstock.face.message_arguments import as_properties, put_details
from penstock.face.surface import QUEUE_MANAGER, shown
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.padded_id import padded_id
from penstock.protocol import numbers as protocol
from penstock.telemetry.spans import active_sampler

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from types import TracebackType
    from typing import Never, Self, Unpack

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.client.aio.batches import AsyncBatches
    from penstock.client.aio.link import AioLink
    from penstock.client.dialling import Target
    from penstock.face.units import Scope
    from penstock.model.message import Message, Receipt
    from penstock.protocol._frames import Frame

FIRST = 1  # a connection of asyncio has a socket of its own: its tasks share it


class AsyncQueueManager:
    """A connection to a queue manager in another process, for the tasks of one loop."""

    def __init__(self, link: AioLink, target: Target, timeout: float) -> None:
        self.link = link
        self.conversation = FIRST
        self.target = target
        self.timeout = timeout
        self.name = link.terms.text("qmgr")
        self.message_max = link.terms.number("message_max", protocol.FRAME_BYTES_MAX)
        self.closed = False
        self.open_units = OpenUnits()
        self.numbers = QueueNumbers()
        self.hints = QueueHints()
        self.kept = ReturnedMessages()
        self.returning = Returning(self)
        self.sampler = active_sampler()  # records puts and gets, of a program with telemetry

    def opened(self, facts: list[Any], arguments: dict[str, Any]) -> AsyncHandle:
        """Return the handle of an object that was opened."""
        return AsyncHandle(self, facts, arguments)

    def subscribed(self, facts: list[Any], arguments: dict[str, Any]) -> AsyncSubscription:
        """Return a subscription that was made."""
        return AsyncSubscription(self, facts, arguments)

    @property
    def batches(self) -> AsyncBatches:
        """Exactly-once batches for an outside engine: reserve, read, prepare, commit."""
        from penstock.client.aio.batches import AsyncBatches

        return AsyncBatches(self)

    def mqsc_script(
        self,
        lines: Iterable[str],
        *,
        verify: bool = False,
        **unknown: Never,
    ) -> AsyncIterator[Echo | Reply | Summary]:
        """Run MQSC; yield echoes, replies and, last, a summary, as they come."""
        if unknown:
            check_names(self.mqsc_script, unknown)
        text = "\n".join(line.rstrip("\n") for line in lines_of(lines))
        return self._mqsc(text, verify)

    async def _mqsc(self, text: str, verify: bool) -> AsyncIterator[Any]:
        async for row in aio_calls.stream(self, "mqsc", {"text": text, "verify": verify, "echo": True}):
            yield calls.piece_of(row)

    open = awaited(verbs.open, answers="AsyncHandle")
    publish = awaited(verbs.publish)
    subscribe = awaited(verbs.subscribe, answers="AsyncSubscription")
    unsubscribe = awaited(verbs.unsubscribe)
    put_list = awaited(verbs.put_list)
    put_messages = awaited(verbs.put_messages)
    put_status = awaited(verbs.put_status)
    take_connection_tag = awaited(verbs.take_connection_tag)
    prepare = awaited(verbs.prepare)
    commit_prepared = awaited(verbs.commit_prepared)
    backout_prepared = awaited(verbs.backout_prepared)
    prepared = awaited(verbs.prepared)
    mqsc = awaited(administration.mqsc)
    export = awaited(administration.export)
    explain_access = awaited(administration.explain_access)
    explain_route = awaited(administration.explain_route)
    status = awaited(administration.status)
    queues = awaited(administration.queues)
    peek = awaited(administration.peek)
    trace = awaited(administration.trace)
    checkpoint = awaited(administration.checkpoint)
    backup = awaited(administration.backup)
    record_image = awaited(administration.record_image)
    stop = awaited(administration.stop)

    # -- units of work ---------------------------------------------------------------------

    def unit_of_work(self) -> AsyncUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return AsyncUnitOfWork(self)

    def unit_aside(self) -> AsyncUnitOfWork:
        """Enter a unit beside the one that is open, if there is one."""
        return AsyncUnitOfWork(self, aside=True)

    async def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one.

        Returns MQ's warning 2121: no resource manager outside takes part.
        """
        return begin(self)

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give this context a unit; its first use informs the other end.

        Without `holds_all` only calls with SYNCPOINT are in it.
        """
        return self.open_units.enter(self, self.open_units.new_number(), holds_all)

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
        return units.scope_of(self) is not None

    def unit_number(self) -> int:
        """Return the unit that calls without syncpoint options are in, 0 for none."""
        return self.open_units.number_of(self)

    def forget_numbers(self) -> None:
        """Forget which queue names the other end knows by number: it is another one."""
        self.numbers.forget()

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a failed call; the other end is informed before the next call."""
        self.open_units.forget(scope)
        self.kept.of_unit(scope.unit)
        aio_calls.orphan(self, scope.unit)

    async def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            await self.end_scope(scope, True)

    async def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            await self.end_scope(scope, False)

    async def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; `scope.committed` says whether it was committed, though cancelled.

        A caller that is cancelled before that has begun has its unit still. Once begun it is finished first.
        """
        settled = not commit or await self.link.settle(scope.unit)
        if scope.ended:
            return  # another task was quicker
        self.open_units.forget(scope)
        lost = self.kept.of_unit(scope.unit)
        if not settled:
            lost = given_up()
        commit_now = commit and lost is None
        cancelled = await aio_calls.bare(
            self, protocol.COMMIT if commit_now else protocol.BACKOUT, scope.unit
        )
        scope.committed = commit_now
        if cancelled is not None:
            raise cancelled
        if commit and lost is not None:
            raise lost

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that has ended, without waiting for an answer."""
        self.open_units.abandon(scope)
        if self.link.failure is None and not self.link.loop.is_closed():
            self.link.loop.call_soon_threadsafe(aio_calls.orphan, self, scope.unit)

    # -- messages --------------------------------------------------------------------------

    @takes(PutParameters, PUT, fields=True)
    async def put(self, queue: str, body: bytes | str, **parameters: Unpack[PutParameters]) -> Receipt:
        """Put a message to a queue; as the blocking `put`."""
        self.check_open()
        queue = name_of(queue)
        given, fields = divided(PUT, parameters)
        span = None if self.sampler is None else self.sampler.of_put(queue, given["properties"])
        if span is not None:
            given["properties"] = span.carried(as_properties(given["properties"]))
        options, persistent = given["options"], given["persistent"]
        correl_id, msg_id = given["correl_id"], given["msg_id"]
        if (
            not fields
            and given["priority"] is given["expiry"] is given["properties"] is None
            and calls.is_plain(body, options, persistent, correl_id, msg_id)
        ):
            assert isinstance(body, bytes)
            calls.check_length(body, self.message_max)
            if self.hints.quiet and not options and self.hints.puts_quietly(queue):
                options = mq.MQPMO_ASYNC_RESPONSE
            quiet = protocol.NO_REPLY if options else 0
            persistence = calls.persistence_of(persistent)
            return await self._put_plain(queue, body, persistence, correl_id, msg_id, quiet)
        where = {"queue": queue}
        with nullcontext() if span is None else span:
            return await run(self, verbs.put_in_full(self, self.put, where, queue, body, fields, given))

    async def _put_plain(
        self, queue: str, body: bytes, persistence: int, correl_id: Any, msg_id: Any, flags: int
    ) -> Receipt:
        link = self.link
        await link.ready()

        def read(frame: Frame) -> Receipt:
            if frame.kind != protocol.RECEIPT:
                return calls.receipt_of(calls.result(frame))
            self.hints.note_put(queue, frame.flags)
            put_time = frame.read_receipt()
            return calls.plain_receipt_of(queue, self.name, put_time, frame.msg_id, correl_id, persistence)

        number = self.numbers.number(link.out, self.conversation, queue)
        asked = link.ask(read)
        unit = self.unit_number()
        link.out.put(
            flags, self.conversation, asked.request, unit, number, persistence, msg_id, correl_id, body
        )
        if flags:
            del link.pending[asked.request]
            return calls.plain_receipt_of(queue, self.name, time.time(), msg_id, correl_id, persistence)
        receipt: Receipt = await link.answer(asked, self.timeout)
        return receipt

    @takes(GetParameters, GET)
    async def get(self, queue: str, **parameters: Unpack[GetParameters]) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check_open()
        asked = completed(self.get, GET, parameters)
        if self.sampler is None:
            return await self._get(queue, **asked)
        began_ns = time.time_ns()
        message = await self._get(queue, **asked)
        if message is not None and self.sampler.carries(message.properties, message.descriptor):
            self.sampler.got(queue, message, began_ns)
        return message

    async def _get(
        self,
        queue: str,
        wait: float | None,
        correl_id: bytes | None,
        msg_id: bytes | None,
        selector: str | None,
    ) -> Message | None:
        if selector is not None:
            given = {"wait": wait, "correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            return await run(self, verbs.get_in_full(self, {"queue": queue}, given))
        queue = name_of(queue)
        correl_id, msg_id = (
            padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR),
            padded_id(msg_id, mq.MQRC_MSG_ID_ERROR),
        )
        if self.kept:
            unit = self.unit_number()
            kept = self.kept.take(queue, unit, correl_id, msg_id)
            if kept is not None:
                return kept
            await self.returning.put_back(self.kept.hidden_from(queue, unit, None))
        if queue in self.hints.ahead and not self.unit_number():
            return await self._get_ahead(queue, wait, correl_id, msg_id)
        found: Message | None = await self._get_plain(protocol.GET, queue, wait, 0, correl_id, msg_id)
        return found

    async def _get_ahead(
        self, queue: str, wait: float | None, correl_id: bytes | None, msg_id: bytes | None
    ) -> Message | None:
        """Get from what was read ahead of a queue with DEFREADA(YES), or read ahead again."""
        message = self.hints.take(queue, correl_id, msg_id)
        if message is not None:
            return message
        if correl_id is not None or msg_id is not None:
            matching: Message | None = await self._get_plain(protocol.GET, queue, wait, 0, correl_id, msg_id)
            return matching
        ahead = READ_AHEAD_MESSAGES - 1
        found = await self._get_plain(protocol.GET_MANY, queue, wait, 1, None, None, ahead)
        if not found:
            return None
        self.hints.keep(queue, found[1:])
        first: Message = found[0]
        return first

    async def _get_plain(
        self,
        kind: int,
        queue: str,
        wait: float | None,
        count: int,
        correl_id: Any,
        msg_id: Any,
        ahead: int = 0,
    ) -> Any:
        wait_ms = milliseconds(wait)
        link = self.link
        await link.ready()
        number = self.numbers.number(link.out, self.conversation, queue)
        unit = self.unit_number()

        def read(frame: Frame) -> Any:
            if frame.kind in (protocol.MESSAGE, protocol.MESSAGES):
                self.hints.note_get(queue, frame.flags, self.open_units.count != 0)
            return calls.result(frame)

        asked = link.ask(read)
        link.out.get(
            kind, self.conversation, asked.request, unit, number, wait_ms, count, msg_id, correl_id, ahead
        )
        return await self.returning.answer_to_get(asked, self.patience(wait), unit, queue)

    @takes(RequestParameters, REQUEST, fields=True)
    async def request(
        self, queue: str, body: bytes | str, reply_to: str, **parameters: Unpack[RequestParameters]
    ) -> Message | None:
        """Put a request and get its reply: what `reply_to` holds with the request's id as correlation id.

        Both go out together. None when no reply came in time. Outside all units: nobody could get a request
        that is not committed.
        """
        self.check_open()
        given, fields = divided(REQUEST, parameters)
        wait = given["wait"]
        queue, reply_to = name_of(queue), name_of(reply_to)
        msg_id, wait_ms = os.urandom(24), milliseconds(wait)
        data, described = calls.request_fields(self.request, body, reply_to, fields)
        calls.check_length(data, self.message_max)
        persistence = calls.persistence_of(given["persistent"])
        link = self.link
        await link.ready()
        self.numbers.make_room(2)
        target = self.numbers.number(link.out, self.conversation, queue)
        replies = self.numbers.number(link.out, self.conversation, reply_to)
        asked = link.ask(calls.result)
        number, flags = asked.request, protocol.CHAINED | protocol.NO_REPLY
        link.out.put(flags, self.conversation, number, 0, target, persistence, msg_id, None, data, described)
        link.out.get(protocol.GET, self.conversation, number, 0, replies, wait_ms, 0, None, msg_id)
        found: Message | None = await self.returning.answer_to_get(asked, self.patience(wait), 0, reply_to)
        return found

    @takes(PutParameters, PUT, fields=True)
    async def put_many(
        self, queue: str, bodies: Iterable[bytes | str], **parameters: Unpack[PutParameters]
    ) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""
        self.check_open()
        queue = name_of(queue)
        waiting: list[Any] = list(bodies_of(bodies))
        given, fields = divided(PUT, parameters)
        persistent = given.pop("persistent")
        given["options"] = options_of(given["options"])
        details = put_details(self.put_many, **given, fields=fields)
        if details or not all(type(body) is bytes for body in waiting):
            return await run(self, verbs.put_each(self, queue, waiting, persistent, details))
        for body in waiting:
            calls.check_length(body, self.message_max)
        parts = list(calls.parts_of(waiting))
        persistence = calls.persistence_of(persistent)
        if len(parts) == 1 or self.unit_number():
            return await self._put_parts(queue, parts, persistence)
        async with self.unit_aside():
            return await self._put_parts(queue, parts, persistence)

    async def _put_parts(self, queue: str, parts: list[list[bytes]], persistence: int) -> list[Receipt]:
        receipts: list[Receipt] = []
        for part in parts:
            receipts += await self._put_part(queue, part, persistence)
        return receipts

    async def _put_part(self, queue: str, part: list[bytes], persistence: int) -> list[Receipt]:
        link = self.link
        await link.ready()

        def read(frame: Frame) -> list[Receipt]:
            if frame.kind != protocol.RECEIPTS:
                raise calls.failure_of(frame)
            return frame.read_receipts(queue, self.name)

        number = self.numbers.number(link.out, self.conversation, queue)
        asked = link.ask(read)
        link.out.put_many(0, self.conversation, asked.request, self.unit_number(), number, persistence, part)
        receipts: list[Receipt] = await link.answer(asked, self.timeout)
        return receipts

    @takes(GetParameters, GET)
    async def get_many(self, queue: str, count: int, **parameters: Unpack[GetParameters]) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        self.check_open()
        wait, correl_id, msg_id, selector = completed(self.get_many, GET, parameters).values()
        check_count(count)
        queue = name_of(queue)
        if self.kept or selector is not None:
            match = {"correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            return await run(self, verbs.get_one_by_one(self, queue, count, wait, match))
        ahead = 0
        if queue in self.hints.ahead and correl_id is None and msg_id is None and not self.unit_number():
            there = self.hints.take_many(queue, count)
            if there:
                return there
            ahead = ahead_of(count)
        correl_id, msg_id = (
            padded_id(correl_id, mq.MQRC_CORREL_ID_ERROR),
            padded_id(msg_id, mq.MQRC_MSG_ID_ERROR),
        )
        found = await self._get_plain(protocol.GET_MANY, queue, wait, count, correl_id, msg_id, ahead)
        if found and len(found) > count:
            self.hints.keep(queue, found[count:])
            del found[count:]
        return found or []

    def browse(self, queue: str, *, selector: str | None = None, **unknown: Never) -> AsyncIterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""
        if unknown:
            check_names(self.browse, unknown)
        return self._browsed(queue, selector)

    async def _browsed(self, queue: str, selector: str | None) -> AsyncIterator[Message]:
        async with await self.open(queue, mq.MQOO_BROWSE, selector=selector) as handle:
            message = await handle.get(options=mq.MQGMO_BROWSE_FIRST, quiet=True)
            while message is not None:
                yield message
                message = await handle.get(options=mq.MQGMO_BROWSE_NEXT, quiet=True)

    @takes(MessagesParameters, MESSAGES)
    def messages(self, queue: str, **parameters: Unpack[MessagesParameters]) -> AsyncIterator[Message]:
        """Yield messages as they arrive, until none has arrived for `wait` seconds; None never ends.

        Each is in a unit of its own, committed when the next one is asked for; a loop that is left (break,
        an exception) puts its last message back. `unit_of_work=False` takes messages for good.
        """
        asked = completed(self.messages, MESSAGES, parameters)
        wait, unit_of_work = asked.pop("wait"), asked.pop("unit_of_work")
        return aio_consuming.messages(self, functools.partial(self.get, queue, **asked), wait, unit_of_work)

    @takes(ConsumeParameters, CONSUME)
    async def consume(
        self, queue: str, callback: Callable[[Message], Any], **parameters: Unpack[ConsumeParameters]
    ) -> AsyncConsumer:
        """Call back with each message, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check_open()
        asked = completed(self.consume, CONSUME, parameters)
        return await start_consumer(self, functools.partial(self.get, queue), callback, asked)

    # -- the end ---------------------------------------------------------------------------

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take when the call itself may wait; negative for ever."""
        if wait is None:
            return -1.0
        deadline_of(wait)  # raises if it is not a number
        return self.timeout + wait

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed."""
        if self.closed:
            raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")

    async def ensure_open(self) -> None:
        """Raise 2018 when this connection is closed; one that reconnects is brought back."""
        self.check_open()

    async def close(self) -> None:
        """Disconnect: commit open units, close handles, put back messages of abandoned gets."""
        if self.closed:
            return
        problem: MQError | None = None
        try:
            await self.returning.put_all_back()
        except MQError as failure:
            problem = failure
        if self.closed:
            return  # another task was quicker
        self.closed = True
        try:
            for scope in list(self.open_units):
                try:
                    await self.end_scope(scope, True)
                except MQError as failure:
                    problem = failure
            await self._say_goodbye()
        finally:
            await self.link.close()
        if problem is not None:
            raise problem

    async def _say_goodbye(self) -> None:
        if self.link.failure is None:
            asked = self.link.ask(calls.result)
            flags = protocol.NO_REPLY  # here: commit rather than back out
            self.link.out.frame(protocol.END, flags, self.conversation, asked.request, 0, b"")
            try:
                await self.link.answer(asked, self.timeout)
            except MQError:
                pass  # it is closed, and so are we

    disconnect = close

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncQueueManager {self.name}{' closed' if self.closed else ''}>"

    def __dir__(self) -> list[str]:
        return shown(self, QUEUE_MANAGER)
