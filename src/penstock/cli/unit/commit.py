"""`penstock unit commit`: let what a prepared unit did become true."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.choosing import QmgrOption

XidArgument = Annotated[str, typer.Argument(help="the outside id, as `penstock unit list` shows it")]
JsonOption = Annotated[bool, typer.Option("--json", help="answer in JSON")]


def commit(xid: XidArgument, qmgr: QmgrOption = "", as_json: JsonOption = False) -> None:
    """Commit a prepared unit of work."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_json

    with connected(qmgr) as qm:
        qm.commit_prepared(xid)
    if as_json:
        show_json({"xid": xid, "outcome": "committed"})
    else:
        print(f"Unit {xid} is committed.")
