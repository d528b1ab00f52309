"""The words of RESET QSTATS, CHANNEL, QMGR and CLUSTER, and of RESOLVE CHANNEL."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin import machinery
from penstock.admin.commands import cluster
from penstock.admin.commands.queue_manager import RESET_QMGR, reset_qmgr, reset_queue_statistics
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.runtime_options import read_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command

SEQUENCE_MAX = 999_999_999


def read_reset_qmgr(command: Command, context: Context) -> Action:
    """Read RESET QMGR."""
    options = read_options(
        Parameters(command), {"TYPE": RESET_QMGR, "CHILD": (), "PARENT": (), "ARCHIVED": (), "REDUCE": ()}
    )
    if "TYPE" not in options:
        raise command.name.fault(f"RESET QMGR needs TYPE( {'|'.join(RESET_QMGR)} )")
    if options["TYPE"] == "PUBSUB":
        kinds = [kind for kind in ("CHILD", "PARENT") if kind in options]
        if len(kinds) != 1:
            raise command.name.fault("RESET QMGR TYPE(PUBSUB) needs CHILD( name ) or PARENT( name )")
        return partial(reset_qmgr, subject="PUBSUB", relation=(kinds[0], options[kinds[0]]))
    return partial(reset_qmgr, subject=options["TYPE"])


def read_reset_cluster(command: Command, context: Context) -> Action:
    """Read RESET CLUSTER."""
    name = command.object_name
    allowed: dict[str, Iterable[str]] = {"ACTION": ("FORCEREMOVE",), "QMNAME": (), "QMID": ()}
    options = read_options(Parameters(command), {**allowed, "QUEUES": ("NO", "YES")})
    if "ACTION" not in options or ("QMNAME" in options) == ("QMID" in options):
        raise command.name.fault("RESET CLUSTER needs ACTION( FORCEREMOVE ) and one of QMNAME and QMID")
    return partial(
        cluster.force_remove,
        name=name,
        qmid=options.get("QMID", ""),
        qmgr=options.get("QMNAME", ""),
        queues=options.get("QUEUES") == "YES",
    )


def read_reset_queue_statistics(command: Command, context: Context) -> Action:
    """Read RESET QSTATS."""
    name = command.object_name
    read_options(Parameters(command), {})
    return partial(reset_queue_statistics, name=name)


def read_reset_channel(command: Command, context: Context) -> Action:
    """Read RESET CHANNEL."""
    name = command.object_name
    parameters = Parameters(command)
    number = parameters.take_number("SEQNUM", 1, 1, SEQUENCE_MAX)
    options = read_options(parameters, {"IGNSTATE": ("NO", "YES")})
    request = Request("RESET", "CHANNEL", name, {**options, "SEQNUM": str(number)})
    return partial(machinery.carry_out, request=request)


def read_resolve_channel(command: Command, context: Context) -> Action:
    """Read RESOLVE CHANNEL."""
    name = command.object_name
    allowed: dict[str, Iterable[str]] = {
        "ACTION": ("COMMIT", "BACKOUT"),
        "IGNSTATE": ("NO", "YES"),
        "LUWID": (),
    }
    options = read_options(Parameters(command), allowed)
    if "ACTION" not in options:
        raise command.name.fault("RESOLVE CHANNEL needs ACTION( COMMIT|BACKOUT )")
    return partial(machinery.carry_out, request=Request("RESOLVE", "CHANNEL", name, options))
