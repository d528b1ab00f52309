"""Claim on put: a channel takes persistent messages from its transmission queue before they are on disk.

A message that was put is logged and waits for the disk. If a channel has the queue, the message is offered
here at once. The channel may take it into a batch and prepare that batch: GET and PREPARE follow the put in
the journal, so one sync makes all of them durable. Nobody else sees the message: it is linked to its queue
and held in one step of the engine. What was not taken becomes available as usual when it is on disk.
Invariants: messages are offered in the order of the journal; one that cannot be taken stops those behind it.
A batch that is backed out before its messages are on disk returns them here, not to the queue.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from penstock.qmgr.states import AVAILABLE, UNCOMMITTED
from penstock.qmgr.step import COMMIT, PUBLISH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


class Arrivals:
    """The messages of one queue that are logged and not on disk yet."""

    __slots__ = ("_bell", "_messages", "_queue")

    def __init__(self, engine: Engine, queue: Queue, bell: Callable[[], None]) -> None:
        self._queue = queue
        self._bell = bell  # rings for each message; it must only set a flag
        self._messages = deque(
            message for of, message, _ in _unpublished(engine) if of is queue and not _is_taken(message)
        )

    def offer(self, message: Message) -> None:
        """Note a message that was logged; the core calls it."""
        self._messages.append(message)
        self._bell()

    def published(self, message: Message) -> None:
        """Forget a message that is on disk; the core calls it."""
        if self._messages and self._messages[0] is message:
            self._messages.popleft()

    def first(self) -> Message | None:
        """Return the message that may be taken next, or None."""
        return self._messages[0] if self._messages else None

    def link(self) -> Message:
        """Put the first message to its place on the queue; the caller holds it in the same step."""
        message = self._messages.popleft()
        self._queue.link(message)
        return message

    def unlink(self, message: Message, unit: UnitOfWork | None) -> None:
        """Undo `link`: the message waits for the disk again, as a put of a unit if it is one's."""
        self._queue.unlink(message)
        wait_again(self._queue, message, unit)
        self._messages.appendleft(message)


def wait_again(queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
    """Make an unlinked message what it was: put by a unit that commits, or outside units."""
    message.state = AVAILABLE if unit is None else UNCOMMITTED
    message.owner = unit
    message.queue = None if unit is None else queue


def return_taken(engine: Engine, unit: UnitOfWork) -> None:
    """Remove from a batch the messages that are not on disk yet; they wait for it as if never taken."""
    if not engine.wishes.pending or not unit.gets:
        return
    waiting = {id(message): owner for _, message, owner in _unpublished(engine)}
    for message in reversed([each for each in unit.gets if id(each) in waiting]):
        queue = message.queue
        unit.gets.remove(message)
        queue.uncommitted -= 1
        queue.depth += 1
        queue.gets_undone += 1
        if queue.arrivals is not None:
            queue.arrivals.unlink(message, waiting[id(message)])
        else:
            queue.unlink(message)
            wait_again(queue, message, waiting[id(message)])


def _unpublished(engine: Engine) -> Iterator[tuple[Queue, Message, UnitOfWork | None]]:
    """Yield messages that wait for the disk, in the order of the journal, with the units that commit them."""
    for _, kind, subject, message, _ in engine.wishes.pending:
        if kind == PUBLISH:
            yield subject, message, None
        elif kind == COMMIT:
            for each in subject.puts:
                yield each.queue, each, subject


def _is_taken(message: Message) -> bool:
    return message.state not in (AVAILABLE, UNCOMMITTED)
