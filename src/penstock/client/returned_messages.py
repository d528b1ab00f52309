# cython: nonecheck=True
"""Messages that came after their get was given up: by Ctrl-C, or by the cancellation of a task.

The next get of the same queue in the same unit of work has them. Used by both clients; those outside units
can go back to their queue (`putting_back`). Invariant: a unit that holds one is not committed, for the queue
manager would forget a message that no program has seen. Compiled through
`returned_messages.pxd`: every get asks it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.model.message import Message


class Entry(NamedTuple):
    """A message, and how it was got: from where, in which unit, by what besides ids (None: nothing)."""

    queue: str
    unit: int
    way: Any
    message: Message
    since: float


class ReturnedMessages:
    """Messages that wait for the next get, or are put back; true while there are any."""

    def __init__(self) -> None:
        self._found: list[Entry] = []
        self.leaving = 0  # messages on their way back to their queues

    def add(self, queue: str, unit: int, way: Any, message: Message) -> None:
        """Keep a message for the next get."""
        self._found.append(Entry(queue, unit, way, message, time.monotonic()))

    def take(
        self, queue: str, unit: int, correl_id: Any = None, msg_id: Any = None, way: Any = None
    ) -> Message | None:
        """Return the first message that fits a get; None for none. Without a way only ids decide."""
        for entry in self._found:
            message = entry.message
            if (
                entry.queue == queue
                and entry.unit == unit
                and (way is None or way == entry.way)
                and (correl_id is None or message.correl_id == correl_id)
                and (msg_id is None or message.msg_id == msg_id)
            ):
                self.remove(entry)
                return message
        return None

    def remove(self, entry: Entry) -> bool:
        """Stop keeping a message; False if another caller has taken it."""
        before = len(self._found)
        self._found = [each for each in self._found if each is not entry]
        return len(self._found) < before

    def restore(self, entry: Entry) -> None:
        """Keep a message again."""
        self._found.append(entry)

    def outside_units(self) -> list[Entry]:
        """Return what no unit holds."""
        return [entry for entry in self._found if not entry.unit]

    def hidden_from(self, queue: str, unit: int, way: Any) -> list[Entry]:
        """Return what only the queue manager can give to a get: got in another way, or outside its unit."""
        return [
            entry
            for entry in self.outside_units()
            if entry.queue == queue and (unit or (way is not None and entry.way != way))
        ]

    def of_unit(self, unit: int) -> MQError | None:
        """Drop the messages of an ending unit; return why it cannot be committed, if so."""
        held = [entry for entry in self._found if entry.unit == unit and unit]
        for entry in held:
            self.remove(entry)
        if not held:
            return None
        return given_up()

    def holds(self, unit: int) -> bool:
        """Return whether a unit holds a message that no program has seen."""
        return any(entry.unit == unit for entry in self._found)

    def __len__(self) -> int:
        return len(self._found) + self.leaving


def given_up() -> MQError:
    """Return why a unit with a message that no program has seen is not committed."""
    return error(mq.MQRC_BACKED_OUT, "a get of this unit was given up when its message was on its way")
