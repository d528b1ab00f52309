"""Commands about the queue manager itself: PING, REFRESH, RESET QSTATS, and what does not exist here.

An MQ command whose subject does not exist in Penstock is recognised, so it is not a syntax error: the reply
names what is missing. Changes counters and caches, never a definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.context import NotRunning
from penstock.admin.machinery import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Reply

MISSING = {
    (
        "DISPLAY",
        "AUTHSERV",
    ): "there are no installable authorization services; authority records are built in",
    ("DISPLAY", "POLICY"): "messages are not signed or encrypted by policy (AMS)",
    ("SET", "POLICY"): "messages are not signed or encrypted by policy (AMS)",
    ("PURGE", "CHANNEL"): "there are no MQTT channels",
}
RESET_QMGR = {
    "STATISTICS": "",
    "PUBSUB": "",
    "ADVANCELOG": "the queue manager moves on to the next log file by itself",
    "REDUCELOG": "the queue manager frees log files by itself",
    "ARCHLOG": "the queue manager is not told of archived log files",
}


def ping_qmgr(context: Context) -> Iterator[Reply]:
    """Reply that the queue manager can run commands."""
    yield replies.accepted("AMQ8415I", "Ping Penstock Queue Manager command complete.")


def unsupported(context: Context, verb: str, noun: str) -> Iterator[Reply]:
    """Answer a command that cannot be carried out here."""
    command_authority.check(context, verb, noun)
    yield replies.not_supported(f"{verb} {noun}", MISSING[verb, noun])


def reset_qmgr(context: Context, subject: str, relation: tuple[str, str] = ("", "")) -> Iterator[Reply]:
    """Write statistics now, or end a relation of the hierarchy; other types have nothing to reset."""
    command_authority.check(context, "RESET", "QMGR")
    if subject == "STATISTICS":
        context.engine.write_statistics(context.now)
        yield replies.accepted("AMQ8472I", "Penstock queue manager statistics reset.")
        return
    if subject == "PUBSUB":
        kind, name = relation
        if not context.engine.pubsub.neighbours.cut(name, kind):
            yield replies.not_found(name)
            return
        if kind == "PARENT":
            context.engine.alter(context.qmgr(), {"PARENT": ""}, context.now)
        yield replies.accepted("AMQ8417I", "Reset queue manager accepted.")
        return
    yield replies.not_supported(f"RESET QMGR TYPE({subject})", RESET_QMGR[subject])


def reset_queue_statistics(context: Context, name: str) -> Iterator[Reply]:
    """Report the counts of queues since the last reset, and restart them."""
    command_authority.check(context, "RESET", "QSTATS", name)
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


def refresh_security(context: Context, options: Mapping[str, str]) -> Iterator[Reply]:
    """Look users, groups, authorities and certificates up again."""
    command_authority.check(context, "REFRESH", "SECURITY")
    context.engine.access.refresh()
    context.engine.dependencies.security_changed()  # authority is checked anew
    _ask(context, "SECURITY", options)
    yield replies.accepted("AMQ8560I", "Penstock security cache refreshed.")


def refresh_qmgr(context: Context, options: Mapping[str, str]) -> Iterator[Reply]:
    """Make the machinery beside the engine refresh its cached data."""
    command_authority.check(context, "REFRESH", "QMGR")
    if options.get("TYPE") == "PROXYSUB":
        context.engine.pubsub.neighbours.refresh()
    _ask(context, "QMGR", options)
    yield replies.accepted("AMQ8730I", "Refresh queue manager accepted.")


def _ask(context: Context, kind: str, options: Mapping[str, str]) -> None:
    try:
        context.runtime.command(Request("REFRESH", kind, "", options))
    except NotRunning:
        return  # no cache, nothing to refresh
