"""Two sets of rounds: what chance alone makes of them is known exactly, and 6 % is the rule."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from penstock.lab.analysis.comparison import Change, compare, hodges_lehmann, mann_whitney, threshold


def rounds(chance, level, count=8, noise=0.03):
    return [level * (1 + chance.gauss(0, noise)) for _ in range(count)]


def test_the_exact_probability_is_that_of_counting_all_orders():
    before, after = [1.0, 2.0, 3.0, 7.0], [4.0, 5.0, 6.0, 8.0, 9.0]
    u = sum(b > a for a in before for b in after)
    everything = before + after
    extreme = total = 0
    for chosen in combinations(range(9), 4):
        first = [everything[place] for place in chosen]
        second = [everything[place] for place in range(9) if place not in chosen]
        other = sum(b > a for a in first for b in second)
        total += 1
        extreme += min(other, 20 - other) <= min(u, 20 - u)

    assert mann_whitney(before, after) == pytest.approx(extreme / total)
    assert mann_whitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(0.0079, abs=0.0001)


def test_two_equal_sets_raise_few_false_alarms():
    chance = random.Random(1)
    alarms = sum(
        compare(rounds(chance, 100), rounds(chance, 100), more_is_better=True).change
        in (Change.SLOWER, Change.FASTER)
        for _ in range(1000)
    )

    assert alarms <= 50


def test_ten_percent_are_found_and_three_percent_are_none():
    chance = random.Random(2)
    found = [
        compare(rounds(chance, 100), rounds(chance, 112), more_is_better=True).change for _ in range(300)
    ]
    small = [
        compare(rounds(chance, 100, noise=0.01), rounds(chance, 103, noise=0.01), more_is_better=True).change
        for _ in range(300)
    ]

    assert found.count(Change.FASTER) >= 270
    assert not {Change.FASTER, Change.SLOWER} & set(small)


def test_slower_is_by_the_meaning_of_the_figure():
    fast, slow = [100.0 + n for n in range(8)], [150.0 + n for n in range(8)]

    assert compare(fast, slow, more_is_better=True).change is Change.FASTER
    assert compare(fast, slow, more_is_better=False).change is Change.SLOWER
    assert compare(slow, fast, more_is_better=True).change is Change.SLOWER
    assert compare(fast, fast, more_is_better=True).change is Change.SAME


def test_too_few_rounds_never_say_that_nothing_changed():
    assert compare([100.0] * 4, [100.0] * 4, more_is_better=True).change is Change.UNCLEAR


def test_the_interval_of_the_ratio_covers_it_as_often_as_it_says():
    chance, covered = random.Random(3), 0
    for _ in range(500):
        _, low, high = hodges_lehmann(rounds(chance, 100), rounds(chance, 110))
        covered += low <= 1.1 <= high

    assert covered >= 440


def test_among_many_tests_the_threshold_is_lower():
    assert threshold({"a": 0.001, "b": 0.2, "c": 0.6, "d": 0.9}) == 0.001
    assert threshold({"a": 0.04, "b": 0.2, "c": 0.6, "d": 0.9}) == 0.0
