"""`penstock publish`: a message from the command line, a file or standard input to a topic."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.connecting import QmgrOption, TopicArgument
from penstock.cli.put import (
    ExpiryOption,
    FileOption,
    LinesOption,
    PropertiesOption,
    ReceiptsOption,
    TextArgument,
    bodies_of,
    receipt_facts,
)


def publish(
    topic: TopicArgument,
    text: TextArgument = None,
    qmgr: QmgrOption = "",
    file: FileOption = None,
    lines: LinesOption = False,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="publish it this many times")] = 1,
    retain: Annotated[bool, typer.Option("--retain", help="retain it for later subscribers")] = False,
    persistent: Annotated[
        bool | None, typer.Option("--persistent/--not-persistent", help="default: the topic's DEFPSIST")
    ] = None,
    expiry: ExpiryOption = None,
    properties: PropertiesOption = None,
    as_json: ReceiptsOption = False,
) -> None:
    """Publish messages to a topic."""
    from penstock.cli.connecting import connected
    from penstock.cli.message_view import parse_properties
    from penstock.cli.printing import show_json

    options: dict[str, Any] = {
        "persistent": persistent,
        "expiry": expiry,
        "properties": parse_properties(properties or []) or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    bodies = bodies_of(text, file, lines) * count
    with connected(qmgr) as qm:
        receipts = [qm.publish(topic, body, retain=retain, **given) for body in bodies]
    if as_json:
        show_json([receipt_facts(receipt) for receipt in receipts])
    else:
        print(f"Published {len(receipts)} message{'s' if len(receipts) != 1 else ''} to {topic}.")
