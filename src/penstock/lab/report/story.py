"""The contents of a report: highlights, one section per test with figures and bottleneck, the machine.

Sentences come from templates with figures and units; no adjective is used without a number. Published figures
are context and enter no ratio. No HTML here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis import fits
from penstock.lab.analysis.bottleneck import bound
from penstock.lab.analysis.curves import Peak, Point, curves, peak
from penstock.lab.catalogue import catalogue
from penstock.lab.catalogue.published import Figure, figures
from penstock.lab.catalogue.test_file import RampPlan
from penstock.lab.report import charts
from penstock.lab.report.numbers import count, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.lab.catalogue.test_file import Test

QUESTIONS = {
    "fast": "How fast?",
    "between": "How fast between queue managers?",
    "shared": "How fast with shared queues?",
    "many": "How many clients?",
    "publish": "How far does a publication go?",
    "flow": "What does a flow cost?",
    "scale": "Does it scale?",
    "cost": "What does one thing cost?",
}
HIGHLIGHTS_MAX = 8
OVERVIEW_MAX = 30  # tests in the chart of a group
OWN_RAMP = RampPlan(over="copies", first=1, last=1)  # of a flow that is no test of the catalogue
X_TITLES = {
    "applications": "applications", "bytes": "bytes of a message", "publishers": "publishers",
    "pairs": "pairs", "subscribers": "subscribers", "copies": "copies of the flow", "instances": "instances",
    "rules": "rules",
    "topics": "topics", "objects": "objects", "properties": "properties of a message",
}  # fmt: skip
COLUMNS = {
    "rate": "/s", "p50_ms": "p50 ms", "p99_ms": "p99 ms", "p999_ms": "p99.9 ms", "cpu_us": "CPU µs",
    "server_us": "server µs", "switches_each": "switches", "syncs_each": "syncs",
    "written_bytes_each": "bytes written",
    "kb_a_connection": "KB a connection",
    "kb_a_channel_end": "KB an end of a channel",
}  # fmt: skip


@dataclass
class Section:
    """The section of one test."""

    test: Test
    points: list[Point]
    peak: Peak | None
    sentences: list[str]
    charts: list[tuple[str, charts.Spec]]
    columns: list[str]
    lines: list[list[str]]
    published: list[Figure]
    note: str = ""


@dataclass
class Story:
    """A whole report."""

    title: str
    runs: list[dict[str, Any]]
    highlights: list[tuple[str, str, str]]
    groups: dict[str, list[Section]]
    overviews: dict[str, charts.Spec]
    not_run: dict[str, str]
    regression: str = ""
    changes: list[list[str]] = field(default_factory=list)
    advice: list[tuple[str, str]] = field(default_factory=list)
    report_advice: list[list[str]] = field(default_factory=list)
    targets: list[list[str]] = field(default_factory=list)
    peers: list[list[str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)


def story(about: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]], title: str) -> Story:
    """Make a report's story of the figures of runs; the same test in several runs is one section."""
    cores = int(about[0]["sittings"][0]["machine"]["cores"])
    found = curves(rows)
    known = catalogue()
    sections = [section(_test(name, known), points, cores) for name, points in found.items()]
    groups = {key: [each for each in sections if group_of(each.test) == key] for key in QUESTIONS}
    groups = {key: some for key, some in groups.items() if some}
    not_run: dict[str, str] = {}
    for each in about:
        not_run |= each.get("not_run", {})
    failed = [
        (row["test"], row["why"].strip().splitlines()[-1])
        for row in rows
        if row["state"] == "failed" and row["why"].strip()
    ]
    return Story(
        title,
        list(about),
        _highlights(sections),
        groups,
        {key: spec for key, some in groups.items() if (spec := _overview(some)) is not None},
        not_run,
        failed=sorted(set(failed)),
    )


