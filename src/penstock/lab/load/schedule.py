"""When rated applications mean to send. No clock and no sleeping here.

Intended times are fixed in advance and never move: an application that is late sends at once until it has
caught up, and a response counts from the intended time. So a stall of the server shows in the response
times of all requests that it delayed, not only of the one in progress. Applications of one process start
spread over the interval, so that they do not come in waves.
"""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Pace:
    """When one application sends its next request."""

    def __init__(self, due: Iterable[float]) -> None:
        self._times = iter(due)
        self._due: float | None = next(self._times, None)

    @property
    def over(self) -> bool:
        """Whether nothing is left to be sent."""
        return self._due is None

    def wait(self, now: float) -> float:
        """Return the think time; 0 when the time has come or is past."""
        return 0.0 if self._due is None else max(0.0, self._due - now)

    def take(self) -> float:
        """Return the intended time of the request that goes out now, and turn to the next."""
        if self._due is None:
            raise ValueError("the schedule is over")
        due, self._due = self._due, next(self._times, None)
        return due


def fixed(interval: float, first: float) -> Iterator[float]:
    """Yield times with one interval between them."""
    return (first + interval * number for number in count())


def poisson(rate: float, first: float, seed: int) -> Iterator[float]:
    """Yield times of independent arrivals, the same ones for the same seed."""
    chance = random.Random(seed)
    due = first
    while True:
        due += chance.expovariate(rate)
        yield due


def recorded(offsets: Sequence[float], first: float, speed: float = 1.0) -> Iterator[float]:
    """Yield the times of a recording, faster by a factor."""
    return (first + offset / speed for offset in offsets)


def spread(applications: int, interval: float, now: float) -> list[Pace]:
    """Return the paces of applications that begin one after the other within an interval."""
    return [Pace(fixed(interval, now + interval * place / applications)) for place in range(applications)]
