"""`penstock browse`: shows messages and leaves them on their queue."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from penstock.cli.choosing import QmgrOption


def browse(
    queue: Annotated[str, typer.Argument(help="the queue")],
    qmgr: QmgrOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")] = 0,
    selector: Annotated[str | None, typer.Option(help="such as \"colour = 'red'\"")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a line for each message")] = False,
) -> None:
    """Show the messages on a queue, in the order a get would take them."""
    from penstock.cli.choosing import connected
    from penstock.cli.get import shower

    show = shower(as_json)
    with connected(qmgr) as qm:
        messages = qm.browse(queue, selector=selector) if selector else qm.browse(queue)
        for message in islice(messages, count or None):
            show(message)
