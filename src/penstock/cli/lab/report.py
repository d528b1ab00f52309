"""`penstock lab report`: one HTML file of runs, and PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption


def report(
    folders: Annotated[list[Path], typer.Argument(help="folders of runs", metavar="DIR...")],
    out: Annotated[
        Path, typer.Option("--out", help="the file to write; .pdf prints it with Chromium")
    ] = Path("lab-report.html"),
    before: Annotated[Path | None, typer.Option("--before", help="a run to compare with")] = None,
    bench: Annotated[
        list[Path] | None, typer.Option("--bench", help="JSON of `make bench`: its rows and targets")
    ] = None,
    title: Annotated[str, typer.Option("--title", help="the report's title")] = "",
    static: Annotated[
        bool, typer.Option("--static", help="leave out the script for tooltips (0.9 MB)")
    ] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="also write the chart of the best points as SVG")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the report of runs: highlights, a section for each test, advice, what changed, machine."""
    import tempfile

    from penstock.cli.printing import show_json
    from penstock.lab.report.making import best_points
    from penstock.lab.report.making import report as make
    from penstock.lab.report.pdf import print_pdf
    from penstock.lab.run.folder import RunFolder

    page = make(
        [RunFolder.existing(path) for path in folders],
        title=title,
        before=RunFolder.existing(before) if before else None,
        benches=bench or [],
        live=not static,
    )
    if out.suffix == ".pdf":
        with tempfile.TemporaryDirectory() as place:
            html = Path(place) / "report.html"
            html.write_text(page)
            print_pdf(html, out.resolve())
    else:
        out.write_text(page)
    if picture is not None:
        picture.write_text(best_points([RunFolder.existing(path) for path in folders]))
    if as_json:
        show_json({"file": str(out), "bytes": out.stat().st_size})
    else:
        print(f"{out}: {out.stat().st_size / 1e6:.1f} MB.")
