"""Shows results as tables and writes them as JSON."""

from __future__ import annotations

import json
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from penstock.lab.analysis.results import Figures, Result, Row, Verdict

if TYPE_CHECKING:
    from pathlib import Path

COLOURS = {
    Verdict.PASSES: "green",
    Verdict.FAILS: "bold red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NO_TARGET: "dim",
}
WIDTH_MIN = 150  # a table that goes to a file is not cut to a narrow screen's width


def console() -> Console:
    """Return where the tables go."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=max(screen.width, WIDTH_MIN))


def show(
    screen: Console, name: str, results: list[Result], foreign: float, seconds: float | None = None
) -> None:
    """Print what one benchmark found."""
    rows = [result for result in results if isinstance(result, Row)]
    if rows:
        screen.print(_rows(name, rows))
    for result in results:
        if isinstance(result, Figures):
            screen.print(_figures(result))
    took = "" if seconds is None else f" {seconds:.0f} s;"
    screen.print(f"[dim]{name}:{took} other processes used {foreign:.0f} % of a core[/]\n")


def _rows(name: str, rows: list[Row]) -> Table:
    table = Table(title=name, title_justify="left", title_style="bold")
    for column in (
        "what",
        "Penstock",
        "floor",
        "floor or peer",
        "ratio",
        "90 % interval",
        "target",
        "verdict",
    ):
        table.add_column(column, justify="right" if column in ("Penstock", "floor", "ratio") else "left")
    for row in rows:
        ratio = row.ratio
        spread = f"{ratio.low:.3g} - {ratio.high:.3g}" + ("" if ratio.trusted else f" ({ratio.coverage:.0%})")
        table.add_row(
            row.what + (f"\n[dim]{row.note}[/]" if row.note else ""),
            quantity(median(row.subject), row.unit),
            quantity(median(row.floor), row.unit),
            row.floor_name,
            f"{ratio.middle:.3g}",
            spread,
            "" if row.target is None else str(row.target),
            f"[{COLOURS[row.verdict]}]{row.verdict.value}[/]",
        )
    return table


def _figures(figures: Figures) -> Table | Text:
    if not figures.columns:
        return Text(figures.title)
    table = Table(title=figures.title, title_justify="left", title_style="bold", caption=figures.note or None)
    table.min_width = len(figures.title)  # else a narrow table wraps its title
    for place, column in enumerate(figures.columns):
        table.add_column(column, justify="left" if place == 0 else "right")
    for line in figures.lines:
        table.add_row(*line)
    return table


def quantity(value: float, unit: str) -> str:
    """Write a value with its unit, to a precision that a benchmark can mean.

    >>> quantity(1_234.5, "ns"), quantity(12.3456, "s"), quantity(56789.1, "/s")
    ('1,234 ns', '12.35 s', '56,789 /s')
    """
    return f"{value:.2f} {unit}" if unit == "s" or value < 10 else f"{value:,.0f} {unit}"


def write_json(path: Path, run: dict[str, Any], results: dict[str, list[Result]]) -> None:
    """Write a run and all that it found."""
    found = {
        name: [{"kind": type(result).__name__.lower()} | result.as_dict() for result in every]
        for name, every in results.items()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(run | {"results": found}, indent=1) + "\n")
