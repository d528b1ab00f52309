"""A run: what stands in a lane for neighbouring messages of one block, and the list that lanes are.

Whoever walks through a queue comes to runs like to messages: their state is PACKED. Blocks and runs of a lane
change together, in `packing`.
Invariant: a run begins with a message that is there, and its place is that one's.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from penstock.model.message import Message
from penstock.qmgr.states import PACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.deep.block import Block
    from penstock.qmgr.queue import Lane, Queue


class Run(Message):
    """Neighbouring messages of one block; `place` is that of the first, `put_time` not later than any."""

    __slots__ = ("block", "end", "start")

    block: Block
    start: int  # positions: from this one
    end: int  # to before this one

    @classmethod
    def of(cls, queue: Queue, lane: int, block: Block, start: int, end: int, put_time: float) -> Run:
        """Return a run of a part of a block, which knows it; it is in no list yet."""
        run = cls(None)
        run.block, run.start, run.end = block, start, end
        run.state, run.lane, run.queue = PACKED, lane, queue
        run.place, run.put_time = block.place(start), put_time
        block.runs.insert(bisect_left(block.runs, start, key=_start), run)
        return run

    def behind(self, place: int) -> int:
        """Return the position of its first message behind a place, `end` for none."""
        start = max(self.start, self.block.position_behind(place))
        return self.block.next_live(start, self.end)

    def positions(self) -> Iterator[int]:
        """Yield the positions of its messages."""
        return self.block.live_positions(self.start, self.end)

    def begin_at(self, lane: Lane, start: int, put_time: float) -> None:
        """Begin at a later position; 0 for none, then it goes."""
        if start:
            self.start, self.place, self.put_time = start, self.block.place(start), put_time
            return
        self.block.runs.remove(self)
        cut(lane, self, self.newer)


def add_run(queue: Queue, number: int, block: Block, start: int, end: int) -> None:
    """Put a run for what is there of a part of a block at the end of its lane."""
    start = block.next_live(start, end)
    if start == end:
        return
    lane = queue.lanes[number]
    run = Run.of(queue, number, block, start, end, block.put_time)
    insert(lane, run, lane.newest, None)
    if lane.free is None:
        lane.free = run
        queue.mask |= 1 << number


def run_of(block: Block, position: int) -> Run:
    """Return the run that a position whose message is there belongs to."""
    return block.runs[bisect_right(block.runs, position, key=_start) - 1]


def insert(lane: Lane, node: Message, older: Message | None, newer: Message | None) -> None:
    """Put a node between two others of a lane."""
    node.older, node.newer = older, newer
    if older is None:
        lane.oldest = node
    else:
        older.newer = node
    if newer is None:
        lane.newest = node
    else:
        newer.older = node


def cut(lane: Lane, node: Message, instead: Message | None) -> None:
    """Take a node out of its lane; where the lane's first free message was it, that is another one."""
    older, newer = node.older, node.newer
    if older is None:
        lane.oldest = newer
    else:
        older.newer = newer
    if newer is None:
        lane.newest = older
    else:
        newer.older = older
    node.older = node.newer = None
    if lane.free is node:
        lane.free = instead


def _start(run: Run) -> int:
    return run.start
