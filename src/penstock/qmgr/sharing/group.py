"""The queue-sharing group of a queue manager, as qm.ini names it.

Read by `host.ini`, used by `host.sharing` and room `share`. Values only: a group that cannot be reached is
found out by the facility.
"""

from __future__ import annotations

from dataclasses import dataclass

PIPES_MAX = 8
TOLERATE, TERMINATE = "TOLERATE", "TERMINATE"


@dataclass(frozen=True)
class Group:
    """Name and facility of a group, and how this member uses it."""

    name: str
    facility: str  # a connection string of libpq, without a password
    pipes: int = 2  # connections that carry rounds
    member_timeout: float = 60.0  # seconds without a heartbeat until a member's sessions are ended
    cfconlos: str = TOLERATE  # what the loss of the facility means for the queue manager

    @property
    def schema(self) -> str:
        """The schema of the group in the database."""
        return f"penstock_{self.name.lower()}"
