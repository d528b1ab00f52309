"""The statistics of a benchmark: medians, percentiles, and an interval for a median.

The interval is made of order statistics, so nothing is assumed about how the values are spread: the
median of what was sampled lies between the k-th smallest and the k-th largest value with the
probability that `coverage` gives (David and Nagaraja, Order Statistics, 7.1). Five values are the
fewest that make 90 %. No clock and no I/O here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.90
ROUNDS_MIN = 5


@dataclass(frozen=True, slots=True)
class Interval:
    """A median and its interval with a confidence of `coverage`."""

    low: float
    middle: float
    high: float
    coverage: float

    @property
    def trusted(self) -> bool:
        """Whether there were enough values for the required confidence."""
        return self.coverage >= CONFIDENCE


def interval_of(values: Sequence[float]) -> Interval:
    """Return the narrowest symmetric interval of order statistics that covers 90 %, or all there is."""
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    rank = _rank(len(ordered))
    return Interval(
        ordered[rank - 1], median(ordered), ordered[len(ordered) - rank], coverage(len(ordered), rank)
    )


def coverage(count: int, rank: int) -> float:
    """Return the probability that the median is between the rank-th smallest and rank-th largest value.

    >>> coverage(5, 1)
    0.9375
    """
    outside = sum(math.comb(count, below) for below in range(rank))
    return max(0.0, 1.0 - 2.0 * outside / 2.0**count)


def _rank(count: int) -> int:
    rank = 1
    while rank + 1 <= (count + 1) // 2 and coverage(count, rank + 1) >= CONFIDENCE:
        rank += 1
    return rank


def ratios(subject: Sequence[float], floor: Sequence[float]) -> list[float]:
    """Return subject / floor, round by round: what disturbed a round disturbed both sides of it."""
    return [mine / other for mine, other in zip(subject, floor, strict=True)]


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least `percent` of all values do not exceed (nearest rank).

    >>> percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 90)
    9
    """
    if not values:
        raise ValueError("no values")
    if not 0 < percent <= 100:
        raise ValueError(f"no percentage: {percent}")
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]
