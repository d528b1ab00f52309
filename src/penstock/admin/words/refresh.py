"""The words of REFRESH SECURITY, QMGR and CLUSTER, and of SUSPEND and RESUME QMGR."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin.commands import cluster
from penstock.admin.commands.queue_manager import refresh_qmgr, refresh_security
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.runtime_options import read_options

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command


def read_refresh_security(command: Command, context: Context) -> Action:
    """Read REFRESH SECURITY."""
    if command.name.values is not None and command.name.text not in ("*", ""):
        raise command.name.value_fault("REFRESH SECURITY takes (*) or nothing")
    options = read_options(Parameters(command), {"TYPE": ("AUTHSERV", "CONNAUTH", "SSL", "CLASSES")})
    return partial(refresh_security, options=options)


def read_refresh_qmgr(command: Command, context: Context) -> Action:
    """Read REFRESH QMGR."""
    options = read_options(
        Parameters(command),
        {"TYPE": ("CONFIGEV", "PROXYSUB", "EARLY"), "OBJECT": (), "NAME": (), "INCLINT": ()},
    )
    return partial(refresh_qmgr, options=options)


def read_refresh_cluster(command: Command, context: Context) -> Action:
    """Read REFRESH CLUSTER."""
    name = command.object_name
    options = read_options(Parameters(command), {"REPOS": ("NO", "YES")})
    return partial(cluster.refresh, name=name, repositories_too=options.get("REPOS") == "YES")


def read_suspend_or_resume(command: Command, context: Context) -> Action:
    """Read SUSPEND QMGR and RESUME QMGR."""
    allowed: dict[str, tuple[str, ...]] = {"CLUSTER": (), "CLUSNL": (), "MODE": ("QUIESCE", "FORCE")}
    options = read_options(Parameters(command), allowed)
    if not options.keys() & {"CLUSTER", "CLUSNL"}:
        raise command.name.fault(f"{command.verb} QMGR needs CLUSTER( name ) or CLUSNL( namelist )")
    return partial(cluster.suspend_or_resume, verb=command.verb, options=options)
