"""`penstock qsg drop`: removes a group and every message in it."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption
from penstock.cli.qsg.options import FacilityOption, GroupArgument


def drop(
    group: GroupArgument,
    facility: FacilityOption = "",
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove a group with its definitions and messages; no member may run."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json
    from penstock.host.queue_sharing import group_membership_file as known

    with needs_extra("postgres"):
        from penstock.share import group_administration as groups
    if not yes:
        typer.confirm(f"Remove group {group} with all its messages?", abort=True)
    groups.drop(groups.checked(group, known.facility_of(group, facility)))
    known.forget(group)
    if as_json:
        show_json({"group": group, "dropped": True})
        return
    print(f"Group {group} is removed. Data sets of its members (DSGROUP) may be deleted now.")
