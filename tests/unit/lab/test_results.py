"""Verdicts: a row fails only when the whole interval misses its target."""

from __future__ import annotations

import pytest

from penstock.lab.analysis.results import Row, Verdict, at_least, at_most, judge
from penstock.lab.analysis.samples import Interval


def spread(low: float, high: float, coverage: float = 0.94) -> Interval:
    return Interval(low, (low + high) / 2, high, coverage)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (5, 7, Verdict.PASSES),
        (7, 8, Verdict.PASSES),
        (7, 9, Verdict.INCONCLUSIVE),
        (8, 9, Verdict.INCONCLUSIVE),
        (8.1, 9, Verdict.FAILS),
    ],
)
def test_at_most_looks_at_the_whole_interval(low, high, expected):
    assert judge(spread(low, high), at_most(8)) is expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.6, 0.9, Verdict.PASSES),
        (0.5, 0.7, Verdict.INCONCLUSIVE),
        (0.4, 0.6, Verdict.INCONCLUSIVE),
        (0.4, 0.59, Verdict.FAILS),
    ],
)
def test_at_least_looks_at_the_whole_interval(low, high, expected):
    assert judge(spread(low, high), at_least(0.6)) is expected


def test_too_few_rounds_are_inconclusive_however_clear_they_look():
    assert judge(spread(100, 200, coverage=0.875), at_most(8)) is Verdict.INCONCLUSIVE


def test_without_a_target_there_is_no_verdict():
    assert judge(spread(1, 2), None) is Verdict.NO_TARGET


def test_a_row_compares_each_round_with_its_own_floor():
    row = Row("pair", "floor", "ns", [10, 200, 30, 40, 50], [1, 20, 3, 4, 5], at_most(8))

    assert row.ratio.low == row.ratio.high == 10
    assert row.verdict is Verdict.FAILS
    assert row.as_dict()["ratio"] == {"median": 10, "low": 10, "high": 10, "coverage": 0.9375}
