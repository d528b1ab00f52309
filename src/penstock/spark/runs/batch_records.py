"""Records of aggregations as a batch sees them: browsed on their queues, taken by the batch's commit.

A task may run again or twice at once, so it takes nothing from a queue. It browses, remembers which records
it takes, and names them when it prepares its outputs; the queue manager then reserves those records for the
batch, or returns 8321 if another unit was quicker, and the slice runs again. A `Ledger` is above this, as
inline: a record that a batch stores and takes again never reaches a queue.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import busy, record_of
from penstock.flow.aggregation.records import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.aggregation.records import Record
    from penstock.model.message import Message

    Look = Callable[..., list[tuple[int, Message]]]
    Take = tuple[str, bytes, int]

BUSY_SECONDS = 0.2  # how long a reply waits for an aggregation that another unit of work has
PAUSE_SECONDS = 0.02


class BatchRecords:
    """The records that an attempt at a slice takes; `begin` starts another attempt."""

    def __init__(self) -> None:
        self.takes: list[Take] = []
        self._taken: set[tuple[State, int]] = set()
        self._look: Any = None

    def begin(self, look: Look) -> list[Take]:
        """Forget everything, and browse with `look` from now on; return the list that takes are added to."""
        self._look = look
        self._taken = set()
        self.takes = []
        return self.takes

    def take(self, state: State, key: bytes) -> Record | None:
        for number, message in self._look(state.value, correl_id=key):
            if (state, number) not in self._taken:
                return self._take(state, number, message)
        return None

    def take_group(self, state: State, group: bytes) -> list[Record]:
        found = self._look(state.value, msg_id=group)
        return [self._take(state, *each) for each in found if (state, each[0]) not in self._taken]

    def take_control(self, aggregation: bytes) -> Record:
        deadline = time.monotonic() + BUSY_SECONDS
        while (found := self.take(State.CONTROL, aggregation)) is None:
            if time.monotonic() > deadline:
                raise busy(aggregation)
            time.sleep(PAUSE_SECONDS)
        return found

    def keep(self, record: Record) -> None:
        raise NotImplementedError("a ledger over these records keeps what is kept")

    def _take(self, state: State, number: int, message: Message) -> Record:
        self._taken.add((state, number))
        self.takes.append((state.value, message.correl_id, number))
        return record_of(state, message)
