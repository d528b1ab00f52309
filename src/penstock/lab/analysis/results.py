"""What a benchmark finds: rows that are ratios with a target and a verdict, and tables of figures.

A verdict is a statement about the whole interval of a ratio: it passes when all of it is within the
target, fails when none of it is, and is inconclusive otherwise or when there were too few rounds.
Benchmarks make these, `printing` shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from statistics import median
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.samples import Interval, interval_of, ratios

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verdict(Enum):
    """The verdict of a row: its interval compared with its target."""

    PASSES = "passes"
    FAILS = "fails"
    INCONCLUSIVE = "inconclusive"
    NO_TARGET = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """A bound for a ratio; the bound itself is good enough."""

    bound: float
    at_most: bool

    def met_by(self, ratio: float) -> bool:
        return ratio <= self.bound if self.at_most else ratio >= self.bound

    def __str__(self) -> str:
        return f"at {'most' if self.at_most else 'least'} {self.bound:g} x"


def at_most(bound: float) -> Target:
    """Return the target of a value that may not be larger."""
    return Target(bound, True)


def at_least(bound: float) -> Target:
    """Return the target of a value that may not be smaller."""
    return Target(bound, False)


def judge(ratio: Interval, target: Target | None) -> Verdict:
    """Return the verdict of an interval for a target."""
    if target is None:
        return Verdict.NO_TARGET
    ends = {target.met_by(ratio.low), target.met_by(ratio.high)}
    if not ratio.trusted or len(ends) == 2:
        return Verdict.INCONCLUSIVE
    return Verdict.PASSES if ends == {True} else Verdict.FAILS


@dataclass(frozen=True)
class Row:
    """One comparison: a value of ours and one of the floor or peer for each round."""

    what: str
    floor_name: str
    unit: str  # "ns", "s", "bytes" (less is better) or "/s" (more is better)
    subject: Sequence[float]
    floor: Sequence[float]
    target: Target | None = None
    note: str = ""

    @property
    def ratio(self) -> Interval:
        return interval_of(ratios(self.subject, self.floor))

    @property
    def verdict(self) -> Verdict:
        return judge(self.ratio, self.target)

    def as_dict(self) -> dict[str, Any]:
        ratio = self.ratio
        return {
            "what": self.what,
            "floor_name": self.floor_name,
            "unit": self.unit,
            "subject": {"median": median(self.subject), "rounds": list(self.subject)},
            "floor": {"median": median(self.floor), "rounds": list(self.floor)},
            "ratio": {
                "median": ratio.middle,
                "low": ratio.low,
                "high": ratio.high,
                "coverage": ratio.coverage,
            },
            "target": None if self.target is None else str(self.target),
            "verdict": self.verdict.value,
            "note": self.note,
        }


def within(what: str, limit: float, seconds: Sequence[float]) -> Row:
    """Return the row of seconds that have a limit: it passes when the ratio to the limit is 1 at most."""
    return Row(what, f"the limit, {limit:g} s", "s", seconds, [limit] * len(seconds), at_most(1))


@dataclass(frozen=True)
class Figures:
    """A table of figures without targets."""

    title: str
    columns: Sequence[str]
    lines: list[list[str]] = field(default_factory=list)
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {"title": self.title, "columns": list(self.columns), "lines": self.lines, "note": self.note}


Result = Row | Figures
