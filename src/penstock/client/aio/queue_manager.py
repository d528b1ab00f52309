"""A queue manager at the other end of a socket, for asyncio: what `penstock.aio.connect` returns.

The names of the blocking client, as coroutines; what is sent and how answers are read is shared with it
(`calls`). Here are puts and gets; everything else is in `aio_named_calls` and `aio_connection`. Cancelling a
get that waits loses no message.
"""

from __future__ import annotations

import functools
import os
import time
from typing import TYPE_CHECKING, Any

from penstock.client import calls, message_batch
from penstock.client.aio import consuming as aio_consuming
from penstock.client.aio.consuming import AsyncConsumer
from penstock.client.aio.named_calls import AsyncNamedCalls
from penstock.client.putting_back import put_back_async
from penstock.client.queue_manager import milliseconds
from penstock.client.read_ahead import READ_AHEAD_MESSAGES, QueueHints, ahead_of
from penstock.face import units
from penstock.face.arguments import bodies_of, check_count, check_names, name_of, options_of
from penstock.face.message_arguments import put_details
from penstock.face.units import CallUnit
from penstock.host.distribution import Outcome
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.padded_id import padded_id
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from typing import Never

    from penstock.client.aio.link import AioLink
    from penstock.client.dialling import Target
    from penstock.model.message import Message, Receipt
    from penstock.model.message_handle import MessageHandle
    from penstock.protocol._frames import Frame

NO_FRILLS = {"priority": None, "expiry": None, "properties": None}


class AsyncQueueManager(AsyncNamedCalls):
    """A connection to a queue manager in another process, for the tasks of one loop."""

    def __init__(self, link: AioLink, target: Target, timeout: float) -> None:
        super().__init__(link, target, timeout)
        self.names: dict[str, int] = {}
        self.hints = QueueHints()

    # -- messages --------------------------------------------------------------------------

    async def put(
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
        """Put a message to a queue; as the blocking `put`."""
        self.check_open()
        queue = name_of(queue)
        frills = {"priority": priority, "expiry": expiry, "properties": properties}
        if (
            not fields
            and frills == NO_FRILLS
            and calls.is_plain(body, options, persistent, correl_id, msg_id)
        ):
            assert isinstance(body, bytes)
            calls.check_length(body, self.message_max)
            if self.hints.quiet and not options and self.hints.puts_quietly(queue):
                options = mq.MQPMO_ASYNC_RESPONSE
            quiet = protocol.NO_REPLY if options else 0
            persistence = calls.persistence_of(persistent)
            return await self._put_plain(queue, body, persistence, correl_id, msg_id, quiet)
        ids = {"correl_id": correl_id, "msg_id": msg_id}
        given = {"options": options, "persistent": persistent, **ids, **frills}
        return await self.put_in_full(self.put, {"queue": queue}, queue, body, fields, given)

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
            payload = number.to_bytes(4, "little") + calls.packed_name(queue)
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
        **unknown: Never,
    ) -> Message | None:
        """Get a message, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check_open()
        if unknown:
            check_names(self.get, unknown)
        if selector is not None:
            given = {"wait": wait, "correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            selected: Message | None = await self.get_in_full({"queue": queue}, given)
            return selected
        queue = name_of(queue)
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
        queue, reply_to = name_of(queue), name_of(reply_to)
        msg_id, wait_ms = os.urandom(24), milliseconds(wait)
        data, described = calls.request_fields(self.request, body, reply_to, fields)
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

    async def put_list(
        self,
        destinations: Iterable[Any],
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
    ) -> list[Receipt]:
        """Put one message to several queues (a distribution list); return a receipt for each.

        A destination is a name, a pair of queue and queue manager, or a dictionary with `queue`, `qmgr`,
        `msg_id`, `correl_id` and what else an MQPMR has. Queues that do not take the message leave the others
        as they are; 2136 tells of each in `fields["reasons"]`, or their reason when all fail alike.
        """
        details = put_details(
            self.put_list, correl_id, msg_id, priority, expiry, properties, options_of(options), fields
        )
        details |= {} if persistent is None else {"persistent": persistent}
        outcome = Outcome(destinations, details)
        for each in outcome.destinations:
            try:
                outcome.add(await self.put(each.queue, body, **each.details(details)))
            except MQError as failure:
                outcome.add(failure)
        return outcome.receipts()

    async def put_many(
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
        if details or not all(type(body) is bytes for body in waiting):
            return await self._put_each(queue, waiting, persistent, details)
        for body in waiting:
            calls.check_length(body, self.message_max)
        parts = list(calls.parts_of(waiting))
        persistence = calls.persistence_of(persistent)
        if len(parts) == 1 or self._unit():
            return await self._put_parts(queue, parts, persistence)
        async with self.unit_aside():
            return await self._put_parts(queue, parts, persistence)

    async def _put_each(
        self, queue: str, bodies: list[Any], persistent: bool | None, details: dict[str, Any]
    ) -> list[Receipt]:
        """Put messages one by one, in the unit that their options name or in one of their own."""
        with CallUnit(self, details.get("options", 0)) as used:
            if used.unit is not None:
                return [await self.put(queue, body, persistent=persistent, **details) for body in bodies]
        details = units.within_own_unit(details)
        async with self.unit_aside():
            return [await self.put(queue, body, persistent=persistent, **details) for body in bodies]

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

        number = self._number(queue)
        asked = link.ask(read)
        link.out.put_many(0, self.conversation, asked.request, self._unit(), number, persistence, part)
        receipts: list[Receipt] = await link.answer(asked, self.timeout)
        return receipts

    async def put_messages(self, outputs: Iterable[tuple[str, Message, str, int]]) -> None:
        """Put whole messages, each with its queue, queue manager and put options; as the embedded one."""
        self.check_open()
        if self._unit():
            await self._put_batch(outputs)
            return
        async with self.unit_aside():
            await self._put_batch(outputs)

    async def _put_batch(self, outputs: Iterable[Any]) -> None:
        batch = message_batch.Batch(outputs, self.message_max)
        for part in batch:
            with batch.naming_place():
                await self.call("put_messages", part, self._unit())

    async def get_many(
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
        queue = name_of(queue)
        if self.kept or selector is not None:
            match = {"correl_id": correl_id, "msg_id": msg_id, "selector": selector}
            return await self._get_one_by_one(queue, count, wait, match)
        ahead = 0
        if queue in self.hints.ahead and correl_id is None and msg_id is None and not self._unit():
            there = self.hints.take_many(queue, count)
            if there:
                return there
            ahead = ahead_of(count)
        correl_id, msg_id = padded_id(correl_id, 2207), padded_id(msg_id, 2206)
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

    def messages(
        self,
        queue: str,
        *,
        wait: float | None = None,
        unit_of_work: bool = True,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> AsyncIterator[Message]:
        """Yield messages as they come, until none has come for `wait` seconds; None goes on for ever.

        Each is in a unit of its own, committed when the next one is asked for; a loop that is left (break,
        an exception) puts its last message back. `unit_of_work=False` takes messages for good.
        """
        if unknown:
            check_names(self.messages, unknown)
        get = functools.partial(self.get, queue, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return aio_consuming.messages(self, get, wait, unit_of_work)

    async def consume(
        self,
        queue: str,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> AsyncConsumer:
        """Call back with each message, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check_open()
        if unknown:
            check_names(self.consume, unknown)
        get = functools.partial(self.get, queue, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return await AsyncConsumer(self, get, callback, unit_of_work=unit_of_work, on_error=on_error).start()
