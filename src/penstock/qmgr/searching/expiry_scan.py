"""Looking through a queue for expired messages, so many at a step that nobody waits long.

A queue may hold a million messages of which few expire. Between two steps anything may happen to the queue: a
scan goes on behind the place that it came to. Packed messages never expire. Invariant: when it is over, the
queue's earliest expiry is not later than that of any message that is on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.states import AVAILABLE, GONE

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.effects import Effects
    from penstock.qmgr.queue import Queue

STEP_MESSAGES = 4000  # that one step looks at: a millisecond or so
UNREAD_MAX = 64  # bodies that are read for reports between two ticks
HIGHEST = 9  # lane


class ExpiryScan:
    """One walk through a queue; `step` until it is over."""

    def __init__(self, effects: Effects, queue: Queue) -> None:
        self.over = False
        self._effects = effects
        self._queue = queue
        self._last: Message | None = None  # that was looked at
        self._lane, self._place = HIGHEST, 0  # its own: it may be gone by now
        self._next_place = queue.next_place  # when the scan began
        self._earliest = 0.0
        self._unread: list[Message] = []  # whose reports need bodies that are to be read

    def step(self, now: float, most: int) -> int:
        """Look at some messages, and discard those that have expired; return how many were looked at."""
        queue, count = self._queue, 0
        self._look_again(now)
        message = None if queue.deleted else self._next()
        while message is not None and count < most:
            self._last, self._lane, self._place = message, message.lane, message.place
            following = queue.next_in_memory(message)
            if message.expires_at:
                self._look_at(message, now)
            count += 1
            message = following
        if message is None and not self._unread:
            self.over = True
            self._look_at_latecomers()
            queue.earliest_expiry = self._earliest
        return count

    def _next(self) -> Message | None:
        last, queue = self._last, self._queue
        if last is not None and last.state != GONE and last.queue is queue:
            following: Message | None = queue.next_in_memory(last)
        else:
            following = queue.after_in_memory(self._lane, self._place)
        return following

    def _look_at(self, message: Message, now: float) -> None:
        if message.expires_at <= now and message.state == AVAILABLE:
            if self._effects.expired(self._queue, message, now):
                return
            if len(self._unread) < UNREAD_MAX:
                self._unread.append(message)
                self._effects.engine.wishes.unread.append(message)
        self._note(message)

    def _look_again(self, now: float) -> None:
        """Discard what was read since the last step; nothing has written it to disk again."""
        again, self._unread = self._unread, []
        for message in again:
            if message.state == AVAILABLE and message.queue is self._queue and message.expires_at <= now:
                self._effects.expired(self._queue, message, now)

    def _note(self, message: Message) -> None:
        if message.expires_at and (not self._earliest or message.expires_at < self._earliest):
            self._earliest = message.expires_at

    def _look_at_latecomers(self) -> None:
        """Note when messages expire that came while the scan was under way, perhaps behind its place."""
        for lane in self._queue.lanes:
            message = lane.newest
            while message is not None and message.place >= self._next_place:
                self._note(message)
                message = message.older
