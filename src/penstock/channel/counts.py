"""What an end of a channel has done and how long it took, as channel status and metrics show it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT_TERM, LONG_TERM = 8, 64  # number of the last values that weigh most


RATE_SECONDS = 5.0


def _no_clock() -> float:
    return 0.0


class Mean:
    """A moving mean: over the last few values, and over more of them."""

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


class Meter:
    """How well bodies are compressed on a link, and how long each takes; at the other end: to expand them."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.rate = Mean()  # percent of a body that need not be sent
        self.time = Mean()  # microseconds

    def add(self, whole: int, sent: int, seconds: float) -> None:
        """Take in a body: its length, what of it is sent, and the time that it took."""
        self.rate.add(100 * (whole - sent) / whole if whole else 0.0)
        self.time.add(seconds * 1e6)


class Rate:
    """How many per second, over the last whole window: steady enough to read, 0 soon after the last one."""

    def __init__(self) -> None:
        self._since = self._last = 0.0
        self._count = 0

    def add(self, number: int, now: float) -> None:
        """Count some at a time."""
        self._roll(now)
        self._count += number

    def value(self, now: float) -> float:
        """Return the number a second in the last whole window."""
        self._roll(now)
        return self._last

    def _roll(self, now: float) -> None:
        passed = now - self._since
        if 0 <= passed < RATE_SECONDS:
            return
        known = 0 <= passed < 2 * RATE_SECONDS  # else nothing came for a whole window, or the clock was set
        self._last = self._count / passed if known else 0.0
        self._since, self._count = now, 0


class Undelivered:
    """Messages that were not put or sent: on a dead-letter queue, or discarded."""

    def __init__(self) -> None:
        self.number = 0
        self.since = self.last_at = 0.0
        self.text = ""  # about the last one

    def add(self, text: str, now: float) -> None:
        """Count a message."""
        self.since = self.since or now
        self.number += 1
        self.last_at = now
        self.text = text


class Counts:
    """What an end has done since its channel started, through all its links; times are microseconds."""

    def __init__(self, clock: Callable[[], float] = _no_clock) -> None:
        self.clock = clock  # seconds, for what takes processor time
        self.messages = 0
        self.batches = 0
        self.last_at = 0.0  # when a message was sent or put
        self.confirmed = 0  # messages that the other end has for certain; of a receiving end: that are put
        self.confirmed_rate = Rate()
        self.net_time = Mean()  # of a heartbeat or a confirmation, there and back
        self.queue_time = Mean()  # that messages were on the transmission queue
        self.batch_size = Mean()
        self.undelivered = Undelivered()  # by this end
        self.reported = Undelivered()  # by the receiving end, one of each batch
        self.compression: Meter | None = None  # when the ends have agreed on it
        self.bytes_in = self.bytes_out = 0  # these four: of links that have ended
        self.buffers_in = self.buffers_out = 0

    def confirm(self, number: int, now: float) -> None:
        """Count messages that have arrived for certain."""
        self.confirmed += number
        self.confirmed_rate.add(number, now)
