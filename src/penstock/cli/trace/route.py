"""`penstock trace route`: the way of a message through queue managers, hop by hop."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption, QueueArgument

INCOMPLETE = 1


def route(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    to: Annotated[str, typer.Option("--to", help="the queue manager that the queue is at")] = "",
    deliver: Annotated[
        bool, typer.Option("--deliver", help="put the message to the queue; else it is discarded there")
    ] = False,
    collect: Annotated[
        bool, typer.Option("--collect", help="one reply from the end, instead of a report from each channel")
    ] = False,
    persistent: Annotated[
        bool, typer.Option("--persistent", help="trace with a persistent message; needs --reply-to")
    ] = False,
    reply_to: Annotated[
        str, typer.Option("--reply-to", help="the local queue that reports come to; else a temporary one")
    ] = "",
    activities: Annotated[
        int, typer.Option("--activities", min=0, help="discard the message after so many; 0 for no limit")
    ] = 0,
    wait: Annotated[
        float, typer.Option("--wait", min=0, help="seconds to wait for the end of the route")
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Send a trace-route message to a queue and print what every queue manager does with it.

    Exit 1 if the end of the route is not known in time.
    """
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools.route_tracing import Request, trace_route

    if persistent and not reply_to:
        raise typer.BadParameter(
            "--persistent needs --reply-to: a temporary queue takes no persistent reports"
        )
    request = Request(queue, to, deliver, collect, persistent, reply_to, activities, wait)
    with connected(qmgr) as qm:
        found = trace_route(qm, request)
    if as_json:
        show_json({"id": found.msg_id.hex(), "complete": found.is_complete, "operations": found.operations})
    else:
        for each in found.operations:
            print(f"{each.get('qmgr', '?'):<16}  {told(each)}")
        if not found.is_complete:
            print(f"The end of the route is not known after {wait:g} s: no report came from behind this.")
    if not found.is_complete:
        raise typer.Exit(INCOMPLETE)


def told(operation: dict[str, Any]) -> str:
    """Return what was done, in words."""
    kind, queue = operation["operation"], operation.get("queue", "")
    match kind:
        case "put":
            return f"put to {queue}{_resolved(operation)}{_feedback(operation)}"
        case "get":
            return f"got from {queue}"
        case "send":
            return f"sent by channel {operation.get('channel', '?')} to {operation.get('remote_qmgr', '?')}"
        case "receive":
            by, sender = operation.get("channel", "?"), operation.get("remote_qmgr", "?")
            return f"received by channel {by} from {sender}"
        case "discard":
            return f"discarded{f' at {queue}' if queue else ''}{_feedback(operation)}"
    return f"{kind} {queue}".rstrip()


def _resolved(operation: dict[str, Any]) -> str:
    """Return where a name led to."""
    queue, resolved = operation.get("queue"), operation.get("resolved_queue")
    text = f", which is {resolved}" if resolved and resolved != queue else ""
    if "remote_qmgr" in operation:
        text += f", for {operation.get('remote_queue') or queue} at {operation['remote_qmgr']}"
    return text


def _feedback(operation: dict[str, Any]) -> str:
    from penstock.model import constants as mq

    number = operation.get("feedback")
    if number is None:
        return ""
    if number == mq.MQFB_NOT_DELIVERED:
        return ": the queue is reached (--deliver would put the message there)"
    prefix = "MQFB_" if number < mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR else "MQRC_"
    names = (each for each in dir(mq) if each.startswith(prefix) and getattr(mq, each) == number)
    return f": {next(names, number)}"
