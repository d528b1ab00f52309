"""`penstock flow graph`: a picture of a flow, as SVG or as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penstock.cli import completion


def graph(
    flow: Annotated[str, typer.Argument(help="the flow's name", autocompletion=completion.flows)],
    project: Annotated[
        Path, typer.Option("--project", "-p", help="the folder of the flow project, or a BAR file")
    ] = Path(),
    svg: Annotated[Path | None, typer.Option("--svg", help="write a picture to this file")] = None,
    as_text: Annotated[bool, typer.Option("--text", help="print a tree; the default")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON: layers, types and wires")] = False,
) -> None:
    """Draw a flow, with its subflows expanded."""
    from penstock.cli.printing import show_json
    from penstock.flow.drawing.layout import lay_out
    from penstock.flow.drawing.svg import svg_of
    from penstock.flow.drawing.text import text_of
    from penstock.flow.open_project import opened

    with opened(project) as found:
        layout = lay_out(found.flow(flow))
    if svg is not None:
        svg.write_text(svg_of(layout, flow), "utf-8")
    if as_json:
        lines = [line._asdict() for line in layout.lines]
        show_json({"flow": flow, "layers": layout.layers, "types": layout.types, "wires": lines})
    elif as_text or svg is None:
        print(text_of(layout), end="")
