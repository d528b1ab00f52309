# cython: nonecheck=True
"""Packed messages of a restart, from the message files to the lanes, without an object for each.

`Recovery` puts plain messages here as it reads their heads, and the rest into its own lists. The journal may
name some of them by sequence number: what it removes is removed unread, what it changes is read back
(`take_out`). At the end the blocks go to their lanes.
Invariant: a message is here or it is an object of the recovery, never both. Compiled through `shelves.pxd`.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import merge
from itertools import accumulate
from typing import TYPE_CHECKING

import cython

from penstock.qmgr.deep import packing
from penstock.qmgr.deep.block import BLOCK_MESSAGES, Block
from penstock.qmgr.deep.runs import add_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue

BLOCK_WORTH = 256  # messages that make a block of their own when the next ones are elsewhere in the lane
SMALL_MAX = 1000  # blocks of a lane that have fewer, because places go back
SEARCHED_MAX = 64  # blocks whose sequence numbers are kept for a quick search


@cython.final
@cython.cclass
class Shelf:
    """The packed messages of one lane: blocks as they come from the files, and at last by their places."""

    def __init__(self, queue: Queue, lane: int) -> None:
        self.queue = queue
        self.lane = lane
        self.blocks: list[Block] = []
        self._last_place = 0
        self._waiting: list[Message] = []
        self._small = 0

    def add(self, message: Message) -> bool:
        """Add a message; False if it goes back behind others too often."""
        waiting = len(self._waiting)
        if message.place <= self._last_place:
            if waiting < BLOCK_WORTH:
                if self._small == SMALL_MAX:
                    return False
                self._small += 1
            self._make_blocks()
        elif waiting >= BLOCK_WORTH and message.place > self._last_place + BLOCK_WORTH:
            self._make_blocks()  # what lies between them may come later, from another part of the files
        self._last_place = message.place
        self._waiting.append(message)
        if len(self._waiting) == BLOCK_MESSAGES:
            self._make_blocks()
        return True

    def _make_blocks(self) -> None:
        left, self._waiting = self._waiting, []
        while left:
            block = Block(left[0].place, left[0].seq, left[0].put_time)
            left = left[block.extend(left) :]
            self.blocks.append(block)

    def settle(self) -> None:
        """Bring the blocks in order; nothing is added any more."""
        self._make_blocks()
        blocks, self.blocks = self.blocks, []
        for group in _overlapping(blocks):
            self.blocks += group if len(group) == 1 else _merged(group)


def _overlapping(blocks: list[Block]) -> Iterator[list[Block]]:
    """Take blocks away in groups: the places of one precede those of the next; small ones go together."""
    blocks.sort(key=lambda each: each.first, reverse=True)
    group: list[Block] = []
    last = -1
    while blocks:
        block = blocks.pop()
        if group and block.first > last and len(group[-1]) >= BLOCK_WORTH:
            yield group
            group = []
        group.append(block)
        last = max(last, block.last)
    if group:
        yield group


def _merged(group: list[Block]) -> list[Block]:
    """Return blocks of all messages of a group, by their places; the old ones go as their messages do."""
    streams = [_entries(block) for block in group]
    group.clear()
    made: list[Block] = []
    for entry, put_time in merge(*streams):
        place, seq = entry[:2]
        if not made or not made[-1].takes(place, seq):
            made.append(Block(place, seq, put_time))
        made[-1].take_over(*entry)
    return made


def _entries(block: Block) -> Iterator[tuple[tuple[int, ...], float]]:
    yield from ((entry, block.put_time) for entry in block.entries())


@cython.final
@cython.cclass
class Shelves:
    """The packed messages of all queues, while the journal is replayed."""

    def __init__(self, read: Callable[[int], Message]) -> None:
        self._read = read  # the message at a location
        self._shelves: dict[tuple[int, int], Shelf] = {}
        self._last: Shelf | None = None  # that a message was put on
        self._by_seq: list[tuple[int, int, Shelf, Block]] = []  # first and last number, by the first
        self._reach: list[int] = []  # the highest number of all up to there
        self._positions: dict[int, dict[int, int]] = {}  # of a block, by its id: number -> position

    def add(self, message: Message, queue: Queue | None) -> bool:
        """Take a message of the message files, if its queue is known and it is a plain one."""
        if queue is None:
            return False
        if not packing.is_plain(queue, message):
            return False
        shelf = self._last
        if shelf is None or shelf.queue is not queue or shelf.lane != message.lane:
            shelf = self._last = self._shelf_of(queue, message.lane)
        return shelf.add(message)

    def _shelf_of(self, queue: Queue, lane: int) -> Shelf:
        key = queue.id, lane
        shelf = self._shelves.get(key)
        if shelf is None:
            shelf = self._shelves[key] = Shelf(queue, lane)
        return shelf

    def settle(self) -> None:
        """Prepare for the replay: nothing is added any more."""
        found = []
        for shelf in self._shelves.values():
            shelf.settle()
            for block in shelf.blocks:
                first, last = block.seq_range()
                if last:
                    found.append((first, last, shelf, block))
        self._by_seq = sorted(found, key=lambda each: each[0])
        self._reach = list(accumulate((last for _, last, _, _ in self._by_seq), max))

    def find(self, seq: int) -> tuple[Shelf, Block, int] | None:
        """Return where the message with a sequence number is."""
        if not self._reach or not 0 < seq <= self._reach[-1]:
            return None
        at = bisect_right(self._by_seq, seq, key=lambda each: each[0]) - 1
        while at >= 0 and self._reach[at] >= seq:
            _, last, shelf, block = self._by_seq[at]
            if seq <= last:
                position = self._positions_of(block).get(seq, -1)
                if position >= 0 and block.locations[position]:
                    return shelf, block, position
            at -= 1
        return None

    def _positions_of(self, block: Block) -> dict[int, int]:
        found = self._positions.get(id(block))
        if found is None:
            if len(self._positions) >= SEARCHED_MAX:
                self._positions.clear()
            found = self._positions[id(block)] = {block.seq(at): at for at in range(len(block))}
        return found

    def remove(self, seq: int) -> int:
        """Remove a message unread; return its location, 0 if it is not here."""
        found = self.find(seq)
        if found is None:
            return 0
        _, block, position = found
        return _leave(block, position)

    def take_out(self, seq: int) -> tuple[Message, int] | None:
        """Make an object of a message again; return it with the id of its queue. It has no body."""
        found = self.find(seq)
        if found is None:
            return None
        shelf, block, position = found
        message = self._read(block.locations[position])
        packing.check_read(shelf.queue, block, position, message)
        message.location = block.leave(position, message.length)
        message.body = None
        return message, shelf.queue.id

    def of_queue(self, queue: Queue) -> Iterator[Shelf]:
        """Yield the shelves of a queue, which are taken away."""
        for key in [key for key in self._shelves if key[0] == queue.id]:
            yield self._shelves.pop(key)

    def discard_rest(self) -> Iterator[int]:
        """Yield the locations of messages whose queue was deleted."""
        for shelf in self._shelves.values():
            for block in shelf.blocks:
                yield from (block.locations[at] for at in block.live_positions(0, len(block)))
        self._shelves.clear()


def _leave(block: Block, position: int) -> int:
    return block.leave(
        position, block.bytes // block.live
    )  # nobody knows the length: the last one has the rest


def lay_out(shelf: Shelf, others: list[Message], link: Callable[[Message], None]) -> list[Block]:
    """Put the blocks of a shelf into their lane, with the other messages of it at their places.

    Return the blocks that are full: somebody seals them.
    """
    queue = shelf.queue
    lane = queue.lanes[shelf.lane]
    lane.blocks = [block for block in shelf.blocks if block.live]
    at = 0
    for block in lane.blocks:
        start = 0
        while at < len(others) and others[at].place < block.last:
            position = block.position_behind(others[at].place)
            add_run(queue, shelf.lane, block, start, position)
            start = position
            link(others[at])
            at += 1
        add_run(queue, shelf.lane, block, start, len(block))
        _count(queue, block)
    for message in others[at:]:
        link(message)
    return [block for block in lane.blocks if block.full]


def _count(queue: Queue, block: Block) -> None:
    queue.packed += block.live
    queue.spilled += block.live
    queue.spilled_bytes += block.bytes
    queue.depth += block.live
    queue.next_place = max(queue.next_place, block.last + 1)
