"""`penstock channel trace`: the frames of a message channel as they pass, or the calls of its clients."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.trace import subjects
from penstock.cli.trace.subjects import events


def trace(
    channel: Annotated[str, typer.Argument(help="the channel")],
    qmgr: QmgrOption = "",
    number: Annotated[int, typer.Option("--number", "-n", help="end after this many events", min=1)] = 100,
    wait: Annotated[float, typer.Option("--wait", help="seconds to wait for them", min=0)] = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Show the last milestones of a channel, then its frames as they are sent; calls of a client channel."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json_line

    with connected(qmgr, commands_only=True) as qm:
        subjects.check_subject(qm, "CHANNEL", channel)
        for event in events(qm, "CHANNEL", channel, number, wait):
            if as_json:
                show_json_line(event)
            else:
                print(line(event), flush=True)


def line(event: dict[str, Any]) -> str:
    """Return an event for people."""
    at = time.strftime("%H:%M:%S", time.localtime(event["time"])) + f"{event['time'] % 1:.3f}"[1:]
    if "text" in event:
        return f"{at}  {event['event']}  {event['text']}"
    if "way" not in event:  # a call of a client
        return subjects.line(event)
    arrow = "-->" if event["way"] == "out" else "<--"
    batch = f"  batch {event['batch']}" if event["batch"] else ""
    number = f"  message {event['number_in_channel']}" if event["number_in_channel"] else ""
    return f"{at}  {arrow} {event['event']}{batch}{number}  {event['bytes']} bytes"
