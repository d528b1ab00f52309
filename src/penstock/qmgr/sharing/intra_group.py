"""Intra-group queuing: messages for queues of other members, without channels.

A member with IGQ(ENABLED) puts them to the group's shared transmission queue, with the name of the member
that they are for as correlation id; the agent of that member (`host.intra_group_agent`) gets them by it.
`name_resolution` finds the way, `admin` asks `refusal`. Pure functions.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

QUEUE = "SYSTEM.QSG.TRANSMIT.QUEUE"
KEY_BYTES = 24
NEEDED = {"USAGE": "XMITQ", "INDXTYPE": "CORRELID"}


def key_of(member: str) -> bytes:
    """Return the correlation id of messages for a member: its name, or a digest of a name that is too long.

    >>> key_of("QM1").rstrip()
    b'QM1'
    """
    name = member.encode()
    return name.ljust(KEY_BYTES) if len(name) <= KEY_BYTES else hashlib.sha256(name).digest()[:KEY_BYTES]


def refusal(name: str, attributes: Mapping[str, Any]) -> str:
    """Return why a queue with these attributes cannot be the shared transmission queue; empty if it can."""
    if name == QUEUE:
        for attribute, value in NEEDED.items():
            if attributes.get(attribute) != value:
                return f"{QUEUE} needs {attribute}({value}): the agent of each member gets its messages by it"
    return ""
