"""Which steps a run does, in which order; a run that is taken up again does what is left, once."""

from __future__ import annotations

import pytest

from penstock.lab.catalogue import catalogue
from penstock.lab.load.ramp import Step as Outcome
from penstock.lab.run.steps import steps_of
from penstock.lab.run.tiers import FULL, SMOKE, STANDARD


def played(test, tier, brought):
    steps, generator = [], steps_of(test, tier)
    step = next(generator, None)
    while step is not None:
        steps.append(step)
        try:
            step = generator.send(brought(step))
        except StopIteration:
            step = None
    return steps


def rising_to(peak):
    return lambda step: Outcome(step.x, 100.0 * min(step.x, peak) - max(0, step.x - peak) * 20, 0.001)


def test_a_smoke_run_has_one_point():
    (step,) = played(catalogue()["clnp1"], SMOKE, rising_to(4))

    assert step.point == {"applications": 4}


def test_points_are_repeated_in_alternating_order():
    steps = played(catalogue()["trivial"], STANDARD, lambda step: None)

    assert len(steps) == 25
    assert [step.x for step in steps[:5]] == [1024, 4096, 16384, 65536, 1024]
    assert [step.x for step in steps[5:10]] == [1024, 65536, 16384, 4096, 1024]
    assert steps[4].variant == {"persistent": True}


def test_a_ramp_climbs_then_confirms_its_peak_and_neighbours():
    steps = played(catalogue()["clnp1"], FULL, rising_to(8))
    confirmed = [step for step in steps if step.kind == "confirm"]

    assert {step.kind for step in steps} == {"climb", "confirm"}
    assert 8 in {step.x for step in confirmed}
    assert len(confirmed) == 8 * 3


def test_a_failed_step_ends_a_ramp_and_what_was_found_is_confirmed():
    steps = played(catalogue()["clnp1"], STANDARD, lambda step: None if step.x > 2 else rising_to(8)(step))

    assert {step.x for step in steps if step.kind == "confirm"} == {1, 2}


@pytest.mark.parametrize("change", ["round", "point", "commit", "window"])
def test_every_step_has_its_own_identity(change):
    first, second = played(catalogue()["trivial"], STANDARD, lambda step: None)[:2]
    tier = STANDARD.changed(None, 2.0) if change == "window" else STANDARD

    assert first.identity(STANDARD, "abc") == first.identity(STANDARD, "abc")
    if change == "point":
        assert first.identity(STANDARD, "abc") != second.identity(STANDARD, "abc")
    elif change != "round":
        assert first.identity(STANDARD, "abc") != first.identity(tier, "abd" if change == "commit" else "abc")
