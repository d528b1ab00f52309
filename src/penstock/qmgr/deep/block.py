"""A block: up to 4,096 messages of one lane that lie in message files, as numbers in arrays.

28 bytes for each: its place, its sequence number, its location, and hashes of both its ids, which are sorted
when the block is full. A location of 0 says that the message is not here: it was brought to memory, or it is
gone. What it is not: it knows no list and no queue; `packing` keeps blocks and lanes together.
Invariant: places ascend, and never change.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from penstock.qmgr.deep._id_hashes import IdHashes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.deep.runs import Run

BLOCK_MESSAGES = 4096
NUMBER_MAX = (1 << 32) - 1  # of what an array keeps of a number
SEQ_MIDDLE = 1 << 31  # of the sequence numbers of a block, which do not ascend


class Block:
    """Messages of one lane, in delivery order; what is said of a message is found by its position."""

    __slots__ = (
        "_base_seq",
        "_places",
        "_seqs",
        "bytes",
        "correl_ids",
        "first",
        "live",
        "locations",
        "msg_ids",
        "put_time",
        "runs",
        "sealed",
    )

    def __init__(self, first: int, seq: int, put_time: float) -> None:
        self.first = first  # place that others are counted from
        self.put_time = put_time  # of the first message
        self.locations = array("Q")
        self.msg_ids = IdHashes()
        self.correl_ids = IdHashes()
        self.live = 0  # messages that are here
        self.bytes = 0  # of their bodies
        self.runs: list[Run] = []  # that stand for them in the lane, in its order
        self.sealed = False
        self._base_seq = seq
        self._places = array("I")
        self._seqs = array("I")

    def __len__(self) -> int:
        return len(self.locations)

    @property
    def full(self) -> bool:
        return len(self.locations) >= BLOCK_MESSAGES

    @property
    def last(self) -> int:
        """The place of the last message, whether it is here or not."""
        return self.first + self._places[-1]

    def takes(self, place: int, seq: int) -> bool:
        """Return whether a message behind the last one can be added."""
        distance = seq - self._base_seq + SEQ_MIDDLE
        return not self.full and place - self.first <= NUMBER_MAX and (not seq or 0 < distance <= NUMBER_MAX)

    def append(self, place: int, seq: int, msg_id: int, correl_id: int) -> int:
        """Add a message behind the last one, with hashes of its ids, and return its position.

        It is not here before `enter`.
        """
        self._places.append(place - self.first)
        self._seqs.append(seq - self._base_seq + SEQ_MIDDLE if seq else 0)
        self.msg_ids.append(msg_id)
        self.correl_ids.append(correl_id)
        self.locations.append(0)
        return len(self.locations) - 1

    def take_over(
        self, place: int, seq: int, msg_id: int, correl_id: int, location: int, length: int
    ) -> None:
        """Add an entry of another block, and take its message in."""
        self.enter(self.append(place, seq, msg_id, correl_id), location, length)

    def entries(self) -> Iterator[tuple[int, int, int, int, int, int]]:
        """Yield what `take_over` needs of each message that is here; the block is not sealed.

        Nobody knows how long each body is: together they have the right length.
        """
        msg_ids, correl_ids = self.msg_ids.by_position(), self.correl_ids.by_position()
        left, size = self.live, self.bytes
        for at in self.live_positions(0, len(self)):
            length = size // left
            left, size = left - 1, size - length
            yield self.place(at), self.seq(at), msg_ids[at], correl_ids[at], self.locations[at], length

    def extend(self, messages: list[Message]) -> int:
        """Add messages behind the last one, which lie in message files, and take them in.

        In the order of their places, as many as fit; return how many.
        """
        some = messages[: BLOCK_MESSAGES - len(self)]
        while some and not self._takes_all(some):
            some = some[: len(some) // 2]
        first, middle = self.first, SEQ_MIDDLE - self._base_seq
        self._places.extend([each.place - first for each in some])
        self._seqs.extend([each.seq + middle if each.seq else 0 for each in some])
        self.msg_ids.extend([hash(each.msg_id) & NUMBER_MAX for each in some])  # `hash_of`, without a call
        self.correl_ids.extend([hash(each.correl_id) & NUMBER_MAX for each in some])
        self.locations.extend([each.location for each in some])
        self.live += len(some)
        self.bytes += sum([each.length for each in some])
        return len(some)

    def _takes_all(self, messages: list[Message]) -> bool:
        seqs = [each.seq for each in messages if each.seq] or [0]
        place = messages[-1].place
        return self.takes(place, min(seqs)) and self.takes(place, max(seqs))

    def footprint(self) -> int:
        """Return the bytes of memory of its arrays."""
        numbers = sum(sys.getsizeof(each) for each in (self._places, self._seqs, self.locations))
        return numbers + self.msg_ids.footprint() + self.correl_ids.footprint()

    def seal(self) -> None:
        """Sort the ids of a full block; one thread does that, others may search them meanwhile."""
        self.msg_ids.seal()
        self.correl_ids.seal()
        self.sealed = True

    def enter(self, position: int, location: int, length: int) -> None:
        """Take a message in."""
        self.locations[position] = location
        self.live += 1
        self.bytes += length

    def leave(self, position: int, length: int) -> int:
        """Let a message go, and return its location."""
        location = self.locations[position]
        self.locations[position] = 0
        self.live -= 1
        self.bytes -= length
        return location

    def place(self, position: int) -> int:
        return self.first + self._places[position]

    def seq(self, position: int) -> int:
        """Return the sequence number of a message; 0 for a non-persistent one."""
        kept = self._seqs[position]
        return kept - SEQ_MIDDLE + self._base_seq if kept else 0

    def position_of(self, place: int) -> int:
        """Return the position of the message with a place, -1 for none."""
        at = bisect_left(self._places, place - self.first) if place >= self.first else 0
        return at if at < len(self._places) and self.place(at) == place else -1

    def position_behind(self, place: int) -> int:
        """Return the first position behind a place, whether its message is here or not."""
        return bisect_right(self._places, place - self.first) if place >= self.first else 0

    def next_live(self, position: int, end: int) -> int:
        """Return the first position from one on whose message is here, `end` for none."""
        locations = self.locations
        while position < end and not locations[position]:
            position += 1
        return position

    def live_positions(self, start: int, end: int) -> Iterator[int]:
        """Yield the positions of a range whose messages are here."""
        position = self.next_live(start, end)
        while position < end:
            yield position
            position = self.next_live(position + 1, end)

    def seq_range(self) -> tuple[int, int]:
        """Return the lowest and the highest sequence number; 0 and 0 without persistent messages."""
        kept = [value for value in self._seqs if value]
        if not kept:
            return 0, 0
        return min(kept) - SEQ_MIDDLE + self._base_seq, max(kept) - SEQ_MIDDLE + self._base_seq


def hash_of(key: bytes) -> int:
    """Return the hash of an id, as long as this process lives."""
    return hash(key) & NUMBER_MAX
