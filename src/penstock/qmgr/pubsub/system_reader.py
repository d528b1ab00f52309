"""Reads a SYSTEM queue of publish/subscribe: each message in a unit of its own, as soon as it arrives.

It waits as any getter does. `carry_out(message, unit, now)` does what the message asks for, in its unit,
which is committed then; an MQError sends the message to the dead-letter queue. A body that is on disk is
read by the host, and selectors that take long are evaluated by it: the next `start` continues. Used by
`neighbours`; `queued_pubsub` has commands that take many steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.selectors.evaluations import MustEvaluate
from penstock.qmgr.states import COMMITTING

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.qmgr.waiters import Waiter


class SystemReader:
    """The reader of one queue."""

    def __init__(self, engine: Engine, name: str, carry_out: Callable[[Message, Any, float], None]) -> None:
        self._engine = engine
        self._name = name
        self._carry_out = carry_out
        self._running = False
        self._waiting: Waiter | None = None
        self._held: tuple[Message, Any, Evaluation] | None = (
            None  # what selectors are evaluated for; its unit
        )
        self._last: Any = None  # unit that was committed

    @property
    def is_busy(self) -> bool:
        """Whether what a message asked for is still to be done, or not on disk yet."""
        return self._held is not None or self._is_committing()

    def _is_committing(self) -> bool:
        return self._last is not None and self._last.state == COMMITTING

    def start(self, now: float) -> None:
        """Begin to read, or continue after an obstacle."""
        self._running = True
        if self._held is not None and not self._go_on(*self._held, now):
            return
        queue = self._engine.queues.get(self._name)
        if queue is not None and self._waiting is None and queue.get_enabled:
            self._read(queue, now)

    def stop(self) -> None:
        """Read no more."""
        self._running = False
        if self._waiting is not None:
            self._waiting.queue.waiting.remove(self._waiting)
            self._waiting = None

    def _read(self, queue: Queue, now: float) -> None:
        engine = self._engine
        while self._running and self._held is None:
            unit = engine.new_unit(None, now)
            message = engine.take(queue, None, unit, now)
            if message is None:
                if not is_being_read(engine):
                    self._waiting = engine.wait(queue, None, unit, self._woken)
                return
            self._do(message, unit, now)

    def _woken(self, waiter: Waiter) -> None:
        queue, message = waiter.queue, waiter.message
        self._waiting = None
        if message is not None:
            self._do(message, waiter.unit, queue.last_put)  # its own put time is another machine's
        elif waiter.reason != TRY_AGAIN:
            return  # the queue is closed to gets, deleted, or all ends; a later start looks again
        if self._running and not queue.deleted and self._waiting is None and self._held is None:
            self._read(queue, queue.last_put)

    def _go_on(self, message: Message, unit: Any, evaluation: Evaluation, now: float) -> bool:
        """Carry out what is held, when its selectors are evaluated; return whether nothing is held."""
        if evaluation.over:
            self._held = None
            self._do(message, unit, now)
        return self._held is None

    def _do(self, message: Message, unit: Any, now: float) -> None:
        engine = self._engine
        before, engine.pubsub.queued.unit = engine.pubsub.queued.unit, unit
        try:
            self._carry_out(message, unit, now)
        except MustEvaluate as needed:
            self._held = message, unit, needed.evaluation
            engine.wishes.unread.append(needed.evaluation)
            return
        except MQError as failure:
            engine.wishes.notices.append(("AMQ5833W", f"A message on {self._name} failed: {failure}"))
            dead_letters.send(engine, message, failure.reason, self._name, engine.name, unit, now)
        finally:
            engine.pubsub.queued.unit = before
        if self._is_committing():
            engine.start_logging(unit)  # it ends behind the last one, although nothing in it is persistent
        engine.commit(unit, now)
        self._last = unit


def is_being_read(engine: Engine) -> bool:
    """Return whether the next message has a body on disk; the host reads it before the next tick."""
    unread = engine.step.take_load()
    if unread is None:
        return False
    engine.wishes.unread += unread
    return True
