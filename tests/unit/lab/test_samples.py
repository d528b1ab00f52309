"""The statistics of the benchmarks: an instrument must be right before it measures."""

from __future__ import annotations

import random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.lab.analysis.samples import coverage, interval_of, percentile, ratios

values = st.lists(st.floats(0.001, 1e9), min_size=1, max_size=60)


def test_five_values_give_their_range_with_94_percent():
    interval = interval_of([5, 1, 4, 2, 3])

    assert (interval.low, interval.middle, interval.high) == (1, 3, 5)
    assert interval.coverage == pytest.approx(0.9375)
    assert interval.trusted


def test_four_values_are_too_few_for_90_percent():
    assert not interval_of([1, 2, 3, 4]).trusted


def test_a_single_value_is_its_own_interval_and_not_trusted():
    interval = interval_of([7.0])

    assert (interval.low, interval.middle, interval.high) == (7.0, 7.0, 7.0)
    assert not interval.trusted


def test_more_values_leave_the_outliers_out():
    interval = interval_of([1000.0, *range(1, 24), 0.001])

    assert interval.low > 1
    assert interval.high < 24


def test_no_values_are_refused():
    with pytest.raises(ValueError, match="no values"):
        interval_of([])


@given(values)
def test_the_median_lies_in_its_interval_and_the_interval_in_the_values(measured):
    interval = interval_of(measured)

    assert min(measured) <= interval.low <= interval.middle <= interval.high <= max(measured)
    assert interval.middle == median(measured)


@given(st.integers(5, 200))
def test_the_interval_is_the_narrowest_that_covers_90_percent(count):
    ordered = list(range(count))
    interval = interval_of(ordered)
    rank = int(interval.low) + 1

    assert interval.coverage >= 0.9
    assert interval.high == count - rank
    assert coverage(count, rank + 1) < 0.9 or rank + 1 > (count + 1) // 2


def test_the_interval_holds_the_true_median_as_often_as_it_says():
    source = random.Random(20)
    hits = 0
    for _ in range(2000):
        interval = interval_of([source.lognormvariate(0.0, 1.0) for _ in range(9)])
        hits += interval.low <= 1.0 <= interval.high

    assert hits / 2000 == pytest.approx(coverage(9, 2), abs=0.02)


def test_ratios_are_taken_round_by_round():
    assert ratios([10.0, 30.0], [5.0, 10.0]) == [2.0, 3.0]


def test_ratios_of_different_numbers_of_rounds_are_refused():
    with pytest.raises(ValueError):
        ratios([1.0], [1.0, 2.0])


@pytest.mark.parametrize(("percent", "expected"), [(50, 50), (90, 90), (90.5, 91), (100, 100), (0.1, 1)])
def test_percentile_is_the_nearest_rank(percent, expected):
    shuffled = random.Random(3).sample(range(1, 101), 100)

    assert percentile(shuffled, percent) == expected


@pytest.mark.parametrize("percent", [0, -1, 101])
def test_percentile_refuses_what_is_no_percentage(percent):
    with pytest.raises(ValueError, match="no percentage"):
        percentile([1.0], percent)
