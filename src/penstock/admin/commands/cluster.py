"""SUSPEND and RESUME QMGR, REFRESH CLUSTER and RESET CLUSTER."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.machinery import ACCEPTED, Request
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.qmgr.clusters.own_objects import names_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Reply


def suspend_or_resume(context: Context, verb: str, options: Mapping[str, str]) -> Iterator[Reply]:
    """Carry out SUSPEND QMGR or RESUME QMGR; with MODE(FORCE) channels from other members are stopped."""
    command_authority.check(context, verb, "QMGR")
    names = names_in(context.engine, options.get("CLUSTER"), options.get("CLUSNL"))
    if not names:
        yield replies.not_found(options.get("CLUSNL", ""))
        return
    try:
        context.engine.clusters.upkeep.suspend(names, verb == "SUSPEND", context.now)
    except MQError as failure:
        yield _refused(failure)
        return
    if verb == "SUSPEND" and options.get("MODE") == "FORCE":
        for name in names:
            for definition in context.engine.clusters.inside.get(name, ()):
                options = {"MODE": "FORCE", "STATUS": "INACTIVE", "IGNSTATE": "YES"}
                stop = Request("STOP", "CHANNEL", definition.name, options)
                tuple(context.runtime.command(stop, "CLUSRCVR"))
    yield replies.accepted(*ACCEPTED[verb, "QMGR"])


def refresh(context: Context, name: str, repositories_too: bool) -> Iterator[Reply]:
    """Carry out REFRESH CLUSTER."""
    command_authority.check(context, "REFRESH", "CLUSTER", name)
    try:
        context.engine.clusters.upkeep.refresh(name, repositories_too, context.now)
    except MQError as failure:
        yield _refused(failure)
        return
    yield replies.accepted(*ACCEPTED["REFRESH", "CLUSTER"])


def force_remove(context: Context, name: str, qmid: str, qmgr: str, queues: bool) -> Iterator[Reply]:
    """Carry out RESET CLUSTER ACTION(FORCEREMOVE)."""
    command_authority.check(context, "RESET", "CLUSTER", name)
    try:
        context.engine.clusters.upkeep.force_remove(name, qmid, qmgr, queues, context.now)
    except MQError as failure:
        yield _refused(failure)
        return
    yield replies.accepted(*ACCEPTED["RESET", "CLUSTER"])


def _refused(failure: MQError) -> Reply:
    """Return the reply to a command that the state of the cluster does not allow."""
    number = "AMQ9406E" if failure.reason == mq.MQRC_OPTION_NOT_VALID_FOR_TYPE else "AMQ8147E"
    return replies.failed(number, f"{failure.detail}.", failure.reason)
