"""`penstock unit commit`: commits a prepared unit."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

XidArgument = Annotated[str, typer.Argument(help="the external id, as `penstock unit list` shows it")]
COMMITTED, BACKED_OUT = "committed", "backed out"


def commit(xid: XidArgument, qmgr: QmgrOption = "", as_json: JsonOption = False) -> None:
    """Commit a prepared unit of work."""
    decide(xid, COMMITTED, qmgr, as_json)


def decide(xid: str, outcome: str, qmgr: str, as_json: bool) -> None:
    """Commit or back out a prepared unit, and report it."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json

    with connected(qmgr) as qm:
        if outcome == COMMITTED:
            qm.commit_prepared(xid)
        else:
            qm.backout_prepared(xid)
    if as_json:
        show_json({"xid": xid, "outcome": outcome})
    else:
        print(f"Unit {xid} is {outcome}.")
