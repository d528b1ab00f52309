# cython: nonecheck=True
"""A local queue in memory: lanes of messages by priority, indexes, and the bytes they hold.

A message is linked when it becomes visible and stays in its place, locked, while a unit of work
holds it, so that a backout returns it to its place. `free` of a lane points at the oldest
message that may be available: a get does not walk over what others hold. Indexes are built when a
get first uses that id, in steps where the queue is long. No verbs, no journal: those are the engine's.
Compiled through `queue.pxd`.
"""

from __future__ import annotations

import sys
from bisect import insort
from collections import deque
from typing import TYPE_CHECKING, Any

import cython

from penstock.model._interrupts import python_follows
from penstock.model.message import MESSAGE_BYTES, Message
from penstock.qmgr.deep import window
from penstock.qmgr.monitoring._wait_histogram import WaitHistogram
from penstock.qmgr.states import AVAILABLE, GONE, PACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.objects import Definition
    from penstock.qmgr.waiters import Match

LANES = 10  # priorities 0 to 9
BY_MSG_ID, BY_CORREL_ID, BY_GROUP_ID = range(3)  # what an index is for
WAIT_SECONDS_MIN = 0.004  # shorter times on a queue are not counted one by one: the clock of a get is coarse


@cython.final
@cython.cclass
class Lane:
    """Messages of one priority, oldest first."""

    def __init__(self) -> None:
        self.oldest: Message | None = None
        self.newest: Message | None = None
        self.free: Message | None = None
        self.blocks: Any = None  # of packed messages, in delivery order; a list from the first one on


