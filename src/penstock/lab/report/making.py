"""Makes a report from folders of runs: figures, story, page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.lab.advisor.advise import measured
from penstock.lab.analysis.curves import curves
from penstock.lab.report.page import Page
from penstock.lab.report.reading import figures_of
from penstock.lab.report.regression import regression
from penstock.lab.report.rendering import picture
from penstock.lab.report.story import story
from penstock.lab.report.targets import peers, targets
from penstock.lab.report.tuning import advice
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from penstock.lab.run.folder import RunFolder

KEPT = (
    "test",
    "variant",
    "x",
    "round",
    "state",
    "rate",
    "p50_ms",
    "p99_ms",
    "cpu_us",
    "server_us",
    "foreign_percent",
)
TITLE = "Penstock: performance report"


def report(
    folders: Sequence[RunFolder],
    *,
    title: str = "",
    before: RunFolder | None = None,
    benches: Sequence[Path] = (),
    live: bool = True,
) -> str:
    """Return the report of runs as HTML; `before` is the run that they are compared with."""
    about = [folder.about() for folder in folders]
    rows = [row for folder in folders for row in figures_of(folder)]
    told = story(about, rows, title or TITLE)
    told.advice = advice(curves(rows))
    told.report_advice = measured(rows)
    others = [json.loads(path.read_text()) for path in benches]
    told.targets, told.peers = targets(others), peers(others)
    if before is not None:
        told.regression, told.changes = regression(figures_of(before), rows, before.about(), about[0])
    data = [{key: _short(row.get(key)) for key in KEPT} for row in rows]
    return Page(told, data, live).html()


def best_points(folders: Sequence[RunFolder]) -> str:
    """Return the chart of the best points of the first group that has one, as SVG; 8603 without any."""
    rows = [row for folder in folders for row in figures_of(folder)]
    told = story([folder.about() for folder in folders], rows, TITLE)
    for spec in told.overviews.values():
        return picture(spec)
    raise error(mq.PSRC_LAB_RUN, "a chart of the best points needs two tests that have a rate")


def _short(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value
