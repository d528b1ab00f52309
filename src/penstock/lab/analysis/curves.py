"""The curve of a test over its x, with intervals over the rounds, and its peak. No I/O here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.samples import Interval, interval_of
from penstock.lab.load.ramp import KNEE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GOOD = ("ok", "unsteady", "saturated")


@dataclass(frozen=True)
class Point:
    """All rounds of a test at one x and one variant."""

    test: str
    variant: str
    x: float | None
    rows: tuple[dict[str, Any], ...]

    def values(self, metric: str) -> list[float]:
        return [float(row[metric]) for row in self.rows if row.get(metric) is not None]

    def interval(self, metric: str) -> Interval | None:
        """Return the median of a figure and its interval, or None if it was not measured."""
        values = self.values(metric)
        return interval_of(values) if values else None

    def median(self, metric: str) -> float | None:
        values = self.values(metric)
        return median(values) if values else None


def curves(rows: Iterable[dict[str, Any]]) -> dict[str, list[Point]]:
    """Return the points of each test; a climb's own steps count only where nothing was confirmed."""
    by_test: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["state"] in GOOD:
            by_test[row["test"]].append(row)
    return {test: _points(test, some) for test, some in by_test.items()}


def _points(test: str, rows: Sequence[dict[str, Any]]) -> list[Point]:
    groups: dict[tuple[str, float | None], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["variant"], row["x"]].append(row)
    points = []
    for (variant, x), some in groups.items():
        published = [row for row in some if row["kind"] != "climb"] or some
        points.append(Point(test, variant, x, tuple(published)))
    return sorted(points, key=lambda point: (point.variant, point.x is None, point.x or 0.0))


@dataclass(frozen=True)
class Peak:
    """The best point of a test, the fewest applications that come near it, and whether it still rose."""

    point: Point
    rate: Interval
    knee: float | None
    still_rising: bool


def peak(points: Sequence[Point]) -> Peak | None:
    """Return the peak of a rate over x, or None without rates."""
    rated = [(point, interval) for point in points if (interval := point.interval("rate")) is not None]
    confirmed = [pair for pair in rated if any(row["kind"] != "climb" for row in pair[0].rows)]
    rated = confirmed or rated  # the best of many steps is too optimistic: only confirmed ones count
    if not rated:
        return None
    best, rate = max(rated, key=lambda pair: pair[1].middle)
    xs = [
        point.x for point, interval in rated if point.x is not None and interval.middle >= KNEE * rate.middle
    ]
    last = max((point.x for point in points if point.x is not None), default=None)
    rising = len({point.x for point in points}) > 1 and best.x is not None and best.x == last
    return Peak(best, rate, min(xs, default=None), rising)
