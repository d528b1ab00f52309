"""STOP CHANNEL, LISTENER, SERVICE and CONN: asked of what runs beside the engine.

Called by `runner`. It ends nothing itself: it finds the definition, hands it to the runtime in
`context`, and tells that the request was accepted, as MQ does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.commands.start import DEFAULT_LISTENER
from penstock.admin.commands.unsupported import message_channel
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply

ANSWERS = {
    "CHANNEL": ("AMQ8019I", "Stop Penstock channel accepted."),
    "LISTENER": ("AMQ8706I", "Request to stop Penstock listener accepted."),
    "SERVICE": ("AMQ8735I", "Request to stop Penstock service accepted."),
    "CONN": ("AMQ8457I", "Penstock connection stopped."),
}
ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "CHANNEL": {
        "IGNSTATE": ("NO", "YES"),
        "MODE": ("QUIESCE", "FORCE", "TERMINATE"),
        "STATUS": ("STOPPED", "INACTIVE"),
        "CONNAME": (),
        "QMNAME": (),
    },
    "LISTENER": {"IGNSTATE": ("NO", "YES"), "TRPTYPE": ("TCP", "LU62"), "PORT": (), "IPADDR": ()},
    "SERVICE": {"IGNSTATE": ("NO", "YES")},
    "CONN": {"EXTCONN": (), "IGNSTATE": ("NO", "YES")},
}


def stop(command: Command, context: Context) -> Iterator[Reply]:
    """Run STOP."""
    kind = command.noun
    name = command.name.text if kind == "LISTENER" and command.name.values else ""
    name = name or (DEFAULT_LISTENER if kind == "LISTENER" else command.object_name)
    options = read_options(Parameters(command), ALLOWED[kind])
    context.go()
    found = find(context, kind, name) if kind != "CONN" else None
    if kind != "CONN" and found is None and not _listens(context, kind, name):
        yield replies.not_found(name)
        return
    if kind == "CHANNEL" and (refused := message_channel("STOP", found, options.get("IGNSTATE") == "YES")):
        yield refused
        return
    context.runtime.command("STOP", kind, name, options)
    yield replies.accepted(*ANSWERS[kind])


def _listens(context: Context, kind: str, name: str) -> bool:
    """Say whether a listener runs whose definition is gone: it can be stopped all the same."""
    running = context.runtime.status("LISTENER") if kind == "LISTENER" else None
    return any(each["LISTENER"] == name for each in running or ())
