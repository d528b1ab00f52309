"""The buckets of times: narrow enough, and the same percentile as a sorted list gives."""

from __future__ import annotations

import random

import pytest

from penstock.lab.analysis.samples import percentile
from penstock.lab.load import histogram


@pytest.mark.parametrize("power", range(40))
def test_a_bucket_holds_its_time_and_is_a_128th_wide(power):
    for nanoseconds in (2**power, 2**power + 2**power // 3, 2 ** (power + 1) - 1):
        upper = histogram.upper_ns(histogram.bucket_of(nanoseconds))

        assert nanoseconds <= upper <= nanoseconds + nanoseconds / 128


def test_buckets_follow_each_other_without_a_hole():
    uppers = [histogram.upper_ns(bucket) for bucket in range(histogram.BUCKETS)]

    assert [histogram.bucket_of(upper + 1) for upper in uppers[:-1]] == list(range(1, histogram.BUCKETS))


def test_times_beyond_the_last_bucket_stay_in_it():
    assert histogram.bucket_of(2**60) == histogram.BUCKETS - 1
    assert histogram.bucket_of(-5) == 0


@pytest.mark.parametrize("percent", [1, 50, 90, 99, 99.9, 100])
def test_percentiles_are_those_of_a_sorted_list_within_a_bucket(percent):
    chance = random.Random(5)
    times = [int(chance.lognormvariate(12, 1.5)) for _ in range(5_000)]
    counts = [0] * histogram.BUCKETS
    for nanoseconds in times:
        histogram.add(counts, 0, nanoseconds)

    exact = percentile(times, percent)

    assert exact <= histogram.percentile_ns(counts, percent) <= exact * 129 / 128


def test_a_window_is_the_difference_of_two_readings():
    counts = [0] * histogram.BUCKETS
    histogram.add(counts, 0, 1_000)
    before = list(counts)
    histogram.add(counts, 0, 5)

    window = histogram.between(before, counts)

    assert sum(window) == 1
    assert histogram.percentile_ns(window, 100) == 5
    assert histogram.added([window, window])[5] == 2


def test_nothing_came_in():
    assert histogram.percentile_ns([0] * histogram.BUCKETS, 50) == 0
    assert histogram.added([]) == []


def test_the_mean_is_that_of_the_times_within_a_bucket():
    chance = random.Random(6)
    times = [int(chance.lognormvariate(12, 1)) for _ in range(5_000)]
    counts = [0] * histogram.BUCKETS
    for nanoseconds in times:
        histogram.add(counts, 0, nanoseconds)

    exact = sum(times) / len(times)

    assert abs(histogram.mean_ns(counts) - exact) < exact / 256
    assert histogram.mean_ns([0] * histogram.BUCKETS) == 0
