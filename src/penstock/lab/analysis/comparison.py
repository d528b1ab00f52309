"""Whether two sets of rounds differ: the exact rank test, a ratio with its interval, the rule of 6 %.

Two-sided Mann-Whitney on logarithms, counted and not approximated, and the Hodges-Lehmann ratio with the
interval that inverts the same test. A change within 6 % counts as none, as in the z/OS report. Nothing is
called the same because the rounds were too few to show a difference. No clock, no I/O.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOLERANCE = 0.06
CONFIDENCE = 0.90
DISCOVERY = 0.05  # false discoveries among many tests
ROUNDS_MIN = 5


class Change(Enum):
    """The verdicts of a comparison."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    SMALL = "small"
    UNCLEAR = "unclear"


@dataclass(frozen=True)
class Comparison:
    """The second set against the first: a ratio with its interval, and how likely chance alone is."""

    ratio: float
    low: float
    high: float
    p: float
    rounds: int
    change: Change


def compare(
    before: Sequence[float], after: Sequence[float], *, more_is_better: bool, significant: float = DISCOVERY
) -> Comparison:
    """Compare two sets of positive values."""
    ratio, low, high = hodges_lehmann(before, after)
    p = mann_whitney(before, after)
    rounds = min(len(before), len(after))
    change = _judge(ratio, low, high, p, rounds, significant, more_is_better)
    return Comparison(ratio, low, high, p, rounds, change)


def _judge(
    ratio: float, low: float, high: float, p: float, rounds: int, significant: float, more_is_better: bool
) -> Change:
    if rounds < ROUNDS_MIN:
        return Change.UNCLEAR
    if low >= 1 - TOLERANCE and high <= 1 + TOLERANCE:
        return Change.SAME
    differs = p <= significant and not low <= 1 <= high
    if differs and abs(ratio - 1) > TOLERANCE:
        return Change.FASTER if (ratio > 1) == more_is_better else Change.SLOWER
    return Change.SMALL if differs else Change.UNCLEAR


def mann_whitney(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the exact two-sided probability that chance alone ranks two sets so far apart."""
    u = sum((b > a) + 0.5 * (b == a) for a in before for b in after)
    smaller = min(u, len(before) * len(after) - u)
    ways = _ways(len(before), len(after))
    tail = sum(ways[: math.floor(smaller) + 1])
    return float(min(1.0, 2 * tail / math.comb(len(before) + len(after), len(before))))


@cache
def _ways(first: int, second: int) -> tuple[int, ...]:
    """Return in how many ways each value of U comes about: Gauss's binomial coefficients."""
    ways = [1] + [0] * (first * second)
    for part in range(1, first + 1):
        top = second + part
        for value in range(len(ways) - 1, top - 1, -1):
            ways[value] -= ways[value - top]
        for value in range(part, len(ways)):
            ways[value] += ways[value - part]
    return tuple(ways)


def hodges_lehmann(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the median of all ratios and the interval that the exact test does not exclude."""
    ratios = sorted(b / a for a in before for b in after)
    ways, total = _ways(len(before), len(after)), math.comb(len(before) + len(after), len(before))
    tail, rank = 0, 0
    while rank < len(ratios) // 2 and 2 * (tail + ways[rank]) / total <= 1 - CONFIDENCE:
        tail += ways[rank]
        rank += 1
    place = max(0, rank - 1) if rank else 0
    return median(ratios), ratios[place], ratios[len(ratios) - 1 - place]


def threshold(chances: Mapping[str, float], rate: float = DISCOVERY) -> float:
    """Return the p below which tests count as found, at a rate of false discoveries (Benjamini, Hochberg)."""
    ordered = sorted(chances.values())
    passed = [p for place, p in enumerate(ordered, 1) if p <= rate * place / len(ordered)]
    return max(passed, default=0.0)
