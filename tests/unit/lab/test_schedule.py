"""Intended times never move: who is late catches up, and a stall stands in all responses it delayed."""

from __future__ import annotations

from itertools import islice

import pytest

from penstock.lab.analysis.samples import percentile
from penstock.lab.load.schedule import Pace, fixed, poisson, recorded, spread


def test_an_application_waits_for_its_intended_time():
    pace = Pace(fixed(1.0, first=10.0))

    assert pace.wait(now=9.75) == 0.25
    assert pace.take() == 10.0
    assert pace.wait(now=10.25) == 0.75


def test_after_any_stall_the_intended_times_are_the_same():
    pace, now, taken = Pace(fixed(0.5, first=0.0)), 0.0, []
    for pause in (0.0, 3.7, 0.0, 0.2, 9.0):
        now += pace.wait(now) + pause
        taken.append(pace.take())

    assert taken == [0.0, 0.5, 1.0, 1.5, 2.0]


def responses(stall: float, service: float = 0.002, rate: int = 100, seconds: int = 10) -> list[float]:
    """Return the response times of one application whose server stands still once, on a clock of its own."""
    pace, now, found = Pace(fixed(1 / rate, first=0.0)), 0.0, []
    for number in range(rate * seconds):
        now += pace.wait(now)
        due = pace.take()
        now += service + (stall if number == 5 * rate else 0.0)
        found.append(now - due)
    return found


def test_a_stall_of_a_second_stands_in_the_percentiles():
    found = responses(stall=1.0)

    assert percentile(found, 50) == pytest.approx(0.002, rel=0.01)
    assert percentile(found, 90) == pytest.approx(0.21, rel=0.05)
    assert percentile(found, 95) == pytest.approx(0.61, rel=0.05)
    assert percentile(found, 99) == pytest.approx(0.93, rel=0.05)
    assert percentile(responses(stall=0.0), 99) == pytest.approx(0.002, rel=0.01)


def test_poisson_arrivals_have_their_rate_and_come_again_for_the_same_seed():
    times = list(islice(poisson(50.0, 0.0, seed=1), 20_000))

    assert times[-1] == pytest.approx(20_000 / 50, rel=0.03)
    assert times == list(islice(poisson(50.0, 0.0, seed=1), 20_000))
    assert times != list(islice(poisson(50.0, 0.0, seed=2), 20_000))


def test_a_recording_is_replayed_at_its_pace_or_faster_and_ends():
    pace = Pace(recorded([0.0, 1.0, 5.0], first=100.0, speed=2.0))

    assert [pace.take(), pace.take(), pace.take()] == [100.0, 100.5, 102.5]
    assert pace.over
    assert pace.wait(0.0) == 0.0
    with pytest.raises(ValueError, match="over"):
        pace.take()


def test_applications_begin_spread_over_the_interval():
    starts = [pace.wait(now=100.0) for pace in spread(4, 1.0, now=100.0)]

    assert starts == [0.0, 0.25, 0.5, 0.75]
