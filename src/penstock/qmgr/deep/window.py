"""Windows: packed messages that somebody needs in memory, and who they are.

A call that comes to a run on its way through a queue needs a `Window`: the engine asks for it (`step.load`,
or `Packed` in a walk that goes on where it was), the host reads it, and the call is made again. A window
keeps its messages from being packed as long as somebody refers to it: the caller holds it until the call has
looked. Without that a call and the spiller undo each other's work for ever.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import islice
from typing import TYPE_CHECKING
from weakref import ref

from penstock.qmgr.deep.block import hash_of
from penstock.qmgr.deep.runs import Run
from penstock.qmgr.searching.pauses import Packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.deep.block import Block
    from penstock.qmgr.queue import Lane, Queue
    from penstock.qmgr.waiters import Match

    Entry = tuple[Block, int]  # and the position in it

WINDOW_MESSAGES = 256
SAME_ID_MAX = 64  # messages of one id that a get brings to memory at a time


class Window:
    """Packed messages that somebody needs in memory: those behind a place, or those at some places.

    Before it is read nobody knows how far it goes; then its places are known.
    """

    def __init__(
        self,
        queue: Queue,
        lane: int,
        behind: int = 0,
        *,
        places: Iterable[int] = (),
        count: int = WINDOW_MESSAGES,
        backwards: bool = False,
    ) -> None:
        self.queue = queue
        self.lane = lane
        self.places = frozenset(places)
        self.is_first = False  # the get that is made next takes one of them
        self._behind = behind
        self._count = count
        self._backwards = backwards
        # a WeakSet would call Python when a window goes: what a signal's handler raises there is swallowed
        queue.windows = [*windows_of(queue), ref(self)]

    def keeps(self, message: Message) -> bool:
        """Return whether a message must stay in memory for it."""
        return message.lane == self.lane and message.place in self.places

    def entries(self) -> list[Entry]:
        """Return what there is to read now, and remember its places."""
        if self.queue.deleted:
            return []
        lane = self.queue.lanes[self.lane]
        if self.places:
            found = [entry for place in sorted(self.places) if (entry := entry_at(lane, place)) is not None]
        else:
            found = self._neighbours(lane)
            self.places = frozenset(block.place(position) for block, position in found)
        return found

    def _neighbours(self, lane: Lane) -> list[Entry]:
        run = _run_before(lane, self._behind) if self._backwards else _run_behind(lane, self._behind)
        if run is None:
            return []
        block = run.block
        if not self._backwards:
            start = run.behind(self._behind)
            return [(block, at) for at in islice(block.live_positions(start, run.end), self._count)]
        end = min(run.end, block.position_behind(self._behind - 1))
        return [(block, at) for at in list(block.live_positions(run.start, end))[-self._count :]]


def stop_at(queue: Queue, run: Message, behind: int) -> None:
    """Raise Packed if a run has messages behind a place."""
    assert isinstance(run, Run)
    if run.behind(behind) < run.end:
        raise Packed(Window(queue, run.lane, behind))


def stop_before(queue: Queue, run: Message, before: int) -> None:
    """Raise Packed if a run has messages before a place; the window is of the last ones."""
    if run.place < before:
        raise Packed(Window(queue, run.lane, before, backwards=True))


def first_window(queue: Queue, run: Message) -> Window:
    """Return the window that a get without conditions needs."""
    window = Window(queue, run.lane, run.place - 1)
    window.is_first = True
    return window


def windows_of(queue: Queue) -> list[ref[Window]]:
    """Return the windows of a queue that somebody still holds."""
    return [each for each in queue.windows or () if each() is not None]


def is_wanted(queue: Queue, message: Message) -> bool:
    """Return whether somebody holds a window with the message."""
    if not queue.windows:
        return False
    queue.windows = windows_of(queue)
    held = (each() for each in queue.windows)
    return any(window is not None and window.keeps(message) for window in held)


def others_first(queue: Queue, match: Match, found: Message | None) -> Window | None:
    """Return a window of packed messages that a get by an id may take before the one found in memory.

    Only hashes of their ids are in memory: those that are others' are passed by when they have been read.
    """
    by_msg_id = match.msg_id is not None
    hashed = hash_of((match.msg_id if by_msg_id else match.correl_id) or b"")
    for number in range(len(queue.lanes) - 1, -1 if found is None else found.lane - 1, -1):
        end = found.place if found is not None and number == found.lane else queue.next_place
        places = list(islice(_places_of(queue.lanes[number], by_msg_id, hashed, end), SAME_ID_MAX))
        if places:
            return Window(queue, number, places=places)
    return None


def _places_of(lane: Lane, by_msg_id: bool, hashed: int, end: int) -> Iterator[int]:
    for block in lane.blocks or ():
        if block.first >= end:
            return
        for position in (block.msg_ids if by_msg_id else block.correl_ids).find(hashed):
            if block.locations[position] and block.place(position) < end:
                yield block.place(position)


def entry_at(lane: Lane, place: int) -> Entry | None:
    """Return where the packed message with a place is, None when there is none."""
    at = bisect_right(lane.blocks or (), place, key=_first) - 1
    if at < 0:
        return None
    block = lane.blocks[at]
    position = block.position_of(place)
    return (block, position) if position >= 0 and block.locations[position] else None


def _run_behind(lane: Lane, place: int) -> Run | None:
    """Return the run with the first packed message behind a place."""
    at = max(0, bisect_right(lane.blocks or (), place, key=_first) - 1)
    blocks: list[Block] = lane.blocks or []
    for block in blocks[at:]:
        for run in block.runs:
            if run.behind(place) < run.end:
                return run
    return None


def _run_before(lane: Lane, place: int) -> Run | None:
    """Return the run with the last packed message before a place."""
    at = bisect_left(lane.blocks or (), place, key=_first)
    blocks: list[Block] = lane.blocks or []
    for block in reversed(blocks[:at]):
        for run in reversed(block.runs):
            if run.place < place:
                return run
    return None


def _first(block: Block) -> int:
    return block.first
