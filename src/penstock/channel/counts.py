"""What an end of a channel has done and how long it took, as channel status and metrics show it."""

from __future__ import annotations

from dataclasses import dataclass, field

SHORT_TERM, LONG_TERM = 8, 64  # number of the last values that weigh most


class Mean:
    """A moving mean: over the last few values, and over more of them."""

    __slots__ = ("_long", "_short", "known")

    def __init__(self) -> None:
        self._short = self._long = 0.0
        self.known = False

    def add(self, value: float) -> None:
        """Take a value in."""
        if not self.known:
            self.known = True
            self._short = self._long = value
            return
        self._short += (value - self._short) / SHORT_TERM
        self._long += (value - self._long) / LONG_TERM

    @property
    def value(self) -> float:
        """The mean of the last few values."""
        return self._short

    def __str__(self) -> str:
        return f"{self._short:.0f},{self._long:.0f}" if self.known else " , "


@dataclass(slots=True)
class Counts:
    """What a link has done since it began; times are microseconds."""

    messages: int = 0
    batches: int = 0
    last_at: float = 0.0  # when a message was sent or put
    batch_messages: int = 0  # in the batches that are confirmed
    net_time: Mean = field(default_factory=Mean)  # of a heartbeat or a confirmation, there and back
    queue_time: Mean = field(default_factory=Mean)  # that messages were on the transmission queue
    batch_size: Mean = field(default_factory=Mean)