def _test(name: str, known: Any) -> Test:
    from penstock.lab.catalogue.test_file import Test

    if name in known:
        test: Test = known[name]
        return test
    what, load = "a load of your own", {"work": "flow"}
    return Test(test=name, title=name, seed="own", section="", what=what, load=load, ramp=OWN_RAMP)


def group_of(test: Test) -> str:
    """Return the question that a test answers."""
    if test.work in ("verbs", "event"):
        return "cost"
    if test.work == "publish":
        return "publish"
    if test.work == "flow":
        scaled = {"instances", "copies"} & (test.load.keys() | {test.x_name})
        return "scale" if scaled else "flow"
    if test.work == "connections" or ("pace" in test.load and "every_s" in test.load["pace"]):
        return "many"
    return {"distributed": "between", "cluster": "between", "group": "shared"}.get(
        str(test.load.get("via")), "fast"
    )


def section(test: Test, points: list[Point], cores: int) -> Section:
    """Return the section of one test."""
    best = peak(points)
    made = Section(test, points, best, [], [], [], [], figures(test), test.note)
    x_title = X_TITLES.get(test.x_name, test.x_name)
    if best is not None:
        made.sentences += [_peak_sentence(test, best), bound(best.point, cores)]
        unit = f"{best.point.rows[0]['unit']}/s"
        _chart(made, "Rate", charts.curve(points, "rate", x_title, unit, made.published))
        _chart(made, "Response", charts.responses(points, x_title))
        if test.x_name in ("bytes", "subscribers", "copies", "instances"):
            _chart(made, "Processor time", charts.curve(points, "cpu_us", x_title, "µs for each"))
    else:
        for metric in _facts(points):
            _chart(
                made,
                metric.replace("_", " "),
                charts.curve(points, metric, x_title, metric.replace("_", " ")),
            )
    made.sentences += _fit_sentences(test, points)
    made.sentences = [each for each in made.sentences if each]
    made.columns, made.lines = _table(test, points, best is not None)
    return made


def _chart(made: Section, title: str, spec: charts.Spec | None) -> None:
    if spec is not None:
        made.charts.append((title, spec))


def _peak_sentence(test: Test, best: Peak) -> str:
    unit = best.point.rows[0]["unit"]
    title = X_TITLES.get(test.x_name, test.x_name)
    title = _singular(title) if best.point.x == 1 else title
    where = f" at {number(best.point.x)} {title}" if best.point.x is not None else ""
    spread = (
        f" (90 % interval {number(best.rate.low)} to {number(best.rate.high)})" if best.rate.trusted else ""
    )
    text = f"{number(best.rate.middle)} {unit} a second{where}{spread}"
    p50, p99 = best.point.median("p50_ms"), best.point.median("p99_ms")
    if p50 is not None and p99 is not None and test.work != "publish":
        text += f"; response {number(p50)} ms in the median, {number(p99)} ms at 99 %"
    if best.still_rising:
        text += "; still rising at the last step, so this is no peak"
    elif best.knee is not None and best.point.x is not None and best.knee < best.point.x:
        text += f"; {number(best.knee)} are enough for 97 % of it"
    return f"{text}."


def _facts(points: Sequence[Point]) -> list[str]:
    names = {
        name
        for point in points
        for row in point.rows
        for name in row
        if name.endswith(("_us", "_kb", "_mb", "_bytes", "seconds"))
    }
    measured = [name for name in sorted(names) if any(point.values(name) for point in points)]
    return [name for name in measured if not name.startswith(("cpu", "server_us", "load", "log"))][:2]


