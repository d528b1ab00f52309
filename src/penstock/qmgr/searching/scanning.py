"""Looking through a long queue in steps: gets by selector, and browses, let others in between.

A queue may hold millions of messages, and a selector tests each. So a get that searches its
queue has a `Scan` (`engine.scan`): when that has cost as much as one step may, it raises `Paused`, and the
host makes the get again with the same scan, which goes on behind the message it came to. Without one the
engine looks through the whole queue. Whoever makes the call decides how long to pause.
Invariant: a message that a scan does not find was not there when it began, or another program holds it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.qmgr.deep.window import stop_at
from penstock.qmgr.searching.pauses import Packed, Paused
from penstock.qmgr.selectors.evaluations import characters_of, cost_of_text
from penstock.qmgr.states import AVAILABLE, GONE, PACKED, UNCOMMITTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.queue import Index, Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match

STEP_COST = 4000  # messages and terms of selectors in one step: half a millisecond or so
UNLIMITED = sys.maxsize
RESTARTS_MAX = 3  # because messages came back to places that were passed; then the rest is one step
HIGHEST = 9  # lane


class Scan:
    """How far a get has looked through its queue."""

    def __init__(self, step_cost: int = STEP_COST) -> None:
        self._step_cost = self._left = step_cost
        self._queue: Queue | None = None
        self._last: Message | None = None  # that was looked at
        self._lane = self._place = 0  # its own: it may be gone by now
        self._paused = False
        self._restarts = 0
        self._highest = HIGHEST  # lane that is looked at
        self._next_place = self._freed = 0  # of the queue when it began
        self._puts = 0  # of the unit's own that were looked at
        self._best: Message | None = None  # of those

    def resume(self) -> None:
        """Take the next step."""
        self._left = self._step_cost

    @property
    def spent(self) -> int:
        """What this step has cost."""
        return self._step_cost - self._left

    def find(self, queue: Queue, match: Match) -> Message | None:
        """Return the first available message that a match accepts, from where the scan is on."""

        def accepts(message: Message) -> bool:
            return message.state == AVAILABLE and match.accepts(message)

        return self.walk(queue, lambda: queue.after(HIGHEST, 0), HIGHEST, accepts, match)

    def own_put(self, queue: Queue, match: Match, unit: UnitOfWork, now: float) -> Message | None:
        """Return the message that a get takes of those that its own unit has put, none of the others fits."""
        puts = unit.puts
        if self._puts > len(puts) or (self._best is not None and self._best.state != UNCOMMITTED):
            self._puts, self._best = 0, None  # some of them are gone
        while self._puts < len(puts):
            message = puts[self._puts]
            self._puts += 1
            if message.queue is queue and not 0 < message.expires_at <= now and match.accepts(message):
                if self._best is None or (queue.by_priority and message.priority > self._best.priority):
                    self._best = message
            self._left -= cost_of(match, message)
            if self._left <= 0 and self._puts < len(puts):
                raise Paused
        best = self._best
        if best is not None and best.expires_at:
            best.remaining = best.expires_at - now
        return best

    def walk(
        self,
        queue: Queue,
        first: Callable[[], Message | None],
        highest: int,
        accepts: Callable[[Message], bool],
        match: Match | None,
    ) -> Message | None:
        """Return the next message that is accepted; Packed when messages must be read before it goes on.

        `first` finds where a new scan begins; messages that arrive in a lane above `highest` are too late
        for it.
        """
        self._highest = highest
        while True:
            message = self._next(queue, first)
            if message is None and self._last is None:
                return None
            while message is not None:
                following = self._following(queue, message, accepts)
                if following is message or accepts(message):
                    return message
                self._pass(message, cost_of(match, message))
                message = following
            if not self._must_begin_again(queue):
                return self._latecomer(queue, accepts)

    def _following(
        self, queue: Queue, message: Message, accepts: Callable[[Message], bool]
    ) -> Message | None:
        """Return what follows a message, before `accepts` may discard it; the message if it is accepted.

        Packed when what follows is on disk, and the message is not accepted.
        """
        try:
            return queue.next_linked(message)
        except Packed:
            lane, place = message.lane, message.place
            if accepts(message):
                return message
            self._last, self._lane, self._place, self._paused = message, lane, place, True
            raise

    def _next(self, queue: Queue, first: Callable[[], Message | None]) -> Message | None:
        if self._queue is not queue:
            self._queue, self._last, self._paused = queue, None, False
            self._next_place, self._freed = queue.next_place, queue.freed
        last = self._last
        if last is None:
            return first()
        linked = last.state != GONE and last.queue is queue
        found: Message | None = queue.next_linked(last) if linked else queue.after(self._lane, self._place)
        return found

    def _pass(self, message: Message, cost: int) -> None:
        self._last = message
        self._left -= cost
        if self._left <= 0:
            self._lane, self._place = message.lane, message.place
            self._paused = True
            raise Paused

    def _must_begin_again(self, queue: Queue) -> bool:
        """Return whether messages became available again at places already passed (backout, unlock ...)."""
        if not self._paused or queue.freed == self._freed:
            return False
        self._queue = None
        self._restarts += 1
        if self._restarts > RESTARTS_MAX:
            self._left = self._step_cost = UNLIMITED
        return True

    def _latecomer(self, queue: Queue, accepts: Callable[[Message], bool]) -> Message | None:
        """Return a message that came while the scan paused, behind where it had been already."""
        for number in range(self._highest, -1, -1) if self._paused else ():
            came: list[Message] = []
            message = queue.lanes[number].newest
            while message is not None and message.place >= self._next_place:
                came.append(message)
                message = message.older
            if message is not None:
                came.append(message)  # a run: some of its messages may have come late
            for message in reversed(came):
                if message.state == PACKED:
                    stop_at(queue, message, self._next_place - 1)
                elif message.place >= self._next_place and accepts(message):
                    return message
        return None


def names_one(index: Index, match: Match) -> bool:
    """Return whether the id of a match leaves one message at most, which its selector is asked about."""
    return not isinstance(index.entries.get(index.key_in(match)), dict)


def cost_of(match: Match | None, message: Message) -> int:
    """Return the approximate cost of testing one message."""
    selector = None if match is None else match.selector
    if selector is None:
        return 1
    searched = cost_of_text(selector.searches, characters_of(message.properties)) if selector.searches else 0
    return 1 + int(selector.cost) + searched


@contextmanager
def scanning(engine: Any, scan: Scan) -> Iterator[None]:
    """Have the engine look through queues with a scan; the engine is held."""
    before, engine.scan = engine.scan, scan
    scan.resume()
    try:
        yield
    finally:
        engine.scan = before