@cython.final
@cython.cclass
class Index:
    """Messages of a queue that are in memory by one of their ids, in delivery order.

    A key maps to a message, or to deques of several by lane; gone messages leave a deque when they
    reach its front or make up half of it. It is made of a long queue in steps, in delivery order: until
    it is complete it lacks what is behind `lane` and `place`.
    """

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.entries: dict[bytes, Any] = {}
        self.complete = False
        self.lane = LANES
        self.place = 0
        self._last: Message | None = None

    def key_in(self, match: Match) -> bytes:
        """Return the id that a match looks for here."""
        key = match.msg_id
        if self.kind == BY_CORREL_ID:
            key = match.correl_id
        elif self.kind == BY_GROUP_ID:
            key = match.group_id
        assert key is not None
        return key

    def _key_of(self, message: Message) -> bytes:
        if self.kind == BY_MSG_ID:
            return message.msg_id
        if self.kind == BY_CORREL_ID:
            return message.correl_id
        found: bytes = message.descriptor.group_id
        return found

    def extend(self, queue: Queue, count: int) -> bool:
        """Take in some more messages of its queue; return whether it has them all."""
        last = self._last
        if last is not None and last.state != GONE and last.queue is queue:
            message = queue.next_in_memory(last)
        else:
            message = queue.after_in_memory(min(self.lane, LANES - 1), self.place)
        while message is not None and count > 0:
            self.lane, self.place, self._last = message.lane, message.place, message
            self.add(message)
            count -= 1
            message = queue.next_in_memory(message)
        if message is None:
            self.complete, self._last = True, None
        return self.complete

    def add(self, message: Message) -> None:
        """Take in a message of its queue, unless it comes to that one later."""
        if not self.complete and (
            message.lane < self.lane or (message.lane == self.lane and message.place > self.place)
        ):
            return
        key = self._key_of(message)
        entry = self.entries.get(key)
        if entry is None:
            self.entries[key] = message
            return
        if type(entry) is Message:
            first: Message = entry
            entry = self.entries[key] = {first.lane: deque((first,))}
        lane = entry.get(message.lane)
        if lane is None:
            entry[message.lane] = deque((message,))
        elif lane[-1].place < message.place:
            lane.append(message)
        else:
            insort(lane, message, key=_place)  # it was on disk

    def remove(self, message: Message) -> None:
        """Forget a message whose state is GONE already."""
        key = self._key_of(message)
        entry = self.entries.get(key)
        if entry is message:
            del self.entries[key]
        elif entry is not None and type(entry) is not Message and message.lane in entry:
            self._trim(key, entry, message.lane)

    def _trim(self, key: bytes, entry: Any, number: int) -> None:
        lane = entry[number]
        while lane and lane[0].state == GONE:
            lane.popleft()
        if not lane:
            del entry[number]
            if not entry:
                del self.entries[key]
        elif lane[len(lane) // 2].state == GONE:
            entry[number] = deque(m for m in lane if m.state != GONE)

    def all(self, key: bytes) -> list[Message]:
        """Return the messages of a key, those that are held too, in delivery order."""
        entry = self.entries.get(key)
        if entry is None:
            return []
        if type(entry) is Message:
            return [entry]
        return [message for number in sorted(entry, reverse=True) for message in entry[number]]

    def find(self, match: Match) -> Message | None:
        """Return the message that a get with these conditions takes."""
        entry = self.entries.get(self.key_in(match))
        if entry is None:
            return None
        message: Message
        if type(entry) is Message:
            message = entry
            return message if message.state == AVAILABLE and match.accepts(message) else None
        for number in entry if len(entry) == 1 else sorted(entry, reverse=True):
            for message in entry[number]:
                if message.state == AVAILABLE and match.accepts(message):
                    return message
        return None


class Queue:
    """One local queue: its settings as the engine needs them, and its messages."""

    def __init__(self, definition: Definition) -> None:
        self.name = definition.name
        self.id = definition.id
        self.lanes = [Lane() for _ in range(LANES)]
        self.lane = self.lanes[0]  # the lane used last: most queues have messages of one priority
        self.lane_number = 0
        self.mask = 0
        self.depth = 0
        self.uncommitted = 0
        self.next_place = 1
        self.freed = 0  # how often a held message was made available again
        self.memory_bytes = 0
        self.spilled = 0
        self.spilled_bytes = 0
        self.packed = 0  # of those that are spilled: they have no object
        self.windows: Any = None  # of packed messages that somebody needs in memory, as long as they do
        self.expiring = 0
        self.earliest_expiry = 0.0
        self.by_msg_id: Index | None = None
        self.by_correl_id: Index | None = None
        self.by_group_id: Index | None = None
        self.waiting: Any = None  # Waiting, made for the first waiter
        self.groups: Any = None  # GroupBook, made for the first get that knows groups
        self.depth_events: Any = None
        self.service_interval: Any = None
        self.trigger: Any = None
        self.stream: Any = None  # Stream, where copies of messages go
        self.inputs = 0
        self.outputs = 0
        self.exclusive = False
        self.watched = False
        self.deleted = False
        self.temporary_for: Any = None  # the handle whose close deletes the queue
        self.last_put = 0.0
        self.last_get = 0.0
        self.depth_peak = self.depth_trough = self.depth_high = self.interval_peak = 0
        self.puts = self.put_bytes = self.persistent_puts = self.persistent_put_bytes = 0
        self.gets = self.get_bytes = self.persistent_gets = self.persistent_get_bytes = 0
        self.browses = self.browse_bytes = self.handed_over = 0
        self.puts_failed = self.gets_failed = self.gets_empty = self.puts_undone = self.gets_undone = 0
        self.expired = self.purged = 0
        self.wait_seconds = 0.0  # that got messages have been here, in all
        self.waits = WaitHistogram()
        self.reset_counts: Any = None  # counts at the last RESET QSTATS
        self.marks: Any = None  # message -> (until when, for which handle) of marked browses
        self.moves_backouts = False
        self.arrivals: Any = None  # Arrivals, while a channel takes messages before they are on disk
        self.shared: Any = None  # Sharing, of a queue whose messages are in the group's facility
        self.apply(definition)

    def apply(self, definition: Definition) -> None:
        """Take over the attributes of a new or altered definition."""
        values: dict[str, Any] = dict(definition.attributes)
        self.definition = definition
        self.put_enabled = values["PUT"] == "ENABLED"
        self.get_enabled = values["GET"] == "ENABLED"
        self.depth_max = values["MAXDEPTH"]
        self.length_max = values["MAXMSGL"]
        self.default_priority = values["DEFPRTY"]
        self.default_persistent = values["DEFPSIST"] == "YES"
        self.by_priority = values["MSGDLVSQ"] == "PRIORITY"
        self.temporary = values.get("DEFTYPE") == "TEMPDYN"

    def memory_used(self) -> int:
        """Return the bytes of memory that spilling frees: of bodies and of the messages that have them."""
        return self.memory_bytes + MESSAGE_BYTES * (self.depth - self.spilled)

    def link(self, message: Message) -> None:
        """Put a message at the end of its lane, visible to getters."""
        number = message.priority if self.by_priority else self.default_priority
        if number >= LANES:
            number = LANES - 1
        lane = self._lane_of(number)
        message.lane = number
        message.place = self.next_place
        self.next_place += 1
        message.state = AVAILABLE
        message.queue = self
        last = lane.newest
        message.older = last
        if last is None:
            lane.oldest = message
        else:
            last.newer = message
        lane.newest = message
        if lane.free is None:
            lane.free = message
            self.mask |= 1 << number
        if message.body is not None:
            self.memory_bytes += message.length
        else:
            self.spilled += 1
            self.spilled_bytes += message.length
        if message.expires_at:
            self._note_expiry(message)
        if self.watched:
            self._index(message)

    def unlink(self, message: Message) -> None:
        """Remove a message from the queue."""
        lane = self._lane_of(message.lane)
        if lane.free is message:
            self._advance(lane, message)
        older = message.older
        newer = message.newer
        if older is None:
            lane.oldest = newer
        else:
            older.newer = newer
        if newer is None:
            lane.newest = older
        else:
            newer.older = older
        message.older = None
        message.newer = None
        message.state = GONE
        message.owner = None
        message.queue = None
        if message.body is not None:
            self.memory_bytes -= message.length
        else:
            self.spilled -= 1
            self.spilled_bytes -= message.length
        if message.expires_at:
            self.expiring -= 1
        if self.watched:
            self._forget(message)

    def take_off(self, count: int, end: int) -> list[Message]:
        """Remove available messages before a place, at most this many; return them."""
        taken: list[Message] = []
        for number in range(LANES - 1, -1, -1):
            message = self.lanes[number].oldest
            while message is not None and len(taken) < count:
                newer = message.newer
                if message.state == AVAILABLE and message.place < end:
                    self.unlink(message)
                    self.depth -= 1
                    self.purged += 1
                    taken.append(message)
                message = newer
        return taken

    def _lane_of(self, number: int) -> Lane:
        if number != self.lane_number:
            self.lane = self.lanes[number]
            self.lane_number = number
        return self.lane

    def _advance(self, lane: Lane, message: Message) -> None:
        lane.free = message.newer
        if lane.free is None:
            self.mask &= ~(1 << message.lane)

    def hold(self, message: Message, state: int, owner: Any) -> None:
        """Keep a message in its place, unavailable to others."""
        message.state = state
        message.owner = owner
        lane = self._lane_of(message.lane)
        if lane.free is message:
            self._advance(lane, message)
        if self.groups is not None:
            python_follows()
            self.groups.remove(message)

    def free(self, message: Message) -> None:
        """Make a held message available again, at its place."""
        message.state = AVAILABLE
        message.owner = None
        self.freed += 1
        lane = self._lane_of(message.lane)
        first = lane.free
        if first is None or message.place < first.place:
            lane.free = message
            self.mask |= 1 << message.lane
        if self.groups is not None:
            python_follows()
            self.groups.add(message)

    def first_available(self) -> Message | None:
        """Return the message that a get without conditions takes, or the run that it is in, or None."""
        while self.mask:
            number = self.lane_number if self.mask == 1 << self.lane_number else LANES - 1
            while not self.mask & (1 << number):
                number -= 1
            lane = self._lane_of(number)
            message = lane.free
            while message is not None and message.state != AVAILABLE and message.state != PACKED:
                message = message.newer
            lane.free = message
            if message is not None:
                return message
            self.mask &= ~(1 << number)
        return None

    def messages(self) -> Iterator[Message]:
        """Yield the messages in memory in delivery order; the caller may unlink the yielded one."""
        for number in range(LANES - 1, -1, -1):
            message = self.lanes[number].oldest
            while message is not None:
                following = message.newer
                if message.state != PACKED:
                    yield message
                message = following

    def oldest(self) -> Message | None:
        """Return the message that is here for the longest time, whatever its priority, or its run."""
        first = [lane.oldest for lane in self.lanes if lane.oldest is not None]
        return min(first, key=lambda message: message.put_time, default=None)

    def after(self, lane_number: int, place: int) -> Message | None:
        """Return the first message behind a place in delivery order; Packed where that is on disk."""
        number = lane_number
        behind = place
        while number >= 0:
            message = self.lanes[number].oldest
            while message is not None:
                if message.state == PACKED:
                    python_follows()
                    window.stop_at(self, message, behind)
                elif message.place > behind:
                    return message
                message = message.newer
            number -= 1
            behind = 0
        return None

    def next_linked(self, message: Message) -> Message | None:
        """Return the message that follows one in delivery order; Packed where that is on disk."""
        following = message.newer
        if following is None:
            return self.after(message.lane - 1, 0)
        if following.state == PACKED:
            python_follows()
            window.stop_at(self, following, message.place)
        return following

    def after_in_memory(self, lane_number: int, place: int) -> Message | None:
        """Return the first linked message behind a place that is in memory."""
        number = lane_number
        behind = place
        while number >= 0:
            message = self.lanes[number].oldest
            while message is not None:
                if message.place > behind and message.state != PACKED:
                    return message
                message = message.newer
            number -= 1
            behind = 0
        return None

    def next_in_memory(self, message: Message) -> Message | None:
        """Return the linked message in memory that follows one in delivery order."""
        following = message.newer
        while following is not None and following.state == PACKED:
            following = following.newer
        return self.after_in_memory(message.lane - 1, 0) if following is None else following

    def index_for(self, match: Match) -> Index | None:
        """Return the index that a match by an id needs, perhaps incomplete; None for one without ids."""
        if match.msg_id is not None:
            if self.by_msg_id is None:
                self.by_msg_id = self._new_index(BY_MSG_ID)
            return self.by_msg_id
        if match.correl_id is not None:
            if self.by_correl_id is None:
                self.by_correl_id = self._new_index(BY_CORREL_ID)
            return self.by_correl_id
        if match.group_id is not None:
            if self.by_group_id is None:
                self.by_group_id = self._new_index(BY_GROUP_ID)
            return self.by_group_id
        return None

    def _new_index(self, kind: int) -> Index:
        self.watched = True
        return Index(kind)

    def complete_index_for(self, match: Match) -> Index:
        """Return the index that a match by an id needs; that of a long queue may take seconds."""
        index = self.index_for(match)
        assert index is not None
        if not index.complete:
            index.extend(self, sys.maxsize)
        return index

    def _index(self, message: Message) -> None:
        if self.by_msg_id is not None:
            self.by_msg_id.add(message)
        if self.by_correl_id is not None:
            self.by_correl_id.add(message)
        if self.by_group_id is not None:
            self.by_group_id.add(message)
        if self.groups is not None:
            python_follows()
            self.groups.add(message)

    def _forget(self, message: Message) -> None:
        if self.by_msg_id is not None:
            self.by_msg_id.remove(message)
        if self.by_correl_id is not None:
            self.by_correl_id.remove(message)
        if self.by_group_id is not None:
            self.by_group_id.remove(message)
        if self.groups is not None:
            python_follows()
            self.groups.remove(message)
        if self.marks is not None:
            self.marks.pop(message, None)

    def _note_expiry(self, message: Message) -> None:
        self.expiring += 1
        if self.expiring == 1 or message.expires_at < self.earliest_expiry:
            self.earliest_expiry = message.expires_at

    def drop_body(self, message: Message) -> None:
        """Forget a body that a message file holds."""
        message.body = None
        self.memory_bytes -= message.length
        self.spilled += 1
        self.spilled_bytes += message.length

    def restore_body(self, message: Message, body: bytes) -> None:
        """Take back a body that was read from its message file."""
        message.body = body
        self.memory_bytes += message.length
        self.spilled -= 1
        self.spilled_bytes -= message.length

    def came_back(self, message: Message) -> None:
        """Count and index a packed message that is in memory again."""
        self.memory_bytes += message.length
        self.spilled -= 1
        self.spilled_bytes -= message.length
        if self.watched:
            self._index(message)

    def dispose(self) -> None:
        """Break the links between messages, so that memory is returned.

        They still know their queue: a unit that ends late, while its host closes, finds it there.
        """
        for lane in self.lanes:
            message = lane.oldest
            while message is not None:
                following = message.newer
                message.older = None
                message.newer = None
                message.owner = None
                message = following
            for block in lane.blocks or ():
                block.runs.clear()
        self.lanes = [Lane() for _ in range(LANES)]
        self.lane, self.lane_number = self.lanes[0], 0
        self.mask = 0


# Functions: a method that Python can call would look for an override first, which costs as much as counting.
@cython.nonecheck(False)  # type: ignore[untyped-decorator]
def count_put(queue: Queue, message: Message) -> None:
    """Count a message that a program has put; `depth` includes it."""
    queue.puts += 1
    queue.put_bytes += message.length
    if queue.depth > queue.depth_peak:
        queue.depth_peak = queue.depth
    if message.persistent:
        queue.persistent_puts += 1
        queue.persistent_put_bytes += message.length


@cython.nonecheck(False)  # type: ignore[untyped-decorator]
def count_got(queue: Queue, message: Message, now: float) -> None:
    """Count a message that a program has got; `depth` is without it. The clock of a get may be coarse."""
    queue.gets += 1
    queue.get_bytes += message.length
    if queue.depth < queue.depth_trough:
        queue.depth_trough = queue.depth
    seconds = now - message.put_time
    if seconds > 0.0:
        queue.wait_seconds += seconds
        if seconds > WAIT_SECONDS_MIN:
            queue.waits.add(seconds)
    if message.persistent:
        queue.persistent_gets += 1
        queue.persistent_get_bytes += message.length


def _place(message: Message) -> int:
    return message.place
