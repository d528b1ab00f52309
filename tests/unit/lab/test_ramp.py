"""A ramp finds a falling server's peak and a slowing one's limit, and says when none was reached."""

from __future__ import annotations

import math

import pytest

from penstock.lab.load.ramp import Ramp, Step


def run(ramp: Ramp, server) -> list[int]:
    tried = []
    while (x := ramp.following()) is not None:
        ramp.add(server(x))
        tried.append(x)
        assert len(tried) < 60
    return tried


def falling(x: int, single: float = 100.0, contention: float = 0.02, coherency: float = 0.002) -> Step:
    rate = single * x / (1 + contention * (x - 1) + coherency * x * (x - 1))
    return Step(x, rate, x / rate)


def test_the_peak_of_a_falling_server_is_found():
    ramp = Ramp(1, 200)
    tried = run(ramp, falling)

    known = math.sqrt((1 - 0.02) / 0.002)
    assert abs(ramp.best.x - known) <= 2
    assert ramp.best.rate >= 0.999 * falling(round(known)).rate
    assert max(tried) < 200
    assert ramp.why == "rate_falls"
    assert not ramp.still_rising


@pytest.mark.parametrize("workers", [1, 4, 16])
def test_the_knee_of_a_server_with_workers_is_their_number(workers):
    ramp = Ramp(1, 64)
    run(ramp, lambda x: Step(x, 20.0 * min(x, workers), max(x, workers) / (20.0 * workers)))

    assert ramp.knee == workers


def test_the_limit_of_a_server_that_slows_down_is_found_within_two_percent():
    ramp = Ramp(1, 4000, stop=("response_over_1s", "pace_below_90"), refined_max=12)
    run(ramp, lambda x: Step(x, min(x, 777.0), 0.01 if x <= 777 else 2.0, offered=float(x)))

    assert 777 * 0.98 <= ramp.best.x <= 777
    assert ramp.why == "response_over_1s"


def test_one_bad_step_does_not_end_a_climb():
    ramp = Ramp(1, 16)
    tried = run(ramp, lambda x: Step(x, 10.0 * x * (0.5 if x == 4 else 1.0)))

    assert tried == [1, 2, 3, 4, 6, 8, 12, 16]
    assert ramp.still_rising


def test_applications_that_miss_their_pace_end_it_too():
    ramp = Ramp(250, 4000, stop=("pace_below_90",), successive=1, refined_max=0)
    tried = run(ramp, lambda x: Step(x, min(x, 600.0), offered=float(x)))

    assert tried == [250, 500, 1000]
    assert ramp.best.x == 500


def test_a_ramp_is_a_function_of_its_steps():
    first = Ramp(1, 200)
    tried = run(first, falling)
    again = Ramp(1, 200, steps=[falling(x) for x in tried[:4]])

    assert run(again, falling) == tried[4:]


def test_a_first_step_beyond_the_bound_tries_the_bound():
    assert Ramp(100, 50).following() == 50


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="no stop rule is called hope"):
        Ramp(1, 2, stop=("hope",))
