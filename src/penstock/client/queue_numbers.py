# cython: nonecheck=True
"""The numbers that stand for queue names in the frames of one connection.

Both clients hold one: a name is sent once, before the first frame that uses its number. Invariant: when a
frame with a new name may not have been sent, all numbers are forgotten. Compiled through `queue_numbers.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import calls
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from penstock.protocol._frames import Outgoing


class QueueNumbers:
    """The queue names that the other end of a connection knows by number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, out: Outgoing, conversation: int, queue: str) -> int:
        """Return the number of a name; for a new one, the frame that informs the other end is written."""
        number = self._numbers.get(queue)
        if number is None:
            self.make_room(1)
            number = len(self._numbers)
            payload = number.to_bytes(4, "little") + calls.packed_name(queue)
            out.frame(protocol.NAME, 0, conversation, 0, 0, payload)
            self._numbers[queue] = number
        return number

    def make_room(self, count: int) -> None:
        """Forget all numbers if there is no room for so many more."""
        if len(self._numbers) > protocol.NAMES_MAX - count:
            self._numbers.clear()

    def forget(self) -> None:
        """Forget all numbers: the other end may not know them."""
        self._numbers.clear()
