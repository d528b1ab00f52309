"""`penstock unit list`: the prepared units and their messages."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption, QmgrOption

COLUMNS = ("xid", "started", "puts", "gets", "queues")


def list_(
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """List the prepared units: external id, start time, number of puts and gets, queues."""
    from penstock.cli.connecting import connected
    from penstock.cli.message_view import iso_time
    from penstock.cli.printing import show_columns, show_json

    with connected(qmgr) as qm:
        units = [{**each, "started": iso_time(each["started"])} for each in qm.prepared()]
    if as_json:
        show_json(units)
        return
    rows = [
        (each["xid"], each["started"], each["puts"], each["gets"], " ".join(each["queues"])) for each in units
    ]
    show_columns(COLUMNS, rows)
