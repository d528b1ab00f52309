"""A subscription at the other end of a socket: what `subscribe` of a client returns.

Compiled through `subscription.pxd`: no signal comes between the answer and the return of a message.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.client.core import subscription as core
from penstock.client.driver import blocking
from penstock.face import consuming
from penstock.face.arguments import check_names
from penstock.face.consuming import Consumer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Never, Self

    from penstock.model.message import Message


class ClientSubscription(core.SubscriptionFacts):
    """One open subscription, for blocking programs."""

    get = blocking(core.get)
    request = blocking(core.request)
    alter = blocking(core.alter)
    close = blocking(core.close)

    def messages(self, *, wait: float | None = 0.0, unit_of_work: bool = True) -> Iterator[Message]:
        """Yield publications until none has come for `wait` seconds; units as for `qm.messages`."""
        return consuming.messages(self.qm, self.get, wait, unit_of_work)

    def __iter__(self) -> Iterator[Message]:
        """Yield publications as they come, until the subscription is closed."""
        return consuming.messages(self.qm, self.get, None, True)

    def consume(
        self,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Consumer:
        """Call back with each publication, in a thread of its own, from now on; see `Consumer`."""
        if unknown:
            check_names(self.consume, unknown)
        get = functools.partial(self.get, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return Consumer(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.is_usable():
            self.close()
