"""A transmission queue in the hands of a channel: open for exclusive input, with a bell for what arrives.

One channel at a time serves a queue. The bell rings whenever a message has become available, in whatever
thread that happens, with the engine held; it must only set a flag. The owner gets messages by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.channels.arrivals import Arrivals
from penstock.qmgr.waiters import Waiter, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue


class Claim:
    """A queue that one reader has, until it gives it back."""

    __slots__ = ("_bell", "_engine", "_waiter", "queue")

    def __init__(self, engine: Engine, queue: Queue, bell: Callable[[], None]) -> None:
        self._engine = engine
        self._bell = bell
        self._waiter: Waiter | None = None
        self.queue = queue

    def listen(self) -> None:
        """Ring the bell for later arrivals; call it again after it rang because of a change."""
        if self.listens:
            return
        self._waiter = Waiter(self.queue, None, None, self._changed, self._arrived)
        if self.queue.waiting is None:
            self.queue.waiting = Waiting()
        self.queue.waiting.add(self._waiter)

    @property
    def listens(self) -> bool:
        """Whether the bell rings for what arrives."""
        return self._waiter is not None and bool(self._waiter.active)

    def _arrived(self, waiter: Any, came: Any) -> bool:
        self._bell()
        return False  # it continues to wait

    def _changed(self, waiter: Any) -> None:
        self._bell()  # the queue cannot be got from any more: the owner finds out why

    def give_back(self, now: float) -> None:
        """Close the queue; the remaining messages may fire a trigger."""
        queue, waiter = self.queue, self._waiter
        if waiter is not None and waiter.active:
            queue.waiting.remove(waiter)
        self._waiter = None
        queue.inputs -= 1
        queue.exclusive = False
        queue.arrivals = None
        if not queue.deleted:
            self._engine.effects.input_closed(queue, now)
            if queue.shared is not None:
                queue.shared.closed(queue)


def claim(
    engine: Engine,
    name: str,
    bell: Callable[[], None],
    usage: str,
    now: float,
    early_bell: Callable[[], None] | None = None,
) -> Claim:
    """Open a queue for exclusive input; 2085, 2092, 2016 or 2042 when that cannot be.

    With an early bell the owner is offered persistent messages before they are on disk (`arrivals`).
    """
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"queue {name} is not defined", object=name)
    if str(queue.definition.attributes["USAGE"]) != usage:
        raise error(mq.MQRC_XMIT_Q_USAGE_ERROR, f"queue {name} is not USAGE({usage})", object=name)
    if not queue.get_enabled:
        raise error(mq.MQRC_GET_INHIBITED, f"queue {name} is GET(DISABLED)", object=name)
    if queue.exclusive or queue.inputs:
        raise error(mq.MQRC_OBJECT_IN_USE, f"queue {name} is open elsewhere", object=name)
    queue.exclusive = True
    queue.inputs += 1
    made = Claim(engine, queue, bell)
    made.listen()
    if early_bell is not None and queue.shared is None:
        queue.arrivals = Arrivals(engine, queue, early_bell)
    engine.effects.input_opened(queue, now)
    return made
