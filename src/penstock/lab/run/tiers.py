"""How long and how often: smoke for a first look, standard for a change, full for a report. No clock here."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Tier:
    """The durations of a run."""

    name: str
    rounds: int
    warm_s: float
    window_s: float
    slices: int
    climbs: bool  # whether ramps climb and sweeps sweep, or one point is enough
    refined_max: int = 0

    def changed(self, rounds: int | None, seconds: float | None) -> Tier:
        """Return this tier with other rounds or another window."""
        tier = self if rounds is None else replace(self, rounds=rounds)
        if seconds is None:
            return tier
        return replace(tier, window_s=seconds, warm_s=max(0.2, seconds / 3), slices=max(1, round(seconds)))


SMOKE = Tier("smoke", 1, 0.25, 0.6, 1, climbs=False)
STANDARD = Tier("standard", 5, 1.0, 5.0, 5, climbs=True, refined_max=2)
FULL = Tier("full", 8, 3.0, 10.0, 10, climbs=True, refined_max=5)
TIERS = {tier.name: tier for tier in (SMOKE, STANDARD, FULL)}
