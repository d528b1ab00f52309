"""`penstock lab plan`: what a load needs on this machine, from what was measured on it."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import JsonOption

if TYPE_CHECKING:
    from penstock.lab.planner.profile import Estimate

SIZES = {"": 1, "K": 1024, "M": 1024 * 1024}


def plan(
    folders: Annotated[list[Path], typer.Argument(help="folders of runs", metavar="DIR...")],
    rate: Annotated[str, typer.Option("--rate", help="operations per second: 500/s, 30000/min or 500")],
    size: Annotated[str, typer.Option("--size", help="bytes of a message: 2048, 4K, 1M")] = "2K",
    persistent: Annotated[bool, typer.Option("--persistent", help="messages survive a restart")] = False,
    flow: Annotated[
        str, typer.Option("--flow", help="a measured flow; default: round trips of clients")
    ] = "",
    via: Annotated[str, typer.Option("--via", help="client, local or embedded")] = "client",
    clients: Annotated[int, typer.Option("--clients", min=0, help="number of connected clients")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Plan cores, syncs, memory and response time, with their uncertainty; 8605 names a missing test."""
    from penstock.cli.printing import show_json
    from penstock.lab.planner.answer import ROUND_TRIPS, Wanted
    from penstock.lab.planner.answer import plan as answer_of
    from penstock.lab.report.reading import figures_of
    from penstock.lab.run.folder import RunFolder

    if (via, persistent) not in ROUND_TRIPS:
        raise typer.BadParameter("--via is client, local or embedded")
    runs = [RunFolder.existing(path) for path in folders]
    rows = [row for run in runs for row in figures_of(run)]
    cores = int(runs[0].about()["sittings"][0]["machine"]["cores"])
    wanted = Wanted(_rate(rate), _size(size), persistent, flow, via, clients)
    answer = answer_of(wanted, rows, cores)
    if as_json:
        show_json(asdict(answer))
        return
    print(f"From {', '.join(answer.tests)}; up to {answer.best_rate:,.0f}/s was measured on {cores} cores.")
    print(f"cores      {_told(answer.cores)}; provide {answer.cores_recommended} to stay below 70 %")
    for name, found, unit in (
        ("response", answer.response_ms, "ms in the median"),
        ("syncs", answer.syncs, "a second"),
        ("written", answer.written_mb, "MB a second"),
        ("memory", answer.memory_mb, "MB of the queue manager"),
    ):
        if found is not None:
            print(f"{name:10} {_told(found)} {unit}")
    for name, check in answer.checks.items():
        if check.points:
            error = f"median error {check.median_error:.0%}"
            print(
                f"checked    {name}: {check.points} points that were not used, {check.within} within; {error}"
            )
    for note in answer.notes:
        print(note)


def _told(found: Estimate) -> str:
    return f"{found.value:.3g} ({found.low:.3g} to {found.high:.3g})"


def _rate(text: str) -> float:
    found: Any = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/(s|min|h))?", text)
    if not found or float(found[1]) <= 0:
        raise typer.BadParameter("--rate is a number, with /s, /min or /h")
    return float(found[1]) / {"s": 1, "min": 60, "h": 3600, None: 1}[found[2]]


def _size(text: str) -> int:
    found: Any = re.fullmatch(r"(\d+)([KM]?)", text)
    if not found:
        raise typer.BadParameter("--size is a number of bytes, with K or M")
    return int(found[1]) * SIZES[found[2]]
