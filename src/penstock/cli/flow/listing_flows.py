"""`penstock flow list`: the flows of a project, with what they begin with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption

COLUMNS = ("flow", "nodes", "unavailable", "inputs")


def list_flows(
    path: Annotated[Path, typer.Argument(help="the folder of a project, or a BAR file")] = Path(),
    as_json: JsonOption = False,
) -> None:
    """List the flows of a project; exit 1 when a file of it cannot be read."""
    from penstock.cli.printing import show_columns, show_json
    from penstock.flow.graph.flattening import flatten
    from penstock.flow.node import InputNode
    from penstock.flow.nodes import Unavailable
    from penstock.flow.open_project import opened

    facts: list[dict[str, Any]] = []
    with opened(path) as project:
        for name, flow in sorted(project.flows.items()):
            nodes = flatten(flow).nodes
            facts.append(
                {
                    "flow": name,
                    "nodes": len(nodes),
                    "unavailable": sum(isinstance(node, Unavailable) for node in nodes.values()),
                    "inputs": [label for label, node in nodes.items() if isinstance(node, InputNode)],
                }
            )
        unread = [raised.detail for raised in project.unread.values()]
    if as_json:
        show_json(facts)
    else:
        rows = [[row["flow"], row["nodes"], row["unavailable"], ", ".join(row["inputs"])] for row in facts]
        show_columns(COLUMNS, rows)
    for text in unread:
        print(text, file=sys.stderr)
    if unread:
        raise typer.Exit(1)
