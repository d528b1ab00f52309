"""How fast a rated application goes, and how many there are in the next step. No clock, no sleeping here.

An application puts its next request when a fixed time has passed since its last one, and never before the
reply to it: late replies slow it down. Applications of one process begin spread over the interval, so that
they do not come in waves.
"""

from __future__ import annotations

from dataclasses import dataclass, field


class Pace:
    """When one application puts its next request."""

    def __init__(self, interval: float, first: float) -> None:
        self._interval = interval
        self._due = first

    def wait(self, now: float) -> float:
        """Return for how long to think; nothing when the time has come or is past."""
        return max(0.0, self._due - now)

    def put(self, now: float) -> None:
        """Remember that a request goes out now."""
        self._due = now + self._interval


def spread(count: int, interval: float, now: float) -> list[Pace]:
    """Return the paces of applications that begin one after the other within an interval."""
    return [Pace(interval, now + interval * place / count) for place in range(count)]


@dataclass
class Climb:
    """Rising numbers of applications until one is too many or the bound is reached."""

    first: int
    bound: int
    factor: float = 2.0
    last_good: int = 0
    _next: int = field(init=False)

    def __post_init__(self) -> None:
        self._next = min(self.first, self.bound)

    @property
    def apps(self) -> int:
        """How many to try now; 0 when the climb is over."""
        return self._next

    def went(self, well: bool) -> None:
        """Say how the number went."""
        tried = self._next
        if well:
            self.last_good = tried
        self._next = min(self.bound, round(tried * self.factor)) if well and tried < self.bound else 0
