"""Which number of applications comes next, and where the peak or the limit is. No clock here.

A ramp climbs until a stop rule holds in successive steps, then looks between the neighbours of the best step
(for a peak), or between the last good and the first bad one (for a limit). It is a function of the finished
steps, so a run that was stopped continues where it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SMALL = (1, 2, 3, 4, 6, 8, 12, 16)  # the climb up to here; doubled beyond
FALLEN = 0.94  # of the best rate: more applications bring less
KEPT = 0.9  # of the offered rate: less, and applications wait for replies instead of for their time
RESPONSE_SECONDS_MAX = 1.0
SUCCESSIVE = 2  # steps that must agree before a ramp stops
REFINED_MAX = 5
LIMIT_NEAR = 0.02
KNEE = 0.97
RULES = ("rate_falls", "response_over_1s", "pace_below_90")


@dataclass(frozen=True, slots=True)
class Step:
    """What one number of applications brought; `offered` is the intended rate of rated ones."""

    x: int
    rate: float
    response_s: float = 0.0
    offered: float = 0.0


@dataclass
class Ramp:
    """Rising numbers of applications until a stop rule applies."""

    first: int
    last: int
    stop: tuple[str, ...] = ("rate_falls", "response_over_1s")
    successive: int = SUCCESSIVE
    refined_max: int = REFINED_MAX
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        unknown = set(self.stop) - set(RULES)
        if unknown:
            raise ValueError(
                f"no stop rule is called {', '.join(sorted(unknown))}; there are {', '.join(RULES)}"
            )

    def add(self, step: Step) -> None:
        """Record the result of a step."""
        self.steps.append(step)

    def following(self) -> int | None:
        """Return the next number of applications, or None when the ramp is over."""
        climbed = self._climbed()
        if climbed is not None:
            return climbed
        return self._refined() if len(self._beyond_climb()) < self.refined_max else None

    def broken(self, step: Step) -> str:
        """Return the rule that a step breaks, or ""."""
        best = max((each.rate for each in self.steps if each.x < step.x), default=0.0)
        if "rate_falls" in self.stop and step.rate < FALLEN * best:
            return "rate_falls"
        if "response_over_1s" in self.stop and step.response_s > RESPONSE_SECONDS_MAX:
            return "response_over_1s"
        if "pace_below_90" in self.stop and step.rate < KEPT * step.offered:
            return "pace_below_90"
        return ""

    @property
    def best(self) -> Step:
        """The step with the highest rate among those that break no limit."""
        good = [step for step in self.steps if self.broken(step) in ("", "rate_falls")]
        return max(good or self.steps, key=lambda step: step.rate)

    @property
    def knee(self) -> int:
        """The fewest applications that bring 97 % of the best rate."""
        return min(step.x for step in self.steps if step.rate >= KNEE * self.best.rate)

    @property
    def still_rising(self) -> bool:
        """Whether the last number that was allowed was the best: no peak was reached."""
        return self.best.x == max(step.x for step in self.steps) and not self.broken(self.best)

    @property
    def why(self) -> str:
        """Which rule ended the climb, or "last"."""
        rules = [rule for step in sorted(self.steps, key=lambda step: step.x) if (rule := self.broken(step))]
        return rules[0] if rules else "last"

    def _numbers(self) -> list[int]:
        numbers = [number for number in SMALL if number >= self.first] or [self.first]
        if numbers[0] != self.first:
            numbers.insert(0, self.first)
        while numbers[-1] < self.last:
            numbers.append(numbers[-1] * 2)
        kept = [number for number in numbers if number < self.last]
        return [*kept, self.last] if self.last >= self.first else [self.last]

    def _climbed(self) -> int | None:
        done = {step.x: step for step in self.steps}
        bad = 0
        for number in self._numbers():
            if number not in done:
                return None if bad >= self.successive else number
            bad = bad + 1 if self.broken(done[number]) else 0
            if bad >= self.successive:
                return None
        return None

    def _beyond_climb(self) -> list[Step]:
        numbers = set(self._numbers())
        return [step for step in self.steps if step.x not in numbers]

    def _refined(self) -> int | None:
        limit = [step.x for step in self.steps if self.broken(step) in ("response_over_1s", "pace_below_90")]
        return self._below(min(limit)) if limit else self._beside_peak()

    def _below(self, bad: int) -> int | None:
        good = max((step.x for step in self.steps if step.x < bad and not self.broken(step)), default=0)
        if good == 0 or bad - good <= max(1, round(LIMIT_NEAR * bad)):
            return None
        return (good + bad) // 2

    def _beside_peak(self) -> int | None:
        if self.still_rising:
            return None
        tried = sorted(step.x for step in self.steps)
        place = tried.index(self.best.x)
        gaps = [
            (tried[number + 1] - tried[number], (tried[number] + tried[number + 1]) // 2)
            for number in (place - 1, place)
            if 0 <= number < len(tried) - 1
        ]
        widest, middle = max(gaps, default=(0, 0))
        return middle if widest > 1 else None
