"""`penstock subscribe`: shows publications on a topic, as they arrive.

Messages are got in units of work that commit only after the output was written, so that a durable
subscription loses none to a closed pipe. Exit 1 with 2033 if there was none at all.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from penstock.cli import completion
from penstock.cli.connecting import QmgrOption
from penstock.model import constants as mq


def subscribe(
    topic: Annotated[
        str,
        typer.Argument(help="the topic string, or a pattern with # and +", autocompletion=completion.topics),
    ],
    qmgr: QmgrOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for no end")] = 0,
    wait: Annotated[float, typer.Option("--wait", "-w", help="seconds to wait for each; -1 for ever")] = -1.0,
    durable: Annotated[str, typer.Option(help="create or resume the durable subscription of this name")] = "",
    remove: Annotated[
        bool, typer.Option("--remove", help="remove the durable subscription at the end")
    ] = False,
    selector: Annotated[str | None, typer.Option(help='such as "size > 10" or "Body.Price > 1"')] = None,
    characters: Annotated[bool, typer.Option("--char", help="wildcards are * and ?, not # and +")] = False,
    new_only: Annotated[
        bool, typer.Option("--new-only", help="skip publications that were retained before")
    ] = False,
    topics: Annotated[
        bool | None,
        typer.Option("--topics/--no-topics", help="show each topic; default: if the topic has wildcards"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON object per line for each message")
    ] = False,
) -> None:
    """Show what is published to a topic."""
    from penstock.cli.connecting import connected
    from penstock.cli.get import shower
    from penstock.model.errors import error

    details: dict[str, Any] = {"selector": selector, "new_only": new_only}
    details["wildcard"] = "char" if characters else "topic"
    if durable:
        details["durable"] = durable
    wild = any(letter in topic for letter in ("*?" if characters else "#+"))
    show = shower(as_json, with_topics=wild if topics is None else topics)
    shown = 0
    with connected(qmgr) as qm:
        subscription = qm.subscribe(topic, **details)
        try:
            while count == 0 or shown < count:
                with qm.unit_of_work():
                    message = subscription.get(wait=None if wait < 0 else wait)
                    if message is None:
                        break
                    show(message)
                    sys.stdout.flush()
                shown += 1
        finally:
            subscription.close(remove=remove)
    if not shown:
        raise error(mq.MQRC_NO_MSG_AVAILABLE, f"nothing was published to {topic}")
