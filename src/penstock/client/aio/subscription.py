"""A subscription at the other end of a socket, for asyncio: `async for message in subscription`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.aio import consuming as aio_consuming
from penstock.client.aio.consuming import AsyncConsumer
from penstock.client.subscription import SubscriptionFacts
from penstock.face.arguments import check_names, options_of
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType
    from typing import Never, Self

    from penstock.client.aio.named_calls import AsyncNamedCalls
    from penstock.model.message import Message


class AsyncSubscription(SubscriptionFacts):
    """One open subscription, for asyncio."""

    qm: AsyncNamedCalls

    async def get(
        self,
        *,
        options: int = 0,
        wait: float | None = 0.0,
        max_length: int | None = None,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: str | None = None,
        ccsid: int = 0,
        encoding: int = mq.MQENC_NATIVE,
        **unknown: Never,
    ) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check()
        if unknown:
            check_names(self.get, unknown)
        wanted = options_of(options)
        given = calls.get_details(
            wanted,
            wait,
            max_length,
            msg_id,
            correl_id,
            group_id,
            seq_number,
            offset,
            token,
            selector,
            ccsid,
            encoding,
        )
        found: Message | None = await self.qm.get_in_full(self.where, given, wanted, self.queue)
        return found

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> AsyncIterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""
        return aio_consuming.messages(self.qm, self.get, wait, unit_of_work)

    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield publications as they come, until the subscription is closed."""
        return aio_consuming.messages(self.qm, self.get, None, True)

    async def consume(
        self,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> AsyncConsumer:
        """Call back with each publication, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check()
        if unknown:
            check_names(self.consume, unknown)
        get = functools.partial(self.get, correl_id=correl_id, msg_id=msg_id, selector=selector)
        consumer = AsyncConsumer(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error)
        return await consumer.start()

    async def request(self) -> int:
        """Ask for what is retained (MQSUBRQ); return how many publications came."""
        self.check()
        return int(await self.qm.call("request_retained", self.where))

    async def alter(
        self,
        *,
        selector: str | None = None,
        user_data: str | None = None,
        expiry: float | None = None,
        priority: int | None = None,
        persistence: str | None = None,
        properties: str | None = None,
        level: int | None = None,
        correl_id: bytes | None = None,
        queue: str = "",
        qmgr: str = "",
        **unknown: Never,
    ) -> None:
        """Change what is given, and leave the rest (MQSO_ALTER)."""
        self.check()
        if unknown:
            check_names(self.alter, unknown)
        changes = {
            "selector": selector,
            "user_data": user_data,
            "expiry": expiry,
            "priority": priority,
            "persistence": persistence,
            "properties": properties,
            "level": level,
            "correl_id": correl_id,
            "queue": queue,
            "qmgr": qmgr,
        }
        await self.qm.call("alter_subscription", {**self.where, "changes": changes})

    async def close(self, *, remove: bool = False) -> None:
        """Close the subscription: a durable one stays, unless it is to be removed."""
        self.qm.check_open()
        if not self.closed:
            await self.qm.call("close_subscription", {**self.where, "remove": remove})
            self.closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.closed and not self.qm.closed and self.qm.link.failure is None:
            await self.close()
