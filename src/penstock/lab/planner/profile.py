"""Measured profiles: what one operation costs by its size, fitted, and checked on points that were held out.

A fifth of the points, drawn by a fixed seed, and the one with the highest rate are left out of the fit.
How far the fit is from them widens every interval (split conformal). No clock, no I/O.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.fits import solved

if TYPE_CHECKING:
    from collections.abc import Sequence

HELD_OUT = 0.2
CONFIDENCE = 0.9
POINTS_MIN = 5  # of a profile: with fewer, nothing can be held out
METRICS = (
    "cpu_us",
    "server_us",
    "p50_ms",
    "p99_ms",
    "syncs_each",
    "written_bytes_each",
    "server_mb",
    "kb_a_connection",
)


@dataclass(frozen=True)
class Estimate:
    """A value and its probable interval."""

    value: float
    low: float
    high: float

    def times(self, factor: float) -> Estimate:
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Check:
    """How the fit did on points that it had not seen."""

    points: int
    within: int
    median_error: float


@dataclass(frozen=True)
class Fitted:
    """One figure as a line over kilobytes, with the relative error that covers 90 % of held-out points."""

    intercept: float
    slope: float
    error: float
    check: Check

    def at(self, kilobytes: float) -> Estimate:
        value = max(0.0, self.intercept + self.slope * kilobytes)
        return Estimate(value, max(0.0, value * (1 - self.error)), value * (1 + self.error))


@dataclass(frozen=True)
class Profile:
    """The points of one kind of work."""

    tests: tuple[str, ...]
    points: tuple[dict[str, Any], ...]  # each has kilobytes, rate and figures

    @property
    def sizes(self) -> tuple[float, float]:
        sizes = [point["kilobytes"] for point in self.points]
        return min(sizes), max(sizes)

    @property
    def best_rate(self) -> float:
        return max(point["rate"] for point in self.points)

    def fitted(self, metric: str) -> Fitted | None:
        """Fit a figure, or None if it was not measured."""
        found = [
            (point["kilobytes"], point[metric], point["rate"])
            for point in self.points
            if point.get(metric) is not None
        ]
        if not found:
            return None
        used, held = _split(found)
        intercept, slope = _line([(x, y) for x, y, _ in used])
        errors = sorted(abs(y - (intercept + slope * x)) / y for x, y, _ in held if y > 0)
        own = sorted(abs(y - (intercept + slope * x)) / y for x, y, _ in used if y > 0)
        error = max(_quantile(errors), _quantile(own))
        within = sum(each <= error for each in errors)
        middle = errors[len(errors) // 2] if errors else math.nan
        return Fitted(intercept, slope, error, Check(len(errors), within, middle))


def _split(points: Sequence[tuple[float, float, float]]) -> tuple[list[Any], list[Any]]:
    """Return the points to fit and those to check with; the highest rate is among the latter."""
    if len(points) < POINTS_MIN:
        return list(points), []
    ordered = sorted(points)
    highest = max(range(len(ordered)), key=lambda place: ordered[place][2])
    rest = [place for place in range(len(ordered)) if place != highest]
    drawn = random.Random(len(ordered)).sample(rest, max(0, round(HELD_OUT * len(ordered)) - 1))
    held = {highest, *drawn}
    return (
        [point for place, point in enumerate(ordered) if place not in held],
        [ordered[place] for place in sorted(held)],
    )


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return intercept and slope that fit relative errors; a constant where there is one size."""
    if len({x for x, _ in points}) < 2:
        return sum(y for _, y in points) / len(points), 0.0
    weights = [1 / max(y, 1e-9) ** 2 for _, y in points]
    intercept, slope = solved([[1.0, x] for x, _ in points], [y for _, y in points], weights)
    return intercept, slope


def _quantile(errors: Sequence[float]) -> float:
    """Return the conformal quantile: the error that the next point does not exceed with 90 %."""
    if not errors:
        return 0.0
    rank = math.ceil((len(errors) + 1) * CONFIDENCE)
    return errors[min(rank, len(errors)) - 1]
