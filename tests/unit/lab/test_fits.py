"""Fits recover known slopes, breaks and scaling from noisy points; straight points have no break."""

from __future__ import annotations

import random

import pytest

from penstock.lab.analysis.fits import broken_line, line, scalability

XS = [1, 2, 4, 8, 16, 32, 44, 48, 52, 64, 96, 128]


def noisy(values, chance, share=0.03):
    return [value * (1 + chance.gauss(0, share)) for value in values]


def test_a_known_slope_is_found_within_five_percent():
    found = line(XS, noisy([21.4 + 4.7 * x for x in XS], random.Random(1)))

    assert found.slope == pytest.approx(4.7, rel=0.05)
    assert found.theil_sen == pytest.approx(4.7, rel=0.05)
    assert not found.has_outlier


def test_intervals_cover_the_slope_as_often_as_they_say():
    chance, covered = random.Random(2), 0
    for _ in range(1000):
        found = line(XS, [10 + 2 * x + chance.gauss(0, 3) for x in XS])
        covered += found.slope_low <= 2 <= found.slope_high

    assert 850 <= covered <= 950


def test_an_outlier_shows_in_the_difference_of_two_slopes():
    ys = [10.0 + 2 * x for x in XS]
    ys[-1] *= 3

    assert line(XS, ys).has_outlier


def test_a_break_is_found_where_it_is():
    ys = [21.4 + 4.7 * x + 4.8 * max(0, x - 48) for x in XS]
    found = broken_line(XS, noisy(ys, random.Random(3), 0.01))

    assert found.at_x in (44, 48, 52)
    assert found.below.slope == pytest.approx(4.7, rel=0.1)
    assert found.above is not None
    assert found.above.slope == pytest.approx(9.5, rel=0.1)


def test_straight_points_have_no_break():
    chance = random.Random(4)
    breaks = sum(
        broken_line(XS, [20 + 5 * x + chance.gauss(0, 5) for x in XS]).at_x is not None for _ in range(300)
    )

    assert breaks <= 15


def test_too_few_points_make_no_fit():
    with pytest.raises(ValueError, match="4 values of x are not enough"):
        line([1, 2, 3, 4], [1, 2, 3, 4])


def test_the_scalability_law_is_recovered():
    copies = [1, 2, 4, 8, 16, 32]
    rates = [100 * n / (1 + 0.05 * (n - 1) + 0.003 * n * (n - 1)) for n in copies]
    found = scalability(copies, noisy(rates, random.Random(5), 0.01))

    assert found.single == pytest.approx(100, rel=0.05)
    assert found.contention == pytest.approx(0.05, abs=0.02)
    assert found.best == pytest.approx((0.95 / 0.003) ** 0.5, rel=0.1)


def test_what_scales_perfectly_has_no_contention():
    found = scalability([1, 2, 4, 8], [68.0, 150.0, 310.0, 640.0])  # each copy a little better than its share

    assert (found.contention, found.coherency) == (0.0, 0.0)
    assert found.best is None
