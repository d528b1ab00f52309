"""A queue manager at the other end of a socket, for asyncio: what `penstock.aio.connect` returns.

The names of the blocking client, as coroutines; what is sent and how answers are read is shared with it
(`calls`). Many tasks share one connection. A unit of work belongs to the context of the task that entered it;
tasks started inside it work in it too, until it ends. Cancelling a get that waits loses no message.
"""

from __future__ import annotations

import functools
import os
import time
import weakref
from typing import TYPE_CHECKING, Any

from penstock.host import units
from penstock.host.object_handle import padded_id
from penstock.host.units import Scope
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.wire import protocol
from penstock.wire.client import calls, message_batch
from penstock.wire.client.aio_consuming import AsyncConsumer
from penstock.wire.client.aio_handle import AsyncHandle
from penstock.wire.client.aio_subscription import AsyncSubscription
from penstock.wire.client.hints import READ_AHEAD_MESSAGES, QueueHints, ahead_of
from penstock.wire.client.kept import Kept
from penstock.wire.client.putting_back import put_back_async
from penstock.wire.client.queue_manager import GET_MANY_MAX, milliseconds

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from types import TracebackType
    from typing import Self

    from penstock.admin.mqsc import Echo, Reply, Summary
    from penstock.model.message import Message, Receipt
    from penstock.wire._frames import Frame
    from penstock.wire.client.aio_flows import AsyncFlows
    from penstock.wire.client.aio_link import AioLink
    from penstock.wire.client.dialling import Target

FIRST = 1  # a connection of asyncio has a socket of its own: its tasks share it


