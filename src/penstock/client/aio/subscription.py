"""A subscription at the other end of a socket, for asyncio: `async for message in subscription`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.client.aio import consuming as aio_consuming
from penstock.client.aio.closing import AsyncClosing
from penstock.client.aio.consuming import AsyncConsumer, start_consumer
from penstock.client.aio.driver import awaited
from penstock.client.core import subscription as core
from penstock.face.declared import ConsumeParameters
from penstock.face.keywords import CONSUME, completed, takes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Unpack

    from penstock.model.message import Message


class AsyncSubscription(core.SubscriptionFacts, AsyncClosing):
    """One open subscription, for asyncio."""

    get = awaited(core.get)
    request = awaited(core.request)
    alter = awaited(core.alter)
    close = awaited(core.close)

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> AsyncIterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""
        return aio_consuming.messages(self.qm, self.get, wait, unit_of_work)

    def __aiter__(self) -> AsyncIterator[Message]:
        """Yield publications as they come, until the subscription is closed."""
        return aio_consuming.messages(self.qm, self.get, None, True)

    @takes(ConsumeParameters, CONSUME)
    async def consume(
        self, callback: Callable[[Message], Any], **parameters: Unpack[ConsumeParameters]
    ) -> AsyncConsumer:
        """Call back with each publication, in a task of its own, from now on; see `AsyncConsumer`."""
        self.check()
        return await start_consumer(self.qm, self.get, callback, completed(self.consume, CONSUME, parameters))
