"""Rated applications keep their interval and never have two requests under way; a climb ends in time."""

from __future__ import annotations

from tests.bench.pace import Climb, Pace, spread


def test_an_application_waits_since_its_last_request_not_since_the_reply():
    pace = Pace(1.0, first=10.0)

    assert pace.wait(now=9.75) == 0.25
    pace.put(10.0)

    assert pace.wait(now=10.25) == 0.75


def test_a_late_reply_is_followed_at_once_and_nothing_is_made_up_for():
    pace = Pace(1.0, first=10.0)
    pace.put(10.0)

    assert pace.wait(now=13.5) == 0.0
    pace.put(13.5)

    assert pace.wait(now=13.5) == 1.0


def test_a_paced_application_reaches_its_rate():
    pace, now, sent = Pace(0.5, first=0.0), 0.0, 0
    while now < 99.5:
        now += pace.wait(now)
        pace.put(now)
        sent += 1
        now += 0.1  # the round trip

    assert sent == 200


def test_applications_begin_spread_over_the_interval():
    starts = [pace.wait(now=100.0) for pace in spread(4, 1.0, now=100.0)]

    assert starts == [0.0, 0.25, 0.5, 0.75]


def test_a_climb_doubles_until_a_number_is_too_many():
    climb, tried = Climb(100, 10_000), []
    while climb.apps:
        tried.append(climb.apps)
        climb.went(climb.apps < 500)

    assert tried == [100, 200, 400, 800]
    assert climb.last_good == 400


def test_a_climb_ends_at_its_bound():
    climb, tried = Climb(100, 300), []
    while climb.apps:
        tried.append(climb.apps)
        climb.went(True)

    assert tried == [100, 200, 300]
    assert climb.last_good == 300


def test_a_climb_whose_first_step_is_beyond_the_bound_tries_the_bound():
    assert Climb(100, 50).apps == 50
