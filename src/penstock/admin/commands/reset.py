"""RESET QSTATS, CHANNEL, QMGR and CLUSTER, and RESOLVE CHANNEL.

Called by `runner`. Statistics are the engine's; the rest is carried out by `machinery`.
Changes counters and states, never a definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import machinery, replies
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.commands.unsupported import RESET_QMGR
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply

SEQUENCE_MAX = 999_999_999


def reset_qmgr(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Answer RESET QMGR: its types have nothing to reset here."""
    options = read_options(
        Parameters(command), {"TYPE": RESET_QMGR, "CHILD": (), "PARENT": (), "ARCHIVED": ()}
    )
    if "TYPE" not in options:
        raise command.name.fault(f"RESET QMGR needs TYPE( {'|'.join(RESET_QMGR)} )")
    context.go()
    yield replies.not_supported(f"RESET QMGR TYPE({options['TYPE']})", RESET_QMGR[options["TYPE"]])


def reset_cluster(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run RESET CLUSTER."""
    name = command.object_name
    allowed: dict[str, Iterable[str]] = {"ACTION": ("FORCEREMOVE",), "QMNAME": (), "QMID": ()}
    options = read_options(Parameters(command), {**allowed, "QUEUES": ("NO", "YES")})
    context.go()
    yield from machinery.carry_out(Request("RESET", "CLUSTER", name, options), context)


def reset_queue_statistics(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run RESET QSTATS: report the counts since the last reset, and restart them."""
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
        yield replies.not_running("queue statistics not available: nothing counts them")
        return
    for each in names:
        yield replies.status("QSTATS", {"QUEUE": each, **counts(each, context.now)})


def reset_channel(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run RESET CHANNEL."""
    name = command.object_name
    parameters = Parameters(command)
    number = parameters.take_number("SEQNUM", 1, 1, SEQUENCE_MAX)
    options = read_options(parameters, {"IGNSTATE": ("NO", "YES")})
    context.go()
    request = Request("RESET", "CHANNEL", name, {**options, "SEQNUM": str(number)})
    yield from machinery.carry_out(request, context)


def resolve_channel(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run RESOLVE CHANNEL."""
    name = command.object_name
    allowed: dict[str, Iterable[str]] = {
        "ACTION": ("COMMIT", "BACKOUT"),
        "IGNSTATE": ("NO", "YES"),
        "LUWID": (),
    }
    options = read_options(Parameters(command), allowed)
    if "ACTION" not in options:
        raise command.name.fault("RESOLVE CHANNEL needs ACTION( COMMIT|BACKOUT )")
    context.go()
    yield from machinery.carry_out(Request("RESOLVE", "CHANNEL", name, options), context)
