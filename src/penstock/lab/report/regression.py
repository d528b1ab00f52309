"""What changed between two sets of runs: a verdict for each test and figure, and one sentence about all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.comparison import Change, Comparison, compare, threshold
from penstock.lab.analysis.curves import Point, curves
from penstock.lab.report.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS = {"rate": True, "cpu_us": False, "p99_ms": False, "kb_a_connection": False}  # whether more is better
DECISIVE = ("rate", "seconds", "pair_us")  # which of them makes a test slower or faster
MOVED = 0.06
Rows = list[dict[str, Any]]
Found = dict[tuple[str, str], Comparison]


def compared(before: Rows, after: Rows) -> Found:
    """Compare every test that both sets have, at the best point that they have in common."""
    first, second = curves(before), curves(after)
    pairs: dict[tuple[str, str], tuple[list[float], list[float], bool]] = {}
    for test in first.keys() & second.keys():
        common = _common(first[test], second[test])
        if common is None:
            continue
        for metric, better in _metrics(common[0]).items():
            values = common[0].values(metric), common[1].values(metric)
            if all(values) and all(min(each) > 0 for each in values):
                pairs[test, metric] = (*values, better)
    drafts = {key: compare(a, b, more_is_better=better) for key, (a, b, better) in pairs.items()}
    limit = (
        threshold({f"{test} {metric}": each.p for (test, metric), each in drafts.items()}) if drafts else 0.0
    )
    return {
        key: compare(a, b, more_is_better=better, significant=limit)
        for key, (a, b, better) in sorted(pairs.items())
    }


def _common(first: Sequence[Point], second: Sequence[Point]) -> tuple[Point, Point] | None:
    others = {(point.variant, point.x): point for point in second}
    both = [(point, others[point.variant, point.x]) for point in first if (point.variant, point.x) in others]
    return max(both, key=lambda pair: (len(pair[0].rows), pair[0].median("rate") or 0.0), default=None)


def _metrics(point: Point) -> dict[str, bool]:
    if point.median("rate") is not None:
        return METRICS
    return {
        name: False
        for name in ("seconds", "pair_us", "connect_us", "put_us", "subscribe_us")
        if point.values(name)
    }


def regression(
    before: Rows, after: Rows, about: dict[str, Any], now: dict[str, Any]
) -> tuple[str, list[list[str]]]:
    """Return the statement about all tests, and a line for each figure that is not the same."""
    found = compared(before, after)
    verdicts: dict[str, Change] = {}
    for (test, metric), each in found.items():
        if metric in DECISIVE or test not in verdicts:
            verdicts[test] = each.change
    counts = {change: sum(each is change for each in verdicts.values()) for change in Change}
    undecided = counts[Change.UNCLEAR] + counts[Change.SMALL]
    sentence = (
        f"Of {len(verdicts)} tests, {counts[Change.SAME]} are unchanged within ±6 %, "
        f"{counts[Change.FASTER]} faster, {counts[Change.SLOWER]} slower, {undecided} undecided or small."
    )
    moved = moved_floors(about, now)
    if moved:
        sentence = f"The machine changed between the runs ({moved}). {sentence}"
    lines = [
        _line(test, metric, each) for (test, metric), each in found.items() if each.change is not Change.SAME
    ]
    return sentence, lines


def moved_floors(about: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the floors that moved by more than 6 % between two runs."""
    first, second = about["sittings"][0]["floors"], now["sittings"][0]["floors"]
    told = [
        f"{name} {number(first[name])} to {number(second[name])}"
        for name in ("sync_us", "loop_ns", "loopback_us")
        if abs(second[name] / first[name] - 1) > MOVED
    ]
    return ", ".join(told)


def _line(test: str, metric: str, each: Comparison) -> list[str]:
    verdict = each.change.value
    if each.change is Change.UNCLEAR and each.rounds < 5:
        verdict = f"not enough rounds ({each.rounds}; 5 are needed)"
    spread = f"{each.low:.3f} to {each.high:.3f}"
    return [test, metric, f"{each.ratio:.3f}", spread, f"{each.p:.2g}", verdict]