class AsyncQueueManager:
    """A connection to a queue manager in another process, for the tasks of one loop."""

    def __init__(self, link: AioLink, target: Target, timeout: float) -> None:
        self.link = link
        self.conversation = FIRST
        self.target = target
        self.timeout = timeout
        self.name = link.terms.text("qmgr")
        self.names: dict[str, int] = {}
        self.scopes: weakref.WeakSet[Scope] = weakref.WeakSet()
        self.next_unit = 1
        self.closed = False
        self.kept = Kept()
        self.hints = QueueHints()
        self.message_max = link.terms.number("message_max", protocol.FRAME_BYTES_MAX)

    # -- messages --------------------------------------------------------------------------

    async def put(
        self,
        queue: str,
        body: bytes | str,
        *,
        options: int = 0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        **details: Any,
    ) -> Receipt:
        """Put a message to a queue; as the blocking `put`."""
        self.check_open()
        given = {name: value for name, value in details.items() if value is not None}
        if calls.is_plain(body, options, correl_id, msg_id, given):
            assert isinstance(body, bytes)
            calls.check_length(body, self.message_max)
            if self.hints.quiet and not options and self.hints.puts_quietly(queue):
                options = mq.MQPMO_ASYNC_RESPONSE
            persistence = calls.persistence_of(given.get("persistent"))
            quiet = protocol.NO_REPLY if options else 0
            return await self._put_plain(queue, body, persistence, correl_id, msg_id, quiet)
        given.update(options=options, correl_id=correl_id, msg_id=msg_id)
        return await self.put_in_full({"queue": queue}, body, given)

    async def put_in_full(self, where: dict[str, Any], body: Any, given: dict[str, Any]) -> Receipt:
        """Put a message with everything that was given."""
        known = {name: given.pop(name) for name in calls.PUT_OPTIONS if name in given}
        arguments = calls.put_arguments(where, body, given, known)
        calls.check_length(arguments["body"], self.message_max)
        return calls.receipt_of(
            await self.call("put", arguments, self.unit_for(int(known.get("options", 0))))
        )

    async def _put_plain(
        self, queue: str, body: bytes, persistence: int, correl_id: Any, msg_id: Any, flags: int
    ) -> Receipt:
        link = self.link
        await link.ready()

        def read(frame: Frame) -> Receipt:
            if frame.kind != protocol.RECEIPT:
                return calls.receipt_of(calls.result(frame))
            self.hints.heard_of_put(queue, frame.flags)
            put_time = frame.read_receipt()
            return calls.plain_receipt_of(queue, self.name, put_time, frame.msg_id, correl_id, persistence)

        number = self._number(queue)
        asked = link.ask(read)
        unit = self._unit()
        link.out.put(
            flags, self.conversation, asked.request, unit, number, persistence, msg_id, correl_id, body
        )
        if flags:
            del link.pending[asked.request]
            return calls.plain_receipt_of(queue, self.name, time.time(), msg_id, correl_id, persistence)
        receipt: Receipt = await link.answer(asked, self.timeout)
        return receipt

    def _number(self, queue: str) -> int:
        """Return the number of a queue's name; the other end hears of new ones."""
        number = self.names.get(queue)
        if number is None:
            self._make_room(1)
            number = len(self.names)
            payload = number.to_bytes(4, "little") + queue.encode()
            self.link.out.frame(protocol.NAME, 0, self.conversation, 0, 0, payload)
            self.names[queue] = number
        return number

    def _make_room(self, count: int) -> None:
        """Forget the numbers of all names when so many more would be too many."""
        if len(self.names) > protocol.NAMES_MAX - count:
            self.names.clear()

    async def get(
        self,
        queue: str,
        *,
        wait: float | None = 0.0,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check_open()
        if selector is not None:
            given = {"wait": wait, "correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            selected: Message | None = await self.get_in_full({"queue": queue}, given)
            return selected
        correl_id, msg_id = padded_id(correl_id, 2207), padded_id(msg_id, 2206)
        if self.kept:
            unit = self._unit()
            kept = self.kept.take(queue, unit, correl_id, msg_id)
            if kept is not None:
                return kept
            await put_back_async(self, self.kept.hidden_from(queue, unit, None))
        if queue in self.hints.ahead and not self._unit():
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
        number = self._number(queue)
        unit = self._unit()

        def read(frame: Frame) -> Any:
            if frame.kind in (protocol.MESSAGE, protocol.MESSAGES):
                self.hints.heard_of_get(queue, frame.flags, bool(self.scopes))
            return calls.result(frame)

        asked = link.ask(read)
        link.out.get(
            kind, self.conversation, asked.request, unit, number, wait_ms, count, msg_id, correl_id, ahead
        )
        keep = self._keeper(queue, unit)
        return await link.answer_or_keep(asked, self.patience(wait), self.conversation, keep)

    def _keeper(self, queue: str, unit: int, way: Any = None) -> Callable[[Any], None]:
        """Return what keeps a message whose get was given up."""

        def keep(found: Any) -> None:
            for message in found if isinstance(found, list) else [found] if found is not None else []:
                self.kept.add(queue, unit, way, message)

        return keep

    async def get_in_full(
        self, where: dict[str, Any], given: dict[str, Any], options: int = 0, queue: str = ""
    ) -> Any:
        """Get a message with everything that was given; None when there is none."""
        conditional = options & mq.MQGMO_SYNCPOINT_IF_PERSISTENT
        unit = self.unit_for(options | (mq.MQGMO_SYNCPOINT if conditional else 0))
        queue = queue or where["queue"]
        way = calls.way_of(where, given)
        browses = options & calls.BROWSING
        if self.kept:
            found = None if browses else calls.take_kept(self.kept, queue, unit, given, way)
            if found is not None:
                return found
            await put_back_async(self, self.kept.hidden_from(queue, unit, way))
        payload = calls.pack_call("get", calls.get_arguments(where, given))
        link = self.link
        await link.ready()
        asked = link.ask(calls.result)
        link.out.frame(protocol.CALL, 0, self.conversation, asked.request, unit, payload)
        keep = _forget if browses else self._keeper(queue, unit, way)
        return await link.answer_or_keep(
            asked, self.patience(given.get("wait", 0.0)), self.conversation, keep
        )

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take when the call itself may wait; negative for ever."""
        return -1.0 if wait is None else self.timeout + wait

    async def request(
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

        Both go out together. None when no reply came in time. Outside all units: nobody could see a request
        that is not committed.
        """
        self.check_open()
        msg_id, wait_ms = os.urandom(24), milliseconds(wait)
        data, described = calls.request_fields(body, reply_to, fields)
        calls.check_length(data, self.message_max)
        persistence = calls.persistence_of(persistent)
        link = self.link
        await link.ready()
        self._make_room(2)
        target, replies = self._number(queue), self._number(reply_to)
        asked = link.ask(calls.result)
        number, flags = asked.request, protocol.CHAINED | protocol.NO_REPLY
        link.out.put(flags, self.conversation, number, 0, target, persistence, msg_id, None, data, described)
        link.out.get(protocol.GET, self.conversation, number, 0, replies, wait_ms, 0, None, msg_id)
        keep = self._keeper(reply_to, 0)
        found: Message | None = await link.answer_or_keep(asked, self.patience(wait), self.conversation, keep)
        return found

    async def put_many(self, queue: str, bodies: Iterable[bytes | str], **details: Any) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""
        self.check_open()
        waiting: list[Any] = list(bodies)
        plain = details.keys() <= {"persistent"} and all(type(body) is bytes for body in waiting)
        for body in waiting if plain else ():
            calls.check_length(body, self.message_max)
        parts = list(calls.parts_of(waiting)) if plain else []
        if len(parts) == 1 or units.current(self) is not None:
            return await self._put_each(queue, waiting, parts, details)
        async with self.unit_of_work():
            return await self._put_each(queue, waiting, parts, details)

    async def _put_each(
        self, queue: str, bodies: list[Any], parts: list[list[bytes]], details: dict[str, Any]
    ) -> list[Receipt]:
        if not parts:
            return [await self.put(queue, body, **details) for body in bodies]
        receipts: list[Receipt] = []
        for part in parts:
            receipts += await self._put_part(queue, part, calls.persistence_of(details.get("persistent")))
        return receipts

    async def _put_part(self, queue: str, part: list[bytes], persistence: int) -> list[Receipt]:
        link = self.link
        await link.ready()

        def read(frame: Frame) -> list[Receipt]:
            if frame.kind != protocol.RECEIPTS:
                raise calls.failure_of(frame)
            return frame.read_receipts(queue, self.name)

        number = self._number(queue)
        asked = link.ask(read)
        link.out.put_many(0, self.conversation, asked.request, self._unit(), number, persistence, part)
        receipts: list[Receipt] = await link.answer(asked, self.timeout)
        return receipts

    async def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with its queue, queue manager and put options; as the embedded one."""
        self.check_open()
        if units.current(self) is not None:
            await self._put_batch(outputs)
            return
        async with self.unit_of_work():
            await self._put_batch(outputs)

    async def _put_batch(self, outputs: Iterable[Any]) -> None:
        batch = message_batch.Batch(outputs, self.message_max)
        for part in batch:
            with batch.naming_place():
                await self.call("put_messages", part, self._unit())

    async def get_many(
        self, queue: str, count: int, *, wait: float | None = 0.0, **match: Any
    ) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        self.check_open()
        if not 0 < count <= GET_MANY_MAX:
            raise error(2046, f"count must be 1 to {GET_MANY_MAX}")
        if self.kept or match.get("selector") is not None:
            return await self._get_one_by_one(queue, count, wait, match)
        ahead = 0
        if queue in self.hints.ahead and not match and not self._unit():
            there = self.hints.take_many(queue, count)
            if there:
                return there
            ahead = ahead_of(count)
        correl_id = padded_id(match.get("correl_id"), 2207)
        msg_id = padded_id(match.get("msg_id"), 2206)
        found = await self._get_plain(protocol.GET_MANY, queue, wait, count, correl_id, msg_id, ahead)
        if found and len(found) > count:
            self.hints.keep(queue, found[count:])
            del found[count:]
        return found or []

    async def _get_one_by_one(
        self, queue: str, count: int, wait: float | None, match: dict[str, Any]
    ) -> list[Message]:
        found: list[Message] = []
        message = await self.get(queue, wait=wait, **match)
        while message is not None:
            found.append(message)
            message = await self.get(queue, **match) if len(found) < count else None
        return found

    async def browse(self, queue: str, *, selector: str | None = None) -> AsyncIterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""
        async with await self.open(queue, mq.MQOO_BROWSE, selector=selector) as handle:
            message = await handle.get(options=mq.MQGMO_BROWSE_FIRST, quiet=True)
            while message is not None:
                yield message
                message = await handle.get(options=mq.MQGMO_BROWSE_NEXT, quiet=True)

    async def messages(
        self, queue: str, *, wait: float | None = None, **match: Any
    ) -> AsyncIterator[Message]:
        """Yield messages as they come, until none has come for `wait` seconds; None goes on for ever."""
        while True:
            message = await self.get(queue, wait=wait, **match)
            if message is None:
                return
            yield message

    async def consume(
        self,
        queue: str,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = False,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        **match: Any,
    ) -> AsyncConsumer:
        """Call back with each message, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check_open()
        get = functools.partial(self.get, queue, **match)
        return await AsyncConsumer(self, get, callback, unit_of_work=unit_of_work, on_error=on_error).start()

    async def open(self, name: str, options: int = 0, **details: Any) -> AsyncHandle:
        """Open an object with MQ's open options; see `AsyncHandle`."""
        self.check_open()
        facts = await self.call("open", {"name": name, "options": int(options), "details": details})
        return AsyncHandle(self, facts)

    # -- topics ----------------------------------------------------------------------------

    async def publish(self, topic: str, body: bytes | str, **details: Any) -> Receipt:
        """Publish to a topic; as the embedded `publish`."""
        self.check_open()
        unit = self.unit_for(int(details.get("options") or 0))
        arguments = calls.publish_arguments(topic, body, details)
        calls.check_length(arguments["body"], self.message_max)
        return calls.receipt_of(await self.call("publish", arguments, unit))

    async def subscribe(self, topic: str = "", **details: Any) -> AsyncSubscription:
        """Subscribe to a topic, or to all that a pattern fits; as the embedded `subscribe`."""
        self.check_open()
        return AsyncSubscription(self, await self.call("subscribe", {"topic": topic, "details": details}))

    async def unsubscribe(self, name: str) -> None:
        """Remove a durable subscription that nobody has open, with the messages it holds."""
        self.check_open()
        await self.call("unsubscribe", {"name": name})

    # -- units of work ---------------------------------------------------------------------

    def unit_of_work(self) -> AsyncUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return AsyncUnitOfWork(self)

    async def begin(self) -> None:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one."""
        self.check_open()
        if units.current(self) is not None:
            raise error(2128, "this context is in a unit of work already")
        self.new_scope()

    def new_scope(self) -> Scope:
        """Give this context a unit; the other end hears of it by its first use."""
        number = self.next_unit
        self.next_unit = number + 1 if number < 0xFFFFFFF0 else 1
        scope = Scope(self, number)
        self.scopes.add(scope)
        units.enter(scope)
        return scope

    def _unit(self) -> int:
        scope = units.current(self) if self.scopes else None
        return 0 if scope is None else int(scope.unit)

    def unit_for(self, options: int) -> int:
        """Return the unit that a call with these options works in; SYNCPOINT starts one."""
        if options & mq.MQPMO_NO_SYNCPOINT:
            return 0
        if options & mq.MQPMO_SYNCPOINT and units.current(self) is None:
            self.new_scope()
        return self._unit()

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
        """Commit or back out a unit."""
        units.leave(scope)
        self.scopes.discard(scope)
        lost = self.kept.of_unit(scope.unit)
        kind = protocol.COMMIT if commit and lost is None else protocol.BACKOUT
        await self._bare(kind, scope.unit)
        if commit and lost is not None:
            raise lost

    async def _bare(self, kind: int, unit: int) -> None:
        if self.link.failure is not None:
            raise self.link.failure_again()
        asked = self.link.ask(calls.result)
        self.link.out.frame(kind, 0, self.conversation, asked.request, unit, b"")
        await self.link.answer(asked, self.timeout)

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that is gone, without waiting for an answer."""
        scope.ended = True
        if self.link.failure is None and not self.link.loop.is_closed():
            self.link.loop.call_soon_threadsafe(self._back_out_orphan, scope.unit)

    def _back_out_orphan(self, unit: int) -> None:
        if self.link.failure is None:
            asked = self.link.ask(_ignore)
            self.link.out.frame(protocol.BACKOUT, 0, self.conversation, asked.request, unit, b"")

    async def prepare(self, xid: str) -> None:
        """Prepare this context's unit under an outside id; it survives a restart until resolved."""
        self.check_open()
        scope = units.current(self)
        if scope is None:
            raise error(2046, "there is no unit of work to prepare")
        await self.call("prepare", {"unit": scope.unit, "xid": xid})
        units.leave(scope)
        self.scopes.discard(scope)

    async def commit_prepared(self, xid: str) -> None:
        """Commit a prepared unit."""
        await self.call("commit_prepared", {"xid": xid})

    async def backout_prepared(self, xid: str) -> None:
        """Back a prepared unit out."""
        await self.call("backout_prepared", {"xid": xid})

    async def prepared(self) -> list[dict[str, Any]]:
        """List the prepared units."""
        found: list[dict[str, Any]] = await self.call("prepared", {})
        return found

    async def put_status(self) -> calls.PutStatus:
        """Tell how puts without an answer went since the last time (MQSTAT)."""
        return calls.PutStatus(*await self.call("put_status", {}))

    @property
    def flows(self) -> AsyncFlows:
        """Reservations of flows: exactly-once batches for an outside engine."""
        from penstock.wire.client.aio_flows import AsyncFlows

        return AsyncFlows(self)

    # -- administration --------------------------------------------------------------------

    async def mqsc(self, text: str) -> list[Reply]:
        """Run MQSC commands; a command's failure is in its reply."""
        return [piece async for piece in self._mqsc(text, verify=False, echo=False)]

    def mqsc_script(
        self, lines: Iterable[str], *, verify: bool = False
    ) -> AsyncIterator[Echo | Reply | Summary]:
        """Run MQSC; yield echoes, replies and, last, a summary, as they come."""
        text = "\n".join(line.rstrip("\n") for line in lines)
        return self._mqsc(text, verify=verify, echo=True)

    async def _mqsc(self, text: str, *, verify: bool, echo: bool) -> AsyncIterator[Any]:
        async for row in self.stream("mqsc", {"text": text, "verify": verify, "echo": echo}):
            yield calls.piece_of(row)

    async def export(self, everything: bool = False) -> str:
        """Return the MQSC that makes every object again; SYSTEM objects only where they were changed."""
        return "".join([piece async for piece in self.stream("export", {"everything": everything})])

    async def explain_access(self, user: str, **question: str) -> dict[str, Any]:
        """Tell why a user may or may not come in and do a thing: `allowed`, `user`, and the steps."""
        found: dict[str, Any] = await self.call("explain_access", {"user": user, "question": question})
        return found

    async def status(self) -> dict[str, Any]:
        """Return figures about the queue manager: log, syncs, units, waiters, channels."""
        found: dict[str, Any] = await self.call("status", {})
        return found

    async def checkpoint(self) -> None:
        """Take a checkpoint now."""
        await self.call("checkpoint", {}, timeout=calls.LONG_CALL_SECONDS)

    async def backup(self, target: Any) -> str:
        """Copy the queue manager, as it is now, to a folder on its machine."""
        found: str = await self.call("backup", {"target": str(target)}, timeout=calls.LONG_CALL_SECONDS)
        return found

    async def stop(self, mode: str = "quiesce") -> None:
        """Stop the queue manager: `quiesce`, `immediate` or `preemptive`."""
        await self.call("stop", {"mode": mode})

    # -- calls by name ---------------------------------------------------------------------

    async def call(
        self, verb: str, arguments: dict[str, Any], unit: int = 0, timeout: float | None = None
    ) -> Any:
        """Make a call and return its result."""
        self.check_open()
        payload = calls.pack_call(verb, arguments)
        link = self.link
        await link.ready()
        asked = link.ask(calls.result)
        link.out.frame(protocol.CALL, 0, self.conversation, asked.request, unit, payload)
        return await link.answer(asked, self.timeout if timeout is None else timeout)

    async def stream(self, verb: str, arguments: dict[str, Any]) -> AsyncIterator[Any]:
        """Make a call whose result comes in parts; yield the rows as they come."""
        self.check_open()
        payload = calls.pack_call(verb, arguments)
        link = self.link
        await link.ready()
        asked = link.ask_in_parts(calls.result)
        link.out.frame(protocol.CALL, 0, self.conversation, asked.request, 0, payload)
        async for rows in link.parts_of(asked, self.conversation):
            for row in rows:
                yield row

    # -- the end ---------------------------------------------------------------------------

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed."""
        if self.closed:
            raise error(2018, "the connection is closed")

    async def close(self) -> None:
        """Disconnect: commit what is open, close handles, put back what came for gets that were given up."""
        if self.closed:
            return
        problem: MQError | None = None
        try:
            await put_back_async(self, self.kept.outside_units())
        except MQError as failure:
            problem = failure
        if self.closed:
            return  # somebody else was quicker
        self.closed = True
        for scope in list(self.scopes):
            try:
                await self.end_scope(scope, True)
            except MQError as failure:
                problem = failure
        if self.link.failure is None:
            asked = self.link.ask(calls.result)
            flags = protocol.NO_REPLY  # here: commit rather than back out
            self.link.out.frame(protocol.END, flags, self.conversation, asked.request, 0, b"")
            try:
                await self.link.answer(asked, self.timeout)
            except MQError:
                pass  # it is gone, and so are we
        await self.link.close()
        if problem is not None:
            raise problem

    disconnect = close

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncQueueManager {self.name}{' closed' if self.closed else ''}>"


class AsyncUnitOfWork:
    """What `async with qm.unit_of_work():` enters."""

    def __init__(self, qm: AsyncQueueManager) -> None:
        self._qm = qm
        self._scope: Scope | None = None

    async def __aenter__(self) -> AsyncQueueManager:
        await self._qm.begin()
        self._scope = units.current(self._qm)
        return self._qm

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        scope = self._scope
        if scope is None or scope.ended:
            return
        if kind is None:
            await self._qm.end_scope(scope, True)
            return
        try:
            await self._qm.end_scope(scope, False)
        except MQError as failure:
            if failure.reason not in calls.GONE:
                raise


def _ignore(frame: Frame) -> None:
    """Read an answer that nobody waits for."""


def _forget(found: Any) -> None:
    """Keep nothing: what was browsed is still on its queue."""
