"""Looks at a running queue manager and gives the advice that applies, with the measurement that supports it.

Advice whose tests were measured on this machine comes first. Nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.lab.advisor.rules import Rule, rules
from penstock.lab.advisor.signs import Said
from penstock.lab.analysis.curves import Point, curves, peak
from penstock.lab.report.numbers import number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.lab.advisor.facts import Facts

# what a test measures that has no rate, the first one that exists
FIGURES = {
    "seconds": "s",
    "connect_us": "us a connect",
    "subscribe_us": "us a subscription",
    "mb_a_second": "MB/s",
    "growing_puts_a_second": "puts/s while it grows",
    "put_us": "us a put",
    "cpu_us_a_minute": "us a minute",
    "messages": "messages",
    "kb_a_connection": "KB a connection",
    "server_kb": "KB",
}
DESIGN = "a matter of design: nothing of a queue manager shows it"


class Advice(NamedTuple):
    """One piece of advice for this queue manager; `now` is "" where it does not apply."""

    ids: str
    setting: str
    now: str
    advice: str
    change: str
    why: str


def advise(facts: Facts, rows: Sequence[dict[str, Any]] = (), *, everything: bool = False) -> list[Advice]:
    """Return the advice that applies, or with `everything` all rules; what was measured here comes first."""
    points = curves(rows)
    found = []
    for rule in rules():
        said = rule.applies(facts)
        if said is not None or everything:
            found.append(_advice(rule, said or Said("", rule.here if rule.seen else ""), points))
    return sorted(found, key=lambda each: (not each.now, not each.why.startswith("measured")))


def measured(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return the advice that two or more measured tests show: setting, what the report says, figures here."""
    points = curves(rows)
    found = []
    for rule in rules():
        told = _figures(rule, points)
        if len(told) > 1:
            found.append([rule.setting, f"{rule.condition}: {rule.advice}", ", ".join(told)])
    return found


def _advice(rule: Rule, said: Said, points: Mapping[str, Sequence[Point]]) -> Advice:
    about = f"{rule.condition}: {rule.advice}"
    if not rule.seen:
        about += f" ({rule.here or DESIGN})"
    return Advice(rule.ids, rule.setting, said.now, about, said.change, _why(rule, points))


def _why(rule: Rule, points: Mapping[str, Sequence[Point]]) -> str:
    """Quote the figures of this machine, or name the tests that would give them."""
    if not rule.tests:
        return "no test measures it"
    told = _figures(rule, points)
    if told:
        return f"measured here: {', '.join(told)}"
    return f"not measured here: `penstock lab run {' '.join(rule.tests)}`"


def _figures(rule: Rule, points: Mapping[str, Sequence[Point]]) -> list[str]:
    return [f"{name} {text}" for name in rule.tests if (text := _figure(points.get(name, ())))]


def _figure(points: Sequence[Point]) -> str:
    """Return the peak of a test, or the first of its other figures at its last point."""
    best = peak(points)
    if best is not None:
        return f"{number(best.rate.middle)}/s"
    for name, unit in FIGURES.items():
        value = points[-1].median(name) if points else None
        if value is not None:
            return f"{number(value)} {unit}"
    return ""
