"""`penstock qsg status`: members, structures, and what is risky in the server."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption
from penstock.cli.qsg.options import FacilityOption, GroupArgument, show_risks


def status(group: GroupArgument, facility: FacilityOption = "", as_json: JsonOption = False) -> None:
    """Show members, structures, dead rows and risks of a group."""
    from penstock.cli.message_view import iso_time
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_columns, show_json
    from penstock.host.queue_sharing import group_membership_file as known

    with needs_extra("postgres"):
        from penstock.share import group_administration as groups
    found = groups.status(groups.checked(group, known.facility_of(group, facility)))
    if as_json:
        show_json(found)
        return
    columns = ("member", "state", "since", "host", "heartbeat")
    show_columns(
        columns,
        [
            (m["name"], m["state"], iso_time(m["since"]), m["host"], f"{m['heartbeat_seconds']:.1f} s ago")
            for m in found["members"]
        ],
    )
    print()
    columns = ("structure", "state", "messages", "kb", "offloaded")
    show_columns(
        columns,
        [
            (s["name"], s["state"], s["messages"], s["bytes"] >> 10, s["offloaded"])
            for s in found["structures"]
        ],
    )
    print(f"\ndead rows: {found['dead_rows']}; mixed units to end: {found['mixed_units_to_end']}")
    show_risks(found["risks"])
