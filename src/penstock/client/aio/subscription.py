"""A subscription at the other end of a socket, for asyncio: `async for message in subscription`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.client.aio import consuming as aio_consuming
from penstock.client.aio.closing import AsyncClosing
from penstock.client.aio.consuming import AsyncConsumer
from penstock.client.aio.driver import awaited
from penstock.client.core import subscription as core
from penstock.face.arguments import check_names
from penstock.face.consuming import Calls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Never

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
        callbacks = Calls(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error)
        return await AsyncConsumer(callbacks).start()
