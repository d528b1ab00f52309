"""`penstock unit backout`: backs out a prepared unit."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.unit.commit import BACKED_OUT, XidArgument, decide


def backout(xid: XidArgument, qmgr: QmgrOption = "", as_json: JsonOption = False) -> None:
    """Back out a prepared unit of work: its puts are discarded, its gets return to their positions."""
    decide(xid, BACKED_OUT, qmgr, as_json)
