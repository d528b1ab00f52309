"""`penstock lab compare`: whether two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def compare(
    before: Annotated[Path, typer.Argument(help="the folder of the first run", metavar="A")],
    after: Annotated[Path, typer.Argument(help="the folder of the second run", metavar="B")],
    as_json: JsonOption = False,
) -> None:
    """Compare two runs: a change within 6 % is none; exit 1 when a test became slower."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.lab.analysis.comparison import Change
    from penstock.lab.report.reading import figures_of
    from penstock.lab.report.regression import compared, regression
    from penstock.lab.run.folder import RunFolder

    first, second = RunFolder.existing(before), RunFolder.existing(after)
    rows = figures_of(first), figures_of(second)
    found = compared(*rows)
    if as_json:
        show_json(
            [
                {"test": test, "figure": metric, "ratio": each.ratio, "low": each.low, "high": each.high,
                 "p": each.p, "rounds": each.rounds, "verdict": each.change.value}
                for (test, metric), each in found.items()
            ]
        )  # fmt: skip
    else:
        sentence, lines = regression(*rows, first.about(), second.about())
        print(sentence)
        if lines:
            show_columns(("test", "figure", "ratio", "90 % interval", "p", "verdict"), lines)
    raise typer.Exit(1 if any(each.change is Change.SLOWER for each in found.values()) else 0)
