"""Runs of the laboratory: how far each is, and the best point of every test of one."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from penstock.console.authority import check_administrator
from penstock.console.visit import Page, command
from penstock.lab.analysis.curves import curves, peak
from penstock.lab.report.numbers import number
from penstock.lab.report.reading import figures_of
from penstock.lab.run.folder import RunFolder
from penstock.lab.run.known import known

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.console.visit import Visit

FIGURES = ("p50_ms", "p99_ms", "cpu_us")


def measurements(visit: Visit) -> Page:
    """Return the list of runs, and the figures of the chosen one."""
    check_administrator(visit.session.user, "look at measurements")
    runs = [(folder, _facts(folder)) for folder in known()]
    chosen = visit.text("id")
    lines: list[dict[str, Any]] = []
    shown = command("lab", "run", "--all", "--smoke")
    for folder, facts in runs:
        if facts["id"] == chosen:
            lines = best_points(folder.path, facts["steps"])
            shown = command("lab", "report", str(folder.path))
    visit.shape += [f"{facts['id']} {facts['steps']} {facts['state']}" for _, facts in runs]
    data = {"runs": [facts for _, facts in runs], "chosen": chosen, "lines": lines}
    return Page("measurements.html", "Measurements", data, shown, (("Statistics", "/charts"),))


def _facts(folder: RunFolder) -> dict[str, Any]:
    about = folder.about()
    steps = len(folder.finished())
    return {
        "id": about["run_id"],
        "name": folder.path.name,
        "begun": about["begun"],
        "tier": about["tier"],
        "tests": len(about["tests"]),
        "commit": about["sittings"][0]["machine"]["commit"],
        "steps": steps,
        "state": "ended" if about.get("ended") else "not ended",
    }


@lru_cache(maxsize=8)
def best_points(path: Path, steps: int) -> list[dict[str, Any]]:
    """Return a line for each test of a run; `steps` is how many there are, so that new ones are read."""
    lines = []
    for name, points in curves(figures_of(RunFolder.existing(path))).items():
        best = peak(points)
        if best is None:
            continue
        values = {key: best.point.median(key) for key in FIGURES}
        line: dict[str, Any] = {"test": name, "rate": number(best.rate.middle)}
        line["unit"] = f"{best.point.rows[0]['unit']}/s"
        line["spread"] = f"{number(best.rate.low)} to {number(best.rate.high)}" if best.rate.trusted else ""
        line |= {key: number(value) if value is not None else "" for key, value in values.items()}
        lines.append(line)
    return lines
