"""`penstock unit backout`: undo what a prepared unit did."""

from __future__ import annotations

from penstock.cli.choosing import QmgrOption
from penstock.cli.unit.commit import XidArgument


def backout(xid: XidArgument, qmgr: QmgrOption = "") -> None:
    """Back out a prepared unit of work: its puts vanish, its gets return to their places."""
    import penstock
    from penstock.cli.choosing import chosen

    with penstock.embed(chosen(qmgr)) as qm:
        qm.backout_prepared(xid)
    print(f"Unit {xid} is backed out.")
