"""Due times of one aggregate name's records on a queue, in memory, earliest first.

A browse cursor follows the queue, so that each record is read once however many there are. Records that
another unit of work held when the cursor passed are found when the queue is read again from its beginning,
every RESCAN_SECONDS.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from penstock.flow.aggregation.on_queues import record_of
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.aggregation.records import State

RESCAN_SECONDS = 10.0


class Due:
    """The records of one queue that an AggregateReply has to process in time."""

    def __init__(self, qm: BlockingQueueManager, state: State, name: str) -> None:
        self.state = state
        self.name = name
        self.handle = qm.open(state.value, mq.MQOO_BROWSE)
        self._heap: list[tuple[float, bytes, float]] = []  # when to look at it, key, when it was due
        self._known: set[bytes] = set()
        self._rescan_at = 0.0

    def refresh(self, now: float) -> None:
        """Read what is new on the queue."""
        option = mq.MQGMO_BROWSE_NEXT
        if now >= self._rescan_at:
            option, self._rescan_at = mq.MQGMO_BROWSE_FIRST, now + RESCAN_SECONDS
        message = self.handle.get(options=option, quiet=True)
        while message is not None:
            record = record_of(self.state, message)
            if record.facts["name"] == self.name:
                self.add(float(record.facts["due"]), record.key)
            message = self.handle.get(options=mq.MQGMO_BROWSE_NEXT, quiet=True)

    def add(self, due: float, key: bytes, again: float = 0.0) -> None:
        """Remember when a record is due; `again` is when to check one that was due already."""
        if key not in self._known:
            self._known.add(key)
            heappush(self._heap, (again or due, key, due))

    def pop(self, now: float) -> tuple[float, bytes] | None:
        """Remove and return the record that has been due longest; None if none is due."""
        if not self._heap or self._heap[0][0] > now:
            return None
        _, key, due = heappop(self._heap)
        self._known.discard(key)
        return due, key

    @property
    def earliest(self) -> float | None:
        """When to look at the next record."""
        return self._heap[0][0] if self._heap else None

    def close(self) -> None:
        """Close the queue."""
        self.handle.close()
