"""Messages that came after their get was given up: by Ctrl-C, or by the cancellation of a task.

The next get of the same queue in the same unit of work has them. Used by both clients. Invariant: a unit that
holds one is not committed, for the queue manager would forget a message that no program has seen.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.model.message import Message


class Kept:
    """Messages by where they were got from: a queue's name or the number of a handle."""

    def __init__(self) -> None:
        self._found: deque[tuple[Any, int, str | None, Message]] = deque()

    def add(self, where: Any, unit: int, selector: str | None, message: Message) -> None:
        """Keep a message for the next get."""
        self._found.append((where, unit, selector, message))

    def take(
        self, where: Any, unit: int, correl_id: Any = None, msg_id: Any = None, selector: str | None = None
    ) -> Message | None:
        """Return the first message that fits a get; None for none."""
        for entry in self._found:
            place, of_unit, chosen, message = entry
            if (
                place == where
                and of_unit == unit
                and (selector is None or selector == chosen)
                and (correl_id is None or message.correl_id == correl_id)
                and (msg_id is None or message.msg_id == msg_id)
            ):
                self._found.remove(entry)
                return message
        return None

    def of_unit(self, unit: int) -> MQError | None:
        """Forget what a unit that ends holds; return why it cannot be committed, if that is so."""
        held = [entry for entry in self._found if entry[1] == unit and unit]
        for entry in held:
            self._found.remove(entry)
        if not held:
            return None
        return error(2003, "a get of this unit was given up when its message was on its way")

    def __len__(self) -> int:
        return len(self._found)
