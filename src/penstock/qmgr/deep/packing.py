# cython: nonecheck=True
"""Long runs of messages on disk: how a lane keeps them without an object for each.

What the spiller has written to message files needs no `Message` in memory. `pack` turns one into an entry of
a `Block`; a `Run` stands in the lane for neighbours of one block, and `bring_in` makes messages of them
again, a `Window` of some hundred at a time. Messages stay objects that need more than their record: those
that expire, belong to a group, were backed out, are marked, or are large.
Invariants: a packed message is available, its record in the message file says all of it, and it has no
`Message`; the object that it had says GONE, and only places lead from it to the message. Compiled through
`packing.pxd`.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import MESSAGE_BYTES, NO_ID
from penstock.qmgr.deep.block import Block, hash_of
from penstock.qmgr.deep.runs import Run, cut, insert, run_of
from penstock.qmgr.deep.window import is_wanted
from penstock.qmgr.groups.group_book import GROUPED
from penstock.qmgr.states import AVAILABLE, GONE, PACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.core import Core
    from penstock.qmgr.deep.window import Entry, Window
    from penstock.qmgr.queue import Lane, Queue

BODY_BYTES_MAX = 16 << 10  # of a message that is packed: a window of them stays small
NEVER_PACKED = ("SYSTEM.RETAINED.PUB.QUEUE", "SYSTEM.CLUSTER.")  # their messages are known by reference


def pack_available(queue: Queue, message: Message, full: list[Block]) -> bool:
    """Turn a message that lies in a message file into an entry of a block, if nothing forbids that.

    Blocks that are full now go to `full`: housekeeping sorts their ids.
    """
    return _may_be_packed(queue, message) and pack(queue, message, full)


def _may_be_packed(queue: Queue, message: Message) -> bool:
    """Return whether nothing needs the message's object."""
    if message.state != AVAILABLE or not message.location or message.misfiled:
        return False
    if queue.marks is not None and message in queue.marks:
        return False
    return is_plain(queue, message) and not is_wanted(queue, message)


def is_plain(queue: Queue, message: Message) -> bool:
    """Return whether no verb looks at a message before it is its turn, or somebody names its id."""
    if message.backout_count or queue.name.startswith(NEVER_PACKED):
        return False
    if message.length > BODY_BYTES_MAX or message.expires_at or message.priority != message.lane:
        return False
    descriptor, onward = message.descriptor, message.onward
    if descriptor.flags & GROUPED or descriptor.group_id != NO_ID:
        return False
    return onward is None or onward.msg_id == NO_ID  # a cluster's channels know how many messages they have


def pack(queue: Queue, message: Message, full: list[Block]) -> bool:
    """Turn an available message into an entry; False if it finds no block."""
    entry = _entry_for(queue.lanes[message.lane], message)
    if entry is None:
        return False
    block, position = entry
    if block.full and not block.sealed and (not full or full[-1] is not block):
        full.append(block)
    if message.body is not None:
        queue.drop_body(message)
    block.enter(position, message.location, message.length)
    _stand_for(queue, message, block, position)
    message.state = GONE
    message.queue = message.owner = message.older = message.newer = None
    queue.packed += 1
    if queue.watched:
        queue._forget(message)
    return True


def _entry_for(lane: Lane, message: Message) -> Entry | None:
    """Return the entry of a message: the one it had, or a new one behind its neighbours."""
    if lane.blocks is None:
        lane.blocks = []
    at = bisect_right(lane.blocks, message.place, key=_first) - 1
    if at >= 0:
        block = lane.blocks[at]
        position = block.position_of(message.place)
        if position >= 0:
            return None if block.locations[position] else (block, position)
        if message.place < block.last:
            return None  # it was not here when its neighbours were packed
        if block.takes(message.place, message.seq):
            return block, _append(block, message)
    block = Block(message.place, message.seq, message.put_time)
    lane.blocks.insert(at + 1, block)
    return block, _append(block, message)


def _append(block: Block, message: Message) -> int:
    return block.append(message.place, message.seq, hash_of(message.msg_id), hash_of(message.correl_id))


def _stand_for(queue: Queue, message: Message, block: Block, position: int) -> None:
    """Have a run stand for a message that the lane still has, and take that out."""
    lane, older, newer = queue.lanes[message.lane], message.older, message.newer
    if isinstance(older, Run) and older.block is block:
        older.end = position + 1
        cut(lane, message, older)
        if isinstance(newer, Run) and newer.block is block:
            older.end = newer.end
            block.runs.remove(newer)
            cut(lane, newer, older)
    elif isinstance(newer, Run) and newer.block is block:
        newer.start, newer.place, newer.put_time = position, message.place, message.put_time
        cut(lane, message, newer)
    else:
        run = Run.of(queue, message.lane, block, position, position + 1, message.put_time)
        insert(lane, run, message, newer)
        cut(lane, message, run)


