"""REFRESH SECURITY, QMGR and CLUSTER, and SUSPEND and RESUME QMGR.

Called by `runner`. Commands about clusters are carried out by `machinery`; where nothing runs them,
that is the answer. Changes no object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import machinery, replies
from penstock.admin.commands.runtime_options import read_options
from penstock.admin.context import NotRunning
from penstock.admin.machinery import Request
from penstock.admin.mqsc_parser import Parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply


def refresh_security(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run REFRESH SECURITY: users, groups, authorities and certificates are looked up again."""
    if command.name.values is not None and command.name.text not in ("*", ""):
        raise command.name.value_fault("REFRESH SECURITY takes (*) or nothing")
    options = read_options(Parameters(command), {"TYPE": ("AUTHSERV", "CONNAUTH", "SSL", "CLASSES")})
    context.go()
    context.engine.access.refresh()
    context.engine.dependencies.security_changed()  # authority is checked anew
    _ask(context, "SECURITY", options)
    yield replies.accepted("AMQ8560I", "Penstock security cache refreshed.")


def refresh_qmgr(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run REFRESH QMGR."""
    options = read_options(
        Parameters(command),
        {"TYPE": ("CONFIGEV", "PROXYSUB", "EARLY"), "OBJECT": (), "NAME": (), "INCLINT": ()},
    )
    context.go()
    _ask(context, "QMGR", options)
    yield replies.accepted("AMQ8730I", "Refresh queue manager accepted.")


def refresh_cluster(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run REFRESH CLUSTER."""
    name = command.object_name
    options = read_options(Parameters(command), {"REPOS": ("NO", "YES")})
    context.go()
    yield from machinery.carry_out(Request("REFRESH", "CLUSTER", name, options), context)


def suspend_or_resume(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run SUSPEND QMGR and RESUME QMGR."""
    allowed: dict[str, tuple[str, ...]] = {"CLUSTER": (), "CLUSNL": (), "MODE": ("QUIESCE", "FORCE")}
    options = read_options(Parameters(command), allowed)
    if not options.keys() & {"CLUSTER", "CLUSNL"}:
        raise command.name.fault(f"{command.verb} QMGR needs CLUSTER( name ) or CLUSNL( namelist )")
    context.go()
    name = options.get("CLUSTER", options.get("CLUSNL", ""))
    yield from machinery.carry_out(Request(command.verb, "QMGR", name, options), context)


def _ask(context: Context, kind: str, options: dict[str, str]) -> None:
    try:
        context.runtime.command(Request("REFRESH", kind, "", options))
    except NotRunning:
        return  # no cache, nothing to refresh
