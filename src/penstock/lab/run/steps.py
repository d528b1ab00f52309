"""The steps of a run: the points of a test in their rounds, and the ramps, which depend on earlier steps.

A step's id is made of everything that determines it, so a resumed run knows which steps it has
done. No clock and no I/O here.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.lab.load.ramp import Ramp
from penstock.lab.load.ramp import Step as RampStep

if TYPE_CHECKING:
    from collections.abc import Generator

    from penstock.lab.catalogue.test_file import Test
    from penstock.lab.run.tiers import Tier

CLIMB, CONFIRM, POINT = "climb", "confirm", "point"  # only points and confirmations are published
NEIGHBOURS = 1  # steps on each side of the best that are confirmed too


@dataclass(frozen=True)
class Step:
    """One window: a test at one point, for one time."""

    test: Test
    point: dict[str, Any]
    round: int
    kind: str
    load: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "load", {**self.test.load, **self.point})

    @property
    def x(self) -> Any:
        return self.load.get(self.test.x_name)

    @property
    def variant(self) -> dict[str, Any]:
        """What this point changes beside x."""
        return {key: value for key, value in self.point.items() if key != self.test.x_name}

    def identity(self, tier: Tier, commit: str) -> str:
        """Return the step's id."""
        decided = [
            msgspec.to_builtins(self.test),
            self.point,
            self.round,
            self.kind,
            tier.window_s,
            tier.warm_s,
            commit,
        ]
        text = json.dumps(decided, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


Outcome = RampStep | None  # the result of a step, as far as a ramp needs it; None if it failed


def steps_of(test: Test, tier: Tier) -> Generator[Step, Outcome, None]:
    """Yield the steps of a test; send what each one brought."""
    if not tier.climbs:
        for number in range(tier.rounds):
            yield Step(test, test.smoke_point, number, POINT)
    elif test.ramp is None:
        for number in range(tier.rounds):
            points = test.points or ({},)
            for point in points if number % 2 == 0 else reversed(points):
                yield Step(test, point, number, POINT)
    else:
        yield from _climb(test, tier)


def _climb(test: Test, tier: Tier) -> Generator[Step, Outcome, None]:
    plan = test.ramp
    assert plan is not None
    ramp = Ramp(plan.first, plan.last, stop=plan.stop, refined_max=tier.refined_max)
    while (x := ramp.following()) is not None:
        outcome = yield Step(test, {plan.over: x}, 0, CLIMB)
        if outcome is None:
            break
        ramp.add(RampStep(x, outcome.rate, outcome.response_s, outcome.offered))
    if not ramp.steps:
        return
    tried = sorted({step.x for step in ramp.steps})
    place = tried.index(ramp.best.x)
    chosen = tried[max(0, place - NEIGHBOURS) : place + NEIGHBOURS + 1]
    for number in range(tier.rounds):
        for x in chosen if number % 2 == 0 else reversed(chosen):
            yield Step(test, {plan.over: x}, number, CONFIRM)


def planned(test: Test, tier: Tier) -> int:
    """Return how many steps a test has, about."""
    if not tier.climbs:
        return tier.rounds
    if test.ramp is None:
        return tier.rounds * max(1, len(test.points))
    climbing = len(Ramp(test.ramp.first, test.ramp.last)._numbers())
    return climbing + tier.refined_max + tier.rounds * (2 * NEIGHBOURS + 1)
