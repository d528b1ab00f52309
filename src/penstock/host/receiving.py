# cython: nonecheck=True
"""Messages one after the other: browse, iterate, call back; the same for every blocking queue manager.

A base of the embedded one and of the client's, which give it `open` and `get`. Compiled, because its heirs
are: `receiving.pxd`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.host import consuming
from penstock.host.consuming import Consumer
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.model.message import Message


class Receiving:
    """What follows from `open` and `get`."""

    def browse(self, queue: str, *, selector: str | None = None) -> Iterator[Message]:
        """Yield the messages of a queue in delivery order and leave them there."""
        qm: Any = self
        with qm.open(queue, mq.MQOO_BROWSE, selector=selector) as handle:
            message = handle.get(options=mq.MQGMO_BROWSE_FIRST, quiet=True)
            while message is not None:
                yield message
                message = handle.get(options=mq.MQGMO_BROWSE_NEXT, quiet=True)

    def messages(self, queue: str, *, wait: float | None = None, **match: Any) -> Iterator[Message]:
        """Yield messages as they come, until none has come for `wait` seconds; None goes on for ever."""
        qm: Any = self
        return consuming.messages(functools.partial(qm.get, queue, **match), wait)

    def consume(
        self,
        queue: str,
        callback: Callable[[Message], Any],
        *,
        unit_of_work: bool = False,
        on_error: Callable[[BaseException, Message], Any] | None = None,
        **match: Any,
    ) -> Consumer:
        """Call back with each message, in a thread of its own, from now on; see `Consumer`."""
        qm: Any = self
        get = functools.partial(qm.get, queue, **match)
        return Consumer(qm, get, callback, unit_of_work=unit_of_work, on_error=on_error).start()
