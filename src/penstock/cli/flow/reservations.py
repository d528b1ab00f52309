"""`penstock flow reservations`: what flows have reserved for their batches, and its release."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.model import constants as mq

COLUMNS = ("flow", "epoch", "recorded", "n", "queue", "rows", "bytes")
app = typer.Typer(help="List and release the messages that flows hold for a batch.", no_args_is_help=True)


@app.command("list")
def list_(
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """List flows: epoch, last recorded batch, and what is reserved now."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.model.status import values

    with connected(qmgr) as qm:
        flows = [values(each) for each in qm.batches.listing()]
    if as_json:
        show_json(flows)
    else:
        show_columns(COLUMNS, [[each.get(column) for column in COLUMNS] for each in flows])


def likely(flow: str, known: list[str]) -> str:
    """Return the names that the user may have meant: flows are named by their name and their input."""
    inputs = [each for each in known if each.startswith(f"{flow}/")]
    return " or ".join(inputs or get_close_matches(flow, known, 1))


@app.command("release")
def release(
    flow: Annotated[str, typer.Argument(help="the flow, as `list` shows it")],
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """Give a flow's reserved messages back to their queue; its workers are fenced off."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.model.errors import error

    with connected(qmgr) as qm:
        known = [each.flow for each in qm.batches.listing()]
        if flow not in known and (meant := likely(flow, known)):
            raise error(
                mq.PSRC_RESERVATION_UNKNOWN, f"there is no flow {flow}; did you mean {meant}?", flow=flow
            )
        qm.batches.release(flow)
    if as_json:
        show_json({"flow": flow, "outcome": "released"})
    else:
        print(f"What flow {flow} had reserved is back on its queue.")
