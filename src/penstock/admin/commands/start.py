"""The words of START and STOP: CHANNEL, LISTENER, SERVICE, CHINIT and CONN.

Called by `runner`. Reads what is to be started or stopped; `machinery` carries it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import machinery
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.machinery import DEFAULT_LISTENER, Request
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply

LISTENER: dict[str, tuple[str, ...]] = {
    "IGNSTATE": ("NO", "YES"),
    "TRPTYPE": ("TCP", "LU62"),
    "PORT": (),
    "IPADDR": (),
}
ALLOWED: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {
    ("START", "CHANNEL"): {"IGNSTATE": ("NO", "YES"), "CHLDISP": ("PRIVATE", "SHARED", "FIXSHARED")},
    ("START", "CHINIT"): {"INITQ": (), "ENVPARM": ()},
    ("START", "LISTENER"): LISTENER,
    ("START", "SERVICE"): {"IGNSTATE": ("NO", "YES")},
    ("STOP", "CHANNEL"): {
        "IGNSTATE": ("NO", "YES"),
        "MODE": ("QUIESCE", "FORCE", "TERMINATE"),
        "STATUS": ("STOPPED", "INACTIVE"),
        "CONNAME": (),
        "QMNAME": (),
    },
    ("STOP", "LISTENER"): LISTENER,
    ("STOP", "SERVICE"): {"IGNSTATE": ("NO", "YES")},
    ("STOP", "CONN"): {"EXTCONN": (), "IGNSTATE": ("NO", "YES")},
}


def start_or_stop(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run START and STOP."""
    options = read_options(Parameters(command), ALLOWED[command.verb, command.noun])
    request = Request(command.verb, command.noun, _name(command), options)
    context.go()
    yield from machinery.carry_out(request, context)


def _name(command: Command) -> str:
    if command.noun == "CHINIT":
        return ""
    if command.noun == "LISTENER":
        return (command.name.text if command.name.values else "") or DEFAULT_LISTENER
    return command.object_name
