"""`penstock flow reservations`: what flows hold for their batches, and giving it back."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.choosing import QmgrOption

COLUMNS = ("flow", "epoch", "recorded", "n", "queue", "rows", "bytes")
app = typer.Typer(help="Messages that flows hold for a batch.", no_args_is_help=True)


@app.command("list")
def list_(
    qmgr: QmgrOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """List flows: epoch, last recorded batch, and what is reserved now."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_columns, show_json

    with connected(qmgr) as qm:
        flows = qm.flows.listing()
    if as_json:
        show_json(flows)
    else:
        show_columns(COLUMNS, [[each.get(column) for column in COLUMNS] for each in flows])


@app.command("release")
def release(
    flow: Annotated[str, typer.Argument(help="the flow, as `list` shows it")],
    qmgr: QmgrOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="answer in JSON")] = False,
) -> None:
    """Give a flow's reserved messages back to their queue; its workers are shut out."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_json

    with connected(qmgr) as qm:
        qm.flows.release(flow)
    if as_json:
        show_json({"flow": flow, "outcome": "released"})
    else:
        print(f"What flow {flow} had reserved is back on its queue.")
