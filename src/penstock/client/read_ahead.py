# cython: nonecheck=True
"""Facts about queues from answers: which take puts without an answer, which may be read ahead.

DEFPRESP(ASYNC) comes with the receipt of a put, DEFREADA(YES) with a message. A client assumes the first for
a number of puts and the second until a message says otherwise. What was read ahead waits here for its get:
messages that are not persistent, got outside units. One for a connection, of either client.
Compiled through `read_ahead.pxd`.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.model.message import Message

READ_AHEAD_MESSAGES = 100
READ_AHEAD_BATCHES = 4  # after the one of `get_many`
READ_AHEAD_MESSAGES_MAX = 1000
_ASYNC_PUTS = protocol.ASYNC_PUTS
_READS_AHEAD = protocol.READS_AHEAD
QUIET_PUTS = 256  # puts without an answer before the queue's definition is read again


class QueueHints:
    """What this connection knows about queues from earlier answers."""

    def __init__(self) -> None:
        self.quiet: dict[str, int] = {}  # queues with DEFPRESP(ASYNC), and how long that is assumed
        self.ahead: dict[str, deque[Message]] = {}  # queues with DEFREADA(YES), and what was read ahead

    def note_put(self, queue: str, flags: int) -> None:
        """Record the facts in the receipt of a put."""
        if flags & _ASYNC_PUTS:
            self.quiet[queue] = QUIET_PUTS

    def puts_quietly(self, queue: str) -> bool:
        """Return whether a put to this queue needs no answer; now and then it asks again."""
        left = self.quiet.get(queue, 0)
        if left > 1:
            self.quiet[queue] = left - 1
        elif left:
            del self.quiet[queue]  # the definition may have changed
        return left > 1

    def note_get(self, queue: str, flags: int, in_unit: bool) -> None:
        """Record a message's facts about its queue."""
        if flags & _READS_AHEAD:
            if queue not in self.ahead and not in_unit:
                self.ahead[queue] = deque()
        elif self.ahead and not self.ahead.get(queue, True):
            del self.ahead[queue]

    def take(self, queue: str, correl_id: bytes | None, msg_id: bytes | None) -> Message | None:
        """Return a message that was read ahead; None when none fits."""
        there = self.ahead.get(queue, ())
        for message in there:
            if correl_id in (None, message.correl_id) and msg_id in (None, message.msg_id):
                self.ahead[queue].remove(message)
                return message
        return None

    def take_many(self, queue: str, count: int) -> list[Message]:
        """Return up to this many messages that were read ahead."""
        there = self.ahead.get(queue, ())
        return [there.popleft() for _ in range(min(count, len(there)))] if there else []

    def keep(self, queue: str, messages: list[Message]) -> None:
        """Keep messages that were read ahead."""
        self.ahead.setdefault(queue, deque()).extend(messages)


def ahead_of(count: int) -> int:
    """Return how many messages to read ahead for a batch of this size.

    >>> ahead_of(10), ahead_of(5000)
    (40, 1000)
    """
    return min(count * READ_AHEAD_BATCHES, READ_AHEAD_MESSAGES_MAX)