def bring_in(queue: Queue, block: Block, position: int, message: Message) -> None:
    """Put a message that was read from its file back into its place in the lane."""
    lane = queue.lanes[message.lane]
    run = run_of(block, position)
    message.location = block.leave(position, message.length)
    message.queue = queue
    message.state = AVAILABLE
    queue.packed -= 1
    rest = block.next_live(position + 1, run.end)
    if rest == run.end:
        rest = 0
    if run.start < position:
        _split(queue, run, position, rest, message)
    else:
        insert(lane, message, run.older, run)
        if lane.free is run:
            lane.free = message
        run.begin_at(lane, rest, message.put_time)
    _let_go(queue, lane, block)
    queue.came_back(message)


def _split(queue: Queue, run: Run, position: int, rest: int, message: Message) -> None:
    """Put a message behind the first part of its run; the rest, if there is one, is another run behind it."""
    lane = queue.lanes[run.lane]
    insert(lane, message, run, run.newer)
    if rest:
        right = Run.of(queue, run.lane, run.block, rest, run.end, message.put_time)
        insert(lane, right, message, message.newer)
    run.end = position


def _let_go(queue: Queue, lane: Lane, block: Block) -> None:
    """Forget a block without messages."""
    if not block.live:
        queue.spilled_bytes -= block.bytes  # what lengths that nobody looked at were wrong by
        block.bytes = 0
        del lane.blocks[bisect_right(lane.blocks, block.first, key=_first) - 1]


def drop(queue: Queue, count: int, end: int) -> list[tuple[int, int]]:
    """Remove packed messages before a place unread; return location and sequence number of each."""
    gone: list[tuple[int, int]] = []
    for lane in reversed(queue.lanes):
        node = lane.oldest
        while node is not None and len(gone) < count:
            newer = node.newer
            if isinstance(node, Run):
                _drop_of(queue, lane, node, count - len(gone), end, gone)
            node = newer
    queue.packed -= len(gone)
    queue.depth -= len(gone)
    queue.purged += len(gone)
    return gone


def _drop_of(queue: Queue, lane: Lane, run: Run, count: int, end: int, gone: list[tuple[int, int]]) -> None:
    block = run.block
    limit = min(run.end, block.position_behind(end - 1))
    for position in list(islice(block.live_positions(run.start, limit), count)):
        length = block.bytes // block.live  # nobody knows it without a look: the last one has the rest
        gone.append((block.leave(position, length), block.seq(position)))
        queue.spilled -= 1
        queue.spilled_bytes -= length
    rest = block.next_live(run.start, run.end)
    if rest == run.end and lane.free is run:
        lane.free = run.newer
        if lane.free is None:
            queue.mask &= ~(1 << run.lane)
    if rest != run.start:
        run.begin_at(lane, rest if rest < run.end else 0, run.put_time)
    _let_go(queue, lane, block)


def instead_of(window: Window, read: list[Message], engine: Core) -> list[Message]:
    """Return what goes back to disk for a window that was read, while a queue has more than its buffer holds.

    What is got next stays; for it go the messages at the end of the lane, which are got last.
    """
    queue = window.queue
    room = min(engine.buffer_bytes, engine.persistent_buffer_bytes)
    if queue.memory_used() <= room or not read:
        return []
    if not window.is_first:
        return read
    found: list[Message] = []
    size, last = queue.memory_used() - room, queue.lanes[window.lane].newest
    while size > 0 and last is not None and last.state != PACKED and last.place > read[-1].place:
        if last.body is not None and last.state == AVAILABLE:
            found.append(last)
            size -= last.length + MESSAGE_BYTES
        last = last.older
    found.reverse()
    return found


def entries(queue: Queue) -> Iterator[Entry]:
    """Yield every packed message."""
    for lane in queue.lanes:
        for block in lane.blocks or ():
            for position in block.live_positions(0, len(block)):
                yield block, position


def check_read(queue: Queue, block: Block, position: int, message: Message) -> None:
    """Raise 8010 when a record is not that of the message that was packed."""
    if message.place != block.place(position) or message.seq != block.seq(position):
        text = f"a message of queue {queue.name} is not where it was written"
        raise error(mq.PSRC_MESSAGE_FILE_DAMAGED, text, location=block.locations[position])


def _first(block: Block) -> int:
    return block.first
