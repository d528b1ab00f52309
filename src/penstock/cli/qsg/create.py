"""`penstock qsg create`: tests the server, makes the group's schema, and names what is risky."""

from __future__ import annotations

from penstock.cli.connecting import JsonOption
from penstock.cli.qsg.options import FacilityOption, GroupArgument, show_risks


def create(group: GroupArgument, facility: FacilityOption = "", as_json: JsonOption = False) -> None:
    """Create a queue-sharing group in a PostgreSQL database."""
    from penstock.cli.needing import needs_extra
    from penstock.cli.printing import show_json
    from penstock.host.queue_sharing import group_membership_file as known

    with needs_extra("postgres"):
        from penstock.share import group_administration as groups
    settings = groups.checked(group, known.facility_of(group, facility))
    risks = [
        {"subject": each.subject, "text": each.text, "advice": each.advice}
        for each in groups.create(settings)
    ]
    known.remember(group, settings.facility)
    if as_json:
        show_json({"group": group, "facility": settings.facility, "risks": risks})
        return
    print(f"Group {group} is ready. Next: penstock qsg join {group} QM1")
    show_risks(risks)
