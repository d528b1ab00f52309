"""Batches of one queue, each in a unit of its own: one is got and the last is put while another is worked on.

A program that gets a batch, works on it, puts what came of it and commits waits for the other end three
times. Here it waits once, for what was asked before it began to work. `ask`, `take`, work, `settle`, `take`
the next, `commit`, `ask` again: in this order answers that may be long are read before anything long is
sent, so that neither end waits for the other one to read. Used by a flow's listener, in one thread, on a
socket that nobody else writes to. Invariant: a unit whose put failed is never committed, whatever was sent
behind it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client import connection_pool as sharing
from penstock.client.message_batch import Batch
from penstock.client.queue_manager import ClientQueueManager
from penstock.client.reconnecting import ReconnectingQueueManager
from penstock.model.errors import MQError
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client._link import Slot
    from penstock.model.message import Message


def overlap_on(qm: object, queue: str, count: int) -> Overlap | None:
    """Return overlapping units on a connection; None where calls cannot overlap."""
    if not isinstance(qm, ClientQueueManager) or isinstance(qm, ReconnectingQueueManager):
        return None
    if qm.kept or sharing.is_shared(qm.link):
        return None
    return Overlap(qm, queue, count)


class Overlap:
    """Units that follow one another; they are committed in the order they were asked for in."""

    def __init__(self, qm: ClientQueueManager, queue: str, count: int) -> None:
        self._qm = qm
        self._link = qm.link
        self._queue = queue
        self._count = count
        self._open: deque[int] = deque()  # units, the oldest first; recorded before they are sent
        self._asked: Slot | None = None
        self._committing: Slot | None = None

    def ask(self) -> None:
        """Ask for the next messages, without waiting for them."""
        unit = self._qm.open_units.new_number()
        self._open.append(unit)
        self._asked = self._qm.ask_many(self._queue, self._count, unit)

    def take(self) -> list[Message]:
        """Return the messages that were asked for; none when there are none, or none are given any more."""
        if self._asked is None:
            return []
        slot = self._asked
        frame = self._link.answer(slot, self._qm.timeout)
        self._asked = None
        try:
            messages = calls.messages_in(frame)
        finally:
            self._link.release(slot)
        if not messages:
            self._link.orphan(self._qm.conversation, self._open.pop())
        return messages

    def within(self, call: Callable[[], None]) -> None:
        """Make calls of the connection in the oldest unit."""
        scope = self._qm.open_units.enter(self._qm, self._open[0])
        try:
            call()
        finally:
            self._qm.open_units.forget(scope)

    def commit(self, outputs: list[Any]) -> None:
        """Put what came of the messages of the oldest unit, and commit it, without waiting."""
        unit = self._open[0]
        for part in Batch(outputs, self._qm.message_max):
            payload = calls.pack_call("put_messages", part)
            self._link.release(self._say(protocol.CALL, protocol.NO_REPLY, unit, payload))
        self._committing = self._say(protocol.COMMIT, 0, unit, b"")
        self._open.popleft()

    def _say(self, kind: int, flags: int, unit: int, payload: bytes) -> Slot:
        return self._link.say(kind, flags, self._qm.conversation, unit, payload)

    def settle(self) -> None:
        """Wait for the commit that is under way; raises what it was refused for, with its unit backed out."""
        if self._committing is None:
            return
        slot, self._committing = self._committing, None
        try:
            calls.result(self._link.answer(slot, self._qm.timeout))
        finally:
            self._link.release(slot)

    def drop(self, counted: bool = True) -> list[Message]:
        """Back out every unit, and return what was asked for and not taken; a commit that was sent goes on.

        What is not `counted` leaves the backout counts of the messages as they are.
        """
        flags = 0 if counted else protocol.UNCOUNTED
        try:
            self.settle()
        except MQError:
            pass  # the result was read before, if it was needed
        try:
            messages = self.take()
            while self._open:
                calls.bare(self._qm, protocol.BACKOUT, self._open.pop(), flags)
        except MQError:  # the connection is gone, and its units with it
            return []
        return messages
