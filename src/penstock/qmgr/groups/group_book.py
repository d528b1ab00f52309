"""What is known of the groups and segmented messages on one queue.

The queue makes a `GroupBook` when the first message with group or segment flags arrives and tells it
of every such message that becomes available or ceases to be. It answers what logical order and the
"all available" options ask, without a scan. It holds no order of its own: the place of a group on
the queue is that of its first message. Invariant: adding and removing cost the same at any depth
(only the segments of one complete message are walked), and an entry without messages is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
)

if TYPE_CHECKING:
    from penstock.model.message import Message

IN_GROUP = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
IN_SEGMENT = MQMF_SEGMENT | MQMF_LAST_SEGMENT
GROUPED = IN_GROUP | IN_SEGMENT


class GroupBook:
    """Members present, by group id, sequence number and offset."""

    __slots__ = ("_groups",)

    def __init__(self) -> None:
        self._groups: dict[bytes, _Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def __contains__(self, group_id: bytes) -> bool:
        return group_id in self._groups

    def add(self, message: Message) -> None:
        """Add a message that became available; one without group or segment flags is ignored."""
        if message.descriptor.flags & GROUPED:
            group = self._groups.get(message.descriptor.group_id)
            if group is None:
                group = self._groups[message.descriptor.group_id] = _Group()
            group.add(message)

    def remove(self, message: Message) -> None:
        """Forget a message that was got, locked or deleted; one that is not here changes nothing."""
        if message.descriptor.flags & GROUPED:
            group = self._groups.get(message.descriptor.group_id)
            if group is not None:
                group.remove(message)
                if not group.members:
                    del self._groups[message.descriptor.group_id]

    def find(self, group_id: bytes, seq_number: int, offset: int = 0) -> Message | None:
        """Return the message at one place of a group."""
        member = self._member(group_id, seq_number)
        return None if member is None else member.at(offset)

    def first(self, group_id: bytes) -> Message | None:
        """Return the message that gives the group its place on the queue."""
        return self.find(group_id, 1, 0)

    def group_complete(self, group_id: bytes) -> bool:
        """Return whether every message of the group, with all its segments, is there."""
        group = self._groups.get(group_id)
        return group is not None and group.complete

    def message_complete(self, group_id: bytes, seq_number: int) -> bool:
        """Return whether every segment of one logical message is there."""
        member = self._member(group_id, seq_number)
        return member is not None and member.complete

    def segments(self, group_id: bytes, seq_number: int) -> list[Message]:
        """Return the physical messages of one logical message in the order of their offsets."""
        member = self._member(group_id, seq_number)
        return [] if member is None else member.in_order()

    def available(self, message: Message, all_messages: bool = False, all_segments: bool = False) -> bool:
        """Return whether a get with ALL_MSGS_AVAILABLE or ALL_SEGMENTS_AVAILABLE may have this message."""
        descriptor = message.descriptor
        if not descriptor.flags & GROUPED:
            return True
        if all_messages and not self.group_complete(descriptor.group_id):
            return False
        return not all_segments or self.message_complete(descriptor.group_id, descriptor.seq_number)

    def _member(self, group_id: bytes, seq_number: int) -> _Member | None:
        group = self._groups.get(group_id)
        return None if group is None else group.members.get(seq_number)


class _Group:
    """The logical messages of one group id; `last` is the number of the last one, 0 while unknown."""

    __slots__ = ("completed", "highest", "last", "members")

    def __init__(self) -> None:
        self.members: dict[int, _Member] = {}
        self.completed = 0  # how many members have all their segments
        self.last = 0
        self.highest = 0

    @property
    def complete(self) -> bool:
        if not self.last or self.completed < self.last:
            return False
        # A message was put beyond the end: it must not replace a missing one.
        return self.highest <= self.last or all(
            number in self.members and self.members[number].complete for number in range(1, self.last + 1)
        )

    def add(self, message: Message) -> None:
        descriptor = message.descriptor
        member = self.members.get(descriptor.seq_number)
        if member is None:
            member = self.members[descriptor.seq_number] = _Member()
            self.highest = max(self.highest, descriptor.seq_number)
        self.completed -= member.complete
        member.add(message)
        self.completed += member.complete
        if descriptor.flags & MQMF_LAST_MSG_IN_GROUP or not descriptor.flags & IN_GROUP:
            self.last = descriptor.seq_number

    def remove(self, message: Message) -> None:
        number = message.descriptor.seq_number
        member = self.members.get(number)
        if member is None:
            return
        self.completed -= member.complete
        member.remove(message)
        self.completed += member.complete
        if not member.messages:
            del self.members[number]
            if number == self.last:
                self.last = 0


class _Member:
    """One logical message: its segments, or the one physical message that it is.

    `end` is its length, known from the last segment; `total` the bytes that are there.
    """

    __slots__ = ("by_offset", "end", "messages", "total")

    def __init__(self) -> None:
        self.messages: dict[Message, int] = {}
        self.by_offset: dict[int, Message] = {}
        self.end = -1
        self.total = 0

    @property
    def complete(self) -> bool:
        """Whether the bytes add up and, if so, whether no segment overlaps another."""
        return self.end == self.total and self._gapless()

    def _gapless(self) -> bool:
        place = 0
        for _ in self.by_offset:
            message = self.by_offset.get(place)
            if message is None:
                return False
            place += message.length
        return True

    def at(self, offset: int) -> Message | None:
        return self.by_offset.get(offset)

    def in_order(self) -> list[Message]:
        return [self.by_offset[offset] for offset in sorted(self.by_offset)]

    def add(self, message: Message) -> None:
        offset = message.descriptor.offset
        if message in self.messages:
            return
        self.messages[message] = offset
        if offset not in self.by_offset:
            self._show(offset, message)

    def remove(self, message: Message) -> None:
        if self.messages.pop(message, None) is None:
            return
        offset = message.descriptor.offset
        if self.by_offset.get(offset) is message:
            self._hide(offset, message)
            # The same place was put twice: the other one takes over.
            other = next((one for one, place in self.messages.items() if place == offset), None)
            if other is not None:
                self._show(offset, other)

    def _show(self, offset: int, message: Message) -> None:
        self.by_offset[offset] = message
        self.total += message.length
        if _ends(message):
            self.end = offset + message.length

    def _hide(self, offset: int, message: Message) -> None:
        del self.by_offset[offset]
        self.total -= message.length
        if _ends(message):
            self.end = -1


def _ends(message: Message) -> bool:
    """Return whether nothing of the logical message comes after this physical one."""
    flags = message.descriptor.flags
    return bool(flags & MQMF_LAST_SEGMENT) or not flags & MQMF_SEGMENT
