"""`penstock qsg leave`: takes a stopped queue manager out of its group."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption
from penstock.cli.qsg.options import FacilityOption, GroupArgument, MemberArgument


def leave(
    group: GroupArgument, qmgr: MemberArgument, facility: FacilityOption = "", as_json: JsonOption = False
) -> None:
    """Take a stopped queue manager out of its group; shared messages stay with the other members."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json
    from penstock.host.folders.folder import existing_folder
    from penstock.host.queue_sharing import group_membership_file as known

    with needs_extra("postgres"):
        from penstock.share import group_administration as groups
    folder = existing_folder(qmgr)
    groups.leave(groups.checked(group, known.facility_of(group, facility)), qmgr)
    known.leave(folder.ini)
    if as_json:
        show_json({"group": group, "qmgr": qmgr})
        return
    print(f"{qmgr} has left group {group}.")
