"""What a sending end keeps between links while its process lives: fast messages not yet counted.

Fast messages are off their queue when they are sent. Their frames stay here until the other end has counted
their messages, so that a line that breaks loses none: the next link sends again what was not counted.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from penstock.channel import moves

if TYPE_CHECKING:
    from penstock.channel.line import Frame

KEPT_MAX = 1000  # fast messages that the other end has not counted yet; more are no faster
KEPT_BYTES_MAX = 1 << 20


class Memory:
    """The fast messages of one sending channel."""

    def __init__(self) -> None:
        self.token = ""  # the other end's name for the last link
        self.sent = 0  # messages, on that link
        self.kept = 0  # messages of it that are not counted yet
        self.kept_bytes = 0
        self._counted = 0  # by the other end
        self._frames: deque[tuple[int, Frame]] = deque()  # with how many messages each has

    def keep(self, count: int, frame: Frame) -> None:
        """Keep a frame of fast messages."""
        self.sent += count
        self.kept += count
        self.kept_bytes += len(frame.payload)
        self._frames.append((count, frame))

    @property
    def full(self) -> bool:
        """Whether the other end has to count before more is sent."""
        return self.kept >= KEPT_MAX or self.kept_bytes >= KEPT_BYTES_MAX

    @property
    def asks(self) -> bool:
        """Whether it is time to ask the other end how many it has."""
        return self.kept >= KEPT_MAX // 4 or self.kept_bytes >= KEPT_BYTES_MAX // 4

    def taken(self, count: int) -> int:
        """Forget what the other end has counted; a frame goes with its last message. Return the new ones."""
        before, self._counted = self._counted, max(self._counted, min(count, self.sent))
        while self._frames and self.sent - self.kept + self._frames[0][0] <= count:
            number, frame = self._frames.popleft()
            self.kept -= number
            self.kept_bytes -= len(frame.payload)
        return self._counted - before

    def begin(self, token: str) -> list[tuple[int, Frame]]:
        """Start again with a new link; return the lost frames of the last one, with their message counts."""
        lost = list(self._frames)
        surplus = self._counted - (self.sent - self.kept)
        if lost and surplus > 0:
            number, frame = lost[0]
            lost[0] = (number - surplus, moves.without_first(frame, surplus))
        self.token = token
        self.sent = self.kept = self.kept_bytes = self._counted = 0
        self._frames.clear()
        return lost
