"""START CHANNEL, LISTENER and SERVICE: asked of what runs beside the engine.

Called by `runner`. It opens no socket and starts no process: it finds the definition, hands it to the
runtime in `context`, and tells that the request was accepted, as MQ does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.commands.unsupported import message_channel
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply

DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"
ANSWERS = {
    "CHANNEL": ("AMQ8018I", "Start Penstock channel accepted."),
    "LISTENER": ("AMQ8021I", "Request to start Penstock listener accepted."),
    "SERVICE": ("AMQ8733I", "Request to start Penstock service accepted."),
}
ALLOWED: dict[str, dict[str, tuple[str, ...]]] = {
    "CHANNEL": {"IGNSTATE": ("NO", "YES"), "CHLDISP": ("PRIVATE", "SHARED", "FIXSHARED")},
    "LISTENER": {"IGNSTATE": ("NO", "YES"), "TRPTYPE": ("TCP", "LU62"), "PORT": (), "IPADDR": ()},
    "SERVICE": {"IGNSTATE": ("NO", "YES")},
}


def start(command: Command, context: Context) -> Iterator[Reply]:
    """Run START."""
    kind = command.noun
    name = command.name.text if kind == "LISTENER" and command.name.values else ""
    name = name or (DEFAULT_LISTENER if kind == "LISTENER" else command.object_name)
    options = read_options(Parameters(command), ALLOWED[kind])
    context.go()
    found = find(context, kind, name)
    if found is None and name != DEFAULT_LISTENER:
        yield replies.not_found(name)
        return
    if kind == "CHANNEL" and (refused := message_channel("START", found)):
        yield refused
        return
    context.runtime.command("START", kind, name, options)
    yield replies.accepted(*ANSWERS[kind])
