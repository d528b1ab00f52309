# cython: nonecheck=True
"""Messages one after the other: browse, iterate, call back; the same for every blocking queue manager.

Bases of the embedded queue manager and of the client's, and of their subscriptions: what follows from what
all of them have.
Compiled, because its heirs are: `receiving.pxd`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.face import consuming
from penstock.face.arguments import check_names
from penstock.face.consuming import Calls, Consumer
from penstock.face.surface import QUEUE_MANAGER, shown
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Never, Self

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message


class Receiving:
    """What follows from `open`, `get` and `close`."""

    def __dir__(self) -> list[str]:
        return shown(self, QUEUE_MANAGER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self: BlockingQueueManager,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def browse(
        self: BlockingQueueManager, queue: str, *, selector: str | None = None, **unknown: Never
    ) -> Iterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""
        if unknown:
            check_names(self.browse, unknown)
        return _browsed(self, queue, selector)

    def messages(
        self: BlockingQueueManager,
        queue: str,
        *,
        wait: float | None = None,
        unit_of_work: bool = True,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Iterator[Message]:
        """Yield messages as they arrive, until none has arrived for `wait` seconds; None never ends.

        Each is in a unit of its own, committed when the next one is asked for; a loop that is left (break,
        an exception) puts its last message back. `unit_of_work=False` takes messages for good.
        """
        if unknown:
            check_names(self.messages, unknown)
        get = functools.partial(self.get, queue, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return consuming.messages(self, get, wait, unit_of_work)

    def consume(
        self: BlockingQueueManager,
        queue: str,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = True,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        correl_id: bytes | None = None,
        msg_id: bytes | None = None,
        selector: str | None = None,
        **unknown: Never,
    ) -> Consumer:
        """Call back with each message, in a thread of its own, from now on; see `Consumer`."""
        if unknown:
            check_names(self.consume, unknown)
        get = functools.partial(self.get, queue, correl_id=correl_id, msg_id=msg_id, selector=selector)
        return Consumer(Calls(self, get, callback, unit_of_work=unit_of_work, on_error=on_error)).start()


class ReceivingPublications:
    """What follows from `get` of a subscription, and the queue manager that it belongs to."""

    qm: BlockingQueueManager
    get: Any

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
        return Consumer(Calls(self.qm, get, callback, unit_of_work=unit_of_work, on_error=on_error)).start()


def _browsed(qm: BlockingQueueManager, queue: str, selector: str | None) -> Iterator[Message]:
    with qm.open(queue, mq.MQOO_BROWSE, selector=selector) as handle:
        message = handle.get(options=mq.MQGMO_BROWSE_FIRST, quiet=True)
        while message is not None:
            yield message
            message = handle.get(options=mq.MQGMO_BROWSE_NEXT, quiet=True)
