"""`penstock qsg join`: makes a queue manager a member of a group, from its next start on."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption
from penstock.cli.qsg.options import FacilityOption, GroupArgument, MemberArgument


def join(
    group: GroupArgument, qmgr: MemberArgument, facility: FacilityOption = "", as_json: JsonOption = False
) -> None:
    """Let a queue manager join a group; it counts from its next start."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json
    from penstock.host.folders.folder import existing_folder
    from penstock.host.queue_sharing import group_membership_file as known

    with needs_extra("postgres"):
        from penstock.share import group_administration as groups
    settings = groups.checked(group, known.facility_of(group, facility))
    groups.status(settings)  # the group must exist and be reached
    known.join(existing_folder(qmgr).ini, settings)
    known.remember(group, settings.facility)
    if as_json:
        show_json({"group": group, "qmgr": qmgr, "facility": settings.facility})
        return
    print(f"{qmgr} joins group {group} at its next start.")
