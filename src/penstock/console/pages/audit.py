"""The audit log: who did what in the console. For administrators of a queue manager of this home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.console.authority import is_administrator
from penstock.console.visit import Page

if TYPE_CHECKING:
    from penstock.console.visit import Visit

SHOWN = 200


def audit(visit: Visit) -> Page:
    """Return the last acts: of everybody for an administrator, else the person's own."""
    lines = visit.world.audit.last(5 * SHOWN)
    sees_all = is_administrator(visit.session.user)
    own = [each for each in lines if sees_all or each.get("user") == visit.session.user]
    rows = [
        {
            **{name: each.pop(name, "") for name in ("time", "user", "from", "act", "result")},
            "facts": ", ".join(
                f"{name} {_shown(value)}" for name, value in each.items() if value not in ("", None)
            ),
        }
        for each in own[:SHOWN]
    ]
    visit.shape += [f"{each['time']}" for each in rows[:1]]
    data = {"rows": rows, "sees_all": sees_all, "path": str(visit.world.audit.path)}
    return Page("audit.html", "Audit", data, f"tail {visit.world.audit.path}")


def _shown(value: object) -> object:
    return ("no", "yes")[value] if isinstance(value, bool) else value
