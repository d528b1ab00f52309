"""`penstock unit commit`: let what a prepared unit did become true."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.choosing import QmgrOption

XidArgument = Annotated[str, typer.Argument(help="the outside id, as `penstock unit list` shows it")]


def commit(xid: XidArgument, qmgr: QmgrOption = "") -> None:
    """Commit a prepared unit of work."""
    import penstock
    from penstock.cli.choosing import chosen

    with penstock.embed(chosen(qmgr)) as qm:
        qm.commit_prepared(xid)
    print(f"Unit {xid} is committed.")
