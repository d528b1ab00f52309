"""Lines through measured points: slopes with intervals, breaks, and how a load scales. No clock, no I/O.

Least squares with t intervals from the residuals, and the slope of Theil and Sen beside it, which an outlier
does not move. A break is accepted only if it explains clearly more (BIC). Five values of x are the fewest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

POINTS_MIN = 5
CONFIDENCE = 0.90
BIC_MIN = 6.0
OUTLIER = 0.10  # two ways to find a slope differ by more
_T95 = (
    6.314,
    2.920,
    2.353,
    2.132,
    2.015,
    1.943,
    1.895,
    1.860,
    1.833,
    1.812,
    1.796,
    1.782,
    1.771,
    1.761,
    1.753,
)


@dataclass(frozen=True)
class Line:
    """y = intercept + slope x, with 90 % intervals."""

    intercept: float
    slope: float
    slope_low: float
    slope_high: float
    residual: float  # standard deviation of the residuals
    theil_sen: float

    def at(self, x: float) -> float:
        """Return the line's y."""
        return self.intercept + self.slope * x

    @property
    def has_outlier(self) -> bool:
        return abs(self.slope - self.theil_sen) > OUTLIER * abs(self.theil_sen or 1e-12)


@dataclass(frozen=True)
class BrokenLine:
    """Two joined lines; `at_x` is None if one line is as good."""

    at_x: float | None
    below: Line
    above: Line | None


@dataclass(frozen=True)
class Scalability:
    """X(N) = single N / (1 + contention (N - 1) + coherency N (N - 1))."""

    single: float
    contention: float
    coherency: float

    def at(self, copies: float) -> float:
        """Return the rate of this many copies."""
        slowed = 1 + self.contention * (copies - 1) + self.coherency * copies * (copies - 1)
        return self.single * copies / slowed

    @property
    def best(self) -> float | None:
        """The number of copies beyond which the rate falls; None if it does not."""
        return math.sqrt(max(0.0, 1 - self.contention) / self.coherency) if self.coherency > 0 else None


def line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None) -> Line:
    """Fit a line; ValueError with fewer than five values of x."""
    if len(set(xs)) < POINTS_MIN:
        raise ValueError(f"{len(set(xs))} values of x are not enough for a line; {POINTS_MIN} are")
    return _line(xs, ys, weights)


def _line(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None) -> Line:
    given = list(weights or [1.0] * len(xs))
    total = sum(given)
    mean_x = sum(w * x for w, x in zip(given, xs, strict=True)) / total
    mean_y = sum(w * y for w, y in zip(given, ys, strict=True)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, x in zip(given, xs, strict=True))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, x, y in zip(given, xs, ys, strict=True)) / spread
    intercept = mean_y - slope * mean_x
    squares = _squares(given, xs, ys, lambda x: intercept + slope * x)
    freedom = max(1, len(xs) - 2)
    wide = student(freedom) * math.sqrt(squares / freedom / spread)
    return Line(intercept, slope, slope - wide, slope + wide, math.sqrt(squares / freedom), theil_sen(xs, ys))


def broken_line(xs: Sequence[float], ys: Sequence[float]) -> BrokenLine:
    """Fit one line, or two that join if that is clearly better."""
    whole = line(xs, ys)
    count = len(xs)
    best: tuple[float, float | None] = (math.inf, None)
    for knot in sorted(set(xs))[2:-2]:
        best = min(best, (_hinged(xs, ys, knot)[0], knot), key=lambda pair: pair[0])
    squares = _squares([1.0] * count, xs, ys, whole.at)
    if best[1] is None or _bic(squares, count, 2) - _bic(best[0], count, 4) <= BIC_MIN:
        return BrokenLine(None, whole, None)
    at = best[1]
    below = [(x, y) for x, y in zip(xs, ys, strict=True) if x <= at]
    above = [(x, y) for x, y in zip(xs, ys, strict=True) if x >= at]
    return BrokenLine(at, _line(*zip(*below, strict=True)), _line(*zip(*above, strict=True)))


def _hinged(xs: Sequence[float], ys: Sequence[float], knot: float) -> tuple[float, list[float]]:
    """Fit y = a + b x + c max(0, x - knot); return the squares and the constants."""
    rows = [[1.0, x, max(0.0, x - knot)] for x in xs]
    constants = solved(rows, list(ys), [1.0] * len(xs))
    fitted = [sum(c * value for c, value in zip(constants, row, strict=True)) for row in rows]
    return sum((y - f) ** 2 for y, f in zip(ys, fitted, strict=True)), constants


def scalability(copies: Sequence[float], rates: Sequence[float]) -> Scalability:
    """Fit the universal scalability law; coherency is 0 unless it explains clearly more, none is below 0."""
    if len(set(copies)) < 3:
        raise ValueError("three numbers of copies are the fewest that show how something scales")
    weights = [(rate / n) ** 2 for n, rate in zip(copies, rates, strict=True)]
    ys = [n / rate for n, rate in zip(copies, rates, strict=True)]
    fits = []
    for terms in (3, 2, 1):
        rows = [[1.0, n - 1.0, n * (n - 1.0)][:terms] for n in copies]
        constants = solved(rows, ys, weights) + [0.0] * (3 - terms)
        if all(value >= 0 for value in constants):
            found = Scalability(1 / constants[0], constants[1] / constants[0], constants[2] / constants[0])
            squares = sum((rate - found.at(n)) ** 2 for n, rate in zip(copies, rates, strict=True))
            fits.append((_bic(squares, len(copies), terms), found))
    return min(fits, key=lambda pair: pair[0])[1]


def theil_sen(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the median of the slopes between all pairs of points."""
    pairs = combinations(zip(xs, ys, strict=True), 2)
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairs if x1 != x2]
    return median(slopes)


def solved(rows: Sequence[Sequence[float]], ys: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the constants of a weighted least-squares fit, by its normal equations."""
    size = len(rows[0])
    matrix = [
        [sum(w * row[i] * row[j] for w, row in zip(weights, rows, strict=True)) for j in range(size)]
        + [sum(w * row[i] * y for w, row, y in zip(weights, rows, ys, strict=True))]
        for i in range(size)
    ]
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(matrix[r][column]))
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for below in range(column + 1, size):
            factor = matrix[below][column] / matrix[column][column]
            matrix[below] = [a - factor * b for a, b in zip(matrix[below], matrix[column], strict=True)]
    found = [0.0] * size
    for row in range(size - 1, -1, -1):
        rest = sum(matrix[row][column] * found[column] for column in range(row + 1, size))
        found[row] = (matrix[row][size] - rest) / matrix[row][row]
    return found


def student(freedom: int) -> float:
    """Return the 95 % point of Student's t."""
    return _T95[freedom - 1] if freedom <= len(_T95) else 1.645 + 1.5 / freedom


def _squares(
    weights: Sequence[float], xs: Sequence[float], ys: Sequence[float], fitted: Callable[[float], float]
) -> float:
    return sum(w * (y - fitted(x)) ** 2 for w, x, y in zip(weights, xs, ys, strict=True))


def _bic(squares: float, count: int, constants: int) -> float:
    return count * math.log(max(squares, 1e-300) / count) + constants * math.log(count)