def _fit_sentences(test: Test, points: Sequence[Point]) -> list[str]:
    if test.fit is None:
        return []
    variant = points[0].variant
    pairs = [
        (float(x), y)
        for point in points
        if point.variant == variant
        and (x := point.median(test.fit.x) if test.fit.x == "kilobytes" else point.x) is not None
        and (y := point.median(test.fit.y)) is not None
    ]
    if len({x for x, _ in pairs}) < fits.POINTS_MIN:
        return []
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    what, each = test.fit.y.replace("_us", " µs").replace("_", " "), _singular(test.fit.x)
    if test.fit.kind == "line":
        found = fits.line(xs, ys)
        told = f"{what}: {number(found.intercept)} and {number(found.slope)} for each {each}"
        ends = f"90 % interval {number(found.slope_low)} to {number(found.slope_high)}"
        return [f"{told} ({ends}), measured from {number(min(xs))} to {number(max(xs))}."]
    broken = fits.broken_line(xs, ys)
    told = f"{what}: {number(broken.below.intercept)} and {number(broken.below.slope)} for each {each}"
    if broken.at_x is None or broken.above is None:
        return [f"{told}; no step was found from {number(min(xs))} to {number(max(xs))}."]
    return [f"{told} up to {number(broken.at_x)}, {number(broken.above.slope)} beyond."]


def _singular(name: str) -> str:
    return {"kilobytes": "KB", "properties": "property"}.get(name, name.removesuffix("s"))


def _table(test: Test, points: Sequence[Point], rated: bool) -> tuple[list[str], list[list[str]]]:
    wanted = (
        list(COLUMNS)
        if rated
        else _facts(points)
        + [name for name in ("put_us", "get_us", "commit_us", "first_row_ms") if name not in _facts(points)]
    )
    shown = [name for name in wanted if any(point.values(name) for point in points)]
    head = [
        X_TITLES.get(test.x_name, test.x_name) or "",
        *(COLUMNS.get(name, name.replace("_", " ")) for name in shown),
        "rounds",
    ]
    lines = []
    for point in points:
        x = number(point.x) if point.x is not None else ""
        first = f"{x} {point.variant}".strip()
        lines.append([first, *(_cell(point, name) for name in shown), count(len(point.rows))])
    return head, lines


def _cell(point: Point, name: str) -> str:
    found = point.median(name)
    return "" if found is None else number(found)


def _highlights(sections: Sequence[Section]) -> list[tuple[str, str, str]]:
    """Return the best figures: value, what it is, what bounded it."""
    order = ("local_np1_trusted", "clnp1", "clpm3", "local_pm3", "trivial", "compute_very_complex",
             "fanout_local_np", "dqnp1", "sq_np_nosync_2K", "clnp1_r3600_runmqlsr", "local_np1",
             "p2p_local_np")  # fmt: skip
    by_name = {each.test.test: each for each in sections if each.peak is not None}
    chosen = [by_name[name] for name in order if name in by_name]
    chosen += [each for each in by_name.values() if each not in chosen]
    found = []
    for each in chosen[:HIGHLIGHTS_MAX]:
        assert each.peak is not None
        unit = each.peak.point.rows[0]["unit"]
        cost = each.peak.point.median("cpu_us")
        told = f"{each.test.title}" + (f"; {number(cost)} µs of processor each" if cost else "")
        found.append((f"{number(each.peak.rate.middle)} {unit}/s", told, each.test.test))
    return found


def _overview(sections: Sequence[Section]) -> charts.Spec | None:
    rows: list[dict[str, Any]] = [
        {
            "name": each.test.test,
            "value": each.peak.rate.middle,
            "low": each.peak.rate.low,
            "high": each.peak.rate.high,
        }
        for each in sections
        if each.peak is not None
    ]
    units = {each.peak.point.rows[0]["unit"] for each in sections if each.peak is not None}
    if len(rows) < 2:
        return None
    rows.sort(key=lambda row: row["value"], reverse=True)
    title = f"{' or '.join(sorted(units))} a second, at the best point"
    if len(rows) > OVERVIEW_MAX:
        rows, title = rows[:OVERVIEW_MAX], f"{title}; the first {OVERVIEW_MAX} of {len(rows)}"
    return charts.bars(rows, title)
