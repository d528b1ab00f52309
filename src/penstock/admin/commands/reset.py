"""RESET QSTATS, CHANNEL, QMGR and CLUSTER, and RESOLVE CHANNEL.

Called by `runner`. Statistics are the engine's; the rest is asked of the runtime in `context`.
Changes counters and states, never a definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.alter import find
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Reply

SEQUENCE_MAX = 999_999_999
ALLOWED: dict[str, dict[str, Iterable[str]]] = {
    "QMGR": {
        "TYPE": ("ADVANCELOG", "REDUCELOG", "ARCHLOG", "STATISTICS", "PUBSUB"),
        "CHILD": (),
        "PARENT": (),
    },
    "CLUSTER": {"ACTION": ("FORCEREMOVE",), "QMNAME": (), "QMID": (), "QUEUES": ("NO", "YES")},
}


def reset(command: Command, context: Context) -> Iterator[Reply]:
    """Run RESET QMGR and RESET CLUSTER."""
    name = command.object_name if command.noun == "CLUSTER" else ""
    options = read_options(Parameters(command), ALLOWED[command.noun])
    context.go()
    context.runtime.command("RESET", command.noun, name, options)
    yield replies.accepted("AMQ8705I", f"Reset {command.noun} accepted.")


def reset_queue_statistics(command: Command, context: Context) -> Iterator[Reply]:
    """Run RESET QSTATS: tell the counts since the last reset, and begin anew."""
    name = command.object_name
    read_options(Parameters(command), {})
    context.go()
    generic = name.endswith("*")
    found = context.engine.objects.starting_with("QUEUE", name.rstrip("*") if generic else name)
    names = [each.name for each in found if each.kind == "QLOCAL" and (generic or each.name == name)]
    if not names:
        yield replies.not_found(name)
        return
    counts = getattr(context.engine, "reset_queue_statistics", None)
    if counts is None:
        yield replies.not_running("queue statistics")
        return
    for each in names:
        yield replies.status("QSTATS", {"QUEUE": each, **counts(each, context.now)})


def reset_channel(command: Command, context: Context) -> Iterator[Reply]:
    """Run RESET CHANNEL."""
    name = command.object_name
    parameters = Parameters(command)
    number = parameters.take_number("SEQNUM", 1, 1, SEQUENCE_MAX)
    options = read_options(parameters, {"IGNSTATE": ("NO", "YES")})
    context.go()
    if find(context, "CHANNEL", name) is None:
        yield replies.failed("AMQ8227E", f"Channel {name} not found.", 4032)
        return
    context.runtime.command("RESET", "CHANNEL", name, {**options, "SEQNUM": str(number)})
    yield replies.accepted("AMQ8023I", "Penstock channel reset.")


def resolve_channel(command: Command, context: Context) -> Iterator[Reply]:
    """Run RESOLVE CHANNEL."""
    name = command.object_name
    options = read_options(Parameters(command), {"ACTION": ("COMMIT", "BACKOUT"), "IGNSTATE": ("NO", "YES")})
    if "ACTION" not in options:
        raise command.name.fault("RESOLVE CHANNEL needs ACTION( COMMIT|BACKOUT )")
    context.go()
    if find(context, "CHANNEL", name) is None:
        yield replies.failed("AMQ8227E", f"Channel {name} not found.", 4032)
        return
    context.runtime.command("RESOLVE", "CHANNEL", name, options)
    yield replies.accepted("AMQ8025I", "Penstock channel resolved.")
