# cython: nonecheck=True
"""What one connection did, counted while it does it: plain numbers, by queue.

The engine gives an `Account` every put and get of its connection's steps. Sums are always counted; queues
only while accounting is on. Nothing is written here: `accounting` makes messages of the numbers at the end of
an interval. Compiled through `accounts.pxd`: it is on the way of every message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue

QUEUES_MAX = 10_000  # of one account; what is done with others is in the sums alone
NO_LENGTH = -1  # of the smallest message, before there is one


class Traffic:
    """Messages of one direction."""

    def __init__(self) -> None:
        self.messages = self.bytes = 0
        self.persistent_messages = self.persistent_bytes = 0
        self.smallest = NO_LENGTH
        self.largest = 0

    def add(self, message: Message) -> None:
        """Count a message."""
        length = message.length
        self.messages += 1
        self.bytes += length
        if message.persistent:
            self.persistent_messages += 1
            self.persistent_bytes += length
        if length > self.largest:
            self.largest = length
        if length < self.smallest or self.smallest == NO_LENGTH:
            self.smallest = length

    def merge(self, other: Traffic) -> None:
        """Add what another one counted."""
        self.messages += other.messages
        self.bytes += other.bytes
        self.persistent_messages += other.persistent_messages
        self.persistent_bytes += other.persistent_bytes
        self.largest = max(self.largest, other.largest)
        if other.smallest != NO_LENGTH and (other.smallest < self.smallest or self.smallest == NO_LENGTH):
            self.smallest = other.smallest


class QueueAccount:
    """What a connection did with one queue."""

    def __init__(self, id: int, name: str, now: float) -> None:
        self.id = id
        self.name = name
        self.first = now
        self.puts = Traffic()
        self.gets = Traffic()
        self.wait_seconds = self.wait_max = 0.0

    def add_get(self, message: Message, now: float) -> None:
        """Count a get."""
        self.gets.add(message)
        seconds = now - message.put_time
        if seconds > 0.0:
            self.wait_seconds += seconds
            if seconds > self.wait_max:
                self.wait_max = seconds


class Account:
    """What a connection did: in all since it connected, by queue since the last messages about it."""

    def __init__(self, number: int, now: float) -> None:
        self.number = number  # of the connection
        self.connected = now
        self.puts = self.put_bytes = self.gets = self.get_bytes = 0
        self.by_queue = False
        self.sequence = -1
        self.begin_again(now)

    def begin_again(self, now: float) -> None:
        """Begin the next interval."""
        self.began = now
        self.sequence += 1
        self.queues: dict[int, QueueAccount] = {}
        self.others = QueueAccount(0, "", now)
        self._put_to = self._got_from = self.others  # of the last put and get: programs repeat a queue

    def put(self, queue: Queue, message: Message) -> None:
        """Count a put for its queue; the engine counts it in `puts` itself, without a call."""
        if self._put_to.id != queue.id:
            self._put_to = self._queue(queue, message.put_time)
        self._put_to.puts.add(message)

    def got(self, queue: Queue, message: Message, now: float) -> None:
        """Count a get for its queue; the engine counts it in `gets` itself, without a call."""
        if self._got_from.id != queue.id:
            self._got_from = self._queue(queue, now)
        self._got_from.add_get(message, now)

    def total(self) -> QueueAccount:
        """Return the sums over all queues in this interval."""
        found = QueueAccount(0, "", self.began)
        for each in (self.others, *self.queues.values()):
            found.puts.merge(each.puts)
            found.gets.merge(each.gets)
        return found

    def _queue(self, queue: Queue, now: float) -> QueueAccount:
        found = self.queues.get(queue.id)
        if found is not None:
            return found
        if len(self.queues) >= QUEUES_MAX:
            return self.others
        found = self.queues[queue.id] = QueueAccount(queue.id, queue.name, now)
        return found
