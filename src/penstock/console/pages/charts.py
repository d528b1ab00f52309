"""Statistics: depth and rates of queues over hours and days, from samples on disk: chart, table, CSV."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock.console.authority import is_administrator
from penstock.console.formatting import moment, number
from penstock.console.history import COARSE_SECONDS, FINE_SECONDS
from penstock.console.people import RUNNING, queue_managers
from penstock.console.visit import Download, Page, command
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.console.history import Chart, History
    from penstock.console.visit import Visit

SERIES_MAX = 6
HOURS = {1: "1 hour", 6: "6 hours", 24: "24 hours", 48: "2 days", 168: "7 days", 720: "30 days"}
FIELDS = {"depth": "messages on the queue", "put": "messages in per second", "get": "messages out per second"}
TABLE_ROWS = 60
WIDTH, HEIGHT, LEFT, BOTTOM = 900, 300, 64, 24
ALL = "all queues"


def charts(visit: Visit) -> Page | Download:
    """Return the page, or its points as CSV."""
    qmgr, hours, field = visit.qmgr_name(), visit.number("hours", 6), visit.text("field", "depth")
    disk = visit.world.sampler.disk
    if hours not in HOURS or field not in FIELDS or disk is None:
        raise error(
            mq.MQRC_OPTIONS_ERROR,
            f"hours is one of {', '.join(map(str, HOURS))}, field one of depth, put, get",
        )
    shown = _displayed(visit, qmgr, disk)
    asked = [each.strip() for each in visit.text("queues").split(",") if each.strip()]
    for each in asked:
        if each not in shown:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME, f"there is no local queue {each[:60]} that you may display"
            )
    now = time.time()
    names = asked[:SERIES_MAX] or [""]
    found = {name or ALL: disk.chart(qmgr, name, now - hours * 3600, now) for name in names}
    lines = {name: getattr(each, field) for name, each in found.items()}
    first = next(iter(found.values()))
    if visit.text("as") == "csv":
        return Download(f"{qmgr}-{field}.csv", csv_of(first, lines), "text/csv")
    data: dict[str, Any] = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "queues": ", ".join(asked),
        "names": [each for each in shown if not each.startswith("SYSTEM.")][:1000],
        "hours": hours,
        "spans": HOURS,
        "field": field,
        "fields": FIELDS,
        "left_out": len(asked[SERIES_MAX:]),
        "picture": drawing(first, lines, field, hours),
        "legend": [_legend(place, name, values) for place, (name, values) in enumerate(lines.items(), 1)],
        "table": _table(first, lines),
        "step": "minute" if first.step == 60 else "10 minutes",
        "first": disk.first(qmgr),
        "retention": retention(disk.bytes_max),
        "csv": visit.link(**{"as": "csv"}),
    }
    visit.shape += [str(first.begins)]
    return Page("charts.html", "Statistics", data, command("top", "-m", qmgr))


def _displayed(visit: Visit, qmgr: str, disk: History) -> list[str]:
    """Return the queues that the person may display; for administrators also of one that does not run."""
    if queue_managers()[qmgr] != RUNNING and is_administrator(visit.session.user):
        return disk.queues(qmgr)
    return [row.queue for row in visit.queues(qmgr)]


def retention(bytes_max: int) -> str:
    """Return what is kept, as the chart's text."""
    return (
        f"Kept on disk: a point per minute for {FINE_SECONDS // 3600} hours, one per 10 minutes for "
        f"{COARSE_SECONDS // 86400} days, at most {bytes_max >> 20} MB, the oldest go first."
    )


def drawing(chart: Chart, lines: dict[str, list[float]], field: str, hours: int) -> dict[str, Any]:
    """Return the parts of the picture: a grid with its labels, gaps, one path per queue."""
    known = [value for values in lines.values() for value in values if not math.isnan(value)]
    highest = rounded_up(max(known, default=0.0))
    count = max(2, len(chart.depth))
    across = (WIDTH - LEFT) / (count - 1)
    up = (HEIGHT - BOTTOM - 8) / highest
    rows = [(HEIGHT - BOTTOM - highest * part / 4 * up, _short(highest * part / 4)) for part in range(5)]
    times = chart.times()
    columns = [
        (LEFT + place * across, _clock(times[place], hours))
        for place in range(0, count - 1, max(1, count // 6))
        if place < len(times)
    ]
    paths = [_path(values, across, up) for values in lines.values()]
    label = f"{FIELDS[field]}, last {HOURS[hours]}: " + (
        f"highest {number(max(known))}" if known else "no samples"
    )
    return {"rows": rows, "columns": columns, "paths": paths, "gaps": _gaps(lines, across), "label": label}


def _path(values: list[float], across: float, up: float) -> str:
    parts, pen = [], "M"
    for place, value in enumerate(values):
        if math.isnan(value):
            pen = "M"
            continue
        x, y = LEFT + place * across, HEIGHT - BOTTOM - value * up
        lone = pen == "M" and (place + 1 == len(values) or math.isnan(values[place + 1]))
        parts.append(f"{pen}{x:.1f} {y:.1f}" + ("h1.5" if lone else ""))
        pen = "L"
    return "".join(parts)


def _gaps(lines: dict[str, list[float]], across: float) -> list[tuple[float, float]]:
    """Return where no queue has a sample: (x, width)."""
    found: list[tuple[float, float]] = []
    begun = None
    empty = [all(math.isnan(value) for value in values) for values in zip(*lines.values(), strict=True)]
    for place, is_gap in enumerate([*empty, False]):
        if is_gap and begun is None:
            begun = place
        elif not is_gap and begun is not None:
            left, right = max(0, begun - 1), min(place, len(empty) - 1)
            found.append((LEFT + left * across, (right - left) * across))
            begun = None
    return found


def rounded_up(value: float) -> float:
    """Return the next of 1, 2, 4, 8, 10 times a power of ten.

    >>> rounded_up(0), rounded_up(37), rounded_up(8001)
    (4.0, 40.0, 10000.0)
    """
    if value <= 0:
        return 4.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 8, 10) if value <= power * factor)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _clock(at: int, hours: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M" if hours <= 24 else "%d %b %H:%M")


def _legend(place: int, name: str, values: list[float]) -> dict[str, Any]:
    known = [value for value in values if not math.isnan(value)]
    facts = f"now {_short(known[-1])}, highest {_short(max(known))}" if known else "no samples"
    return {"place": place, "name": name, "facts": facts, "is_queue": name != ALL}


def _table(chart: Chart, lines: dict[str, list[float]]) -> list[tuple[str, list[str]]]:
    """Return the newest points, the newest first; an empty text is a gap."""
    rows = list(zip(chart.times(), *lines.values(), strict=True))[-TABLE_ROWS:]
    return [
        (moment(at)[:16], ["" if math.isnan(each) else f"{each:,.6g}" for each in values])
        for at, *values in reversed(rows)
    ]


def csv_of(chart: Chart, lines: dict[str, list[float]]) -> bytes:
    """Return all points; a gap is an empty field."""
    rows = [["time", *lines]]
    for at, *values in zip(chart.times(), *lines.values(), strict=True):
        rows.append([moment(at)[:16], *("" if math.isnan(each) else f"{each:.6g}" for each in values)])
    return "".join(",".join(row) + "\n" for row in rows).encode()
