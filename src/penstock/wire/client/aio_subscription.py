"""A subscription at the other end of a socket, for asyncio: `async for message in subscription`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.host.arguments import options_of
from penstock.wire.client.aio_consuming import AsyncConsumer
from penstock.wire.client.subscription import SubscriptionFacts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from types import TracebackType
    from typing import Self

    from penstock.model.message import Message
    from penstock.wire.client.aio_named_calls import AsyncNamedCalls


class AsyncSubscription(SubscriptionFacts):
    """One open subscription, for asyncio."""

    qm: AsyncNamedCalls

    async def get(self, *, wait: float | None = 0.0, **details: Any) -> Message | None:
        """Get a publication, or None when there is none (after `wait` seconds; None waits for ever)."""
        self.check()
        options = options_of(details.get("options") or 0)
        found: Message | None = await self.qm.get_in_full(
            self.where, {"wait": wait, **details}, options, self.queue
        )
        return found

    async def messages(self, *, wait: float | None = 0.0) -> AsyncIterator[Message]:
        """Yield publications until none has come for `wait` seconds."""
        while not self.closed and not self.qm.closed:
            message = await self.get(wait=wait)
            if message is None:
                return
            yield message

    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield publications as they come, until the subscription is closed."""
        return self.messages(wait=None)

    async def consume(
        self, callback: Callable[[Message], Any], *, unit_of_work: bool = False, **details: Any
    ) -> AsyncConsumer:
        """Call back with each publication, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check()
        on_error = details.pop("on_error", None)
        get = functools.partial(self.get, **details)
        consumer = AsyncConsumer(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error)
        return await consumer.start()

    async def request(self) -> int:
        """Ask for what is retained (MQSUBRQ); return how many publications came."""
        self.check()
        return int(await self.qm.call("request_retained", self.where))

    async def alter(self, **changes: Any) -> None:
        """Change selector, user_data, expiry, priority, properties, correl_id or queue (MQSO_ALTER)."""
        self.check()
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
