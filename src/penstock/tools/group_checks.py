"""The findings of `penstock doctor` about queue-sharing groups that are known on this machine.

One finding for each risk of a group's server, and one for a server that cannot be reached. Opens a connection
and changes nothing. Not for machines without groups: they get no finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.host.queue_sharing.group_membership_file import known_groups
from penstock.model.errors import MQError
from penstock.tools.doctor import Finding

if TYPE_CHECKING:
    from pathlib import Path

INSTALL = "pip install 'penstock[postgres]'"


def examine_groups(home: Path | None = None) -> list[Finding]:
    """Return what is risky in the servers of the groups that were created or joined here."""
    found: list[Finding] = []
    for name, facility in known_groups(home).items():
        subject = f"group {name}"
        try:
            found += _examine(subject, name, facility)
        except ImportError as missing:
            found.append(Finding(subject, "problem", f"{missing.name} is not installed", INSTALL))
        except MQError as failure:
            found.append(
                Finding(subject, "problem", failure.detail, "start the server, or check the address")
            )
    return found


def _examine(subject: str, name: str, facility: str) -> list[Finding]:
    from penstock.share import group_administration

    risks = group_administration.status(group_administration.checked(name, facility))["risks"]
    if not risks:
        return [Finding(subject, "ok", "its server has no known risk")]
    return [Finding(subject, "note", risk["text"], risk["advice"]) for risk in risks]
