"""`penstock unit backout`: undo what a prepared unit did."""

from __future__ import annotations

from penstock.cli.choosing import QmgrOption
from penstock.cli.unit.commit import JsonOption, XidArgument


def backout(xid: XidArgument, qmgr: QmgrOption = "", as_json: JsonOption = False) -> None:
    """Back out a prepared unit of work: its puts vanish, its gets return to their places."""
    from penstock.cli.choosing import connected
    from penstock.cli.listing import show_json

    with connected(qmgr) as qm:
        qm.backout_prepared(xid)
    if as_json:
        show_json({"xid": xid, "outcome": "backed out"})
    else:
        print(f"Unit {xid} is backed out.")
