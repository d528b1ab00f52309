"""The address at which other queue managers reach this one, for a CLUSRCVR without CONNAME.

Not a promise: a machine with several networks, or behind an address translator, needs CONNAME.
"""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # of a listener at all addresses of the machine
ELSEWHERE = ("192.0.2.1", 9)  # for documentation, never in use: only the route to it matters


def own_address(listeners: Iterable[tuple[str, int]]) -> str:
    """Return `host(port)` of the first listener; an empty text if none runs.

    >>> own_address([("10.0.0.9", 1414), ("127.0.0.1", 1415)])
    '10.0.0.9(1414)'
    """
    for host, port in listeners:
        return f"{_of_machine() if host in EVERYWHERE else host}({port})"
    return ""


def _of_machine() -> str:
    """Return the address that the machine has in its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(ELSEWHERE)
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])
