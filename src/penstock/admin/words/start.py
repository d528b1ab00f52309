"""The words of START and STOP: CHANNEL, LISTENER, SERVICE, CHINIT and CONN.

Called by `runner`. Reads START and STOP; `machinery` carries them out.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin import machinery
from penstock.admin.machinery import DEFAULT_LISTENER, Request
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.runtime_options import read_options

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command

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


def read_start_or_stop(command: Command, context: Context) -> Action:
    """Read START and STOP."""
    options = read_options(Parameters(command), ALLOWED[command.verb, command.noun])
    request = Request(command.verb, command.noun, _name(command), options)
    return partial(machinery.carry_out, request=request)


def _name(command: Command) -> str:
    if command.noun == "CHINIT":
        return ""
    if command.noun == "LISTENER":
        return (command.name.text if command.name.values else "") or DEFAULT_LISTENER
    return command.object_name
