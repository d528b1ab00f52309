"""`penstock channel list`: message channels with state, partner and what waits."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

COLUMNS = (
    "channel",
    "type",
    "partner",
    "state",
    "waiting",
    "oldest",
    "messages",
    "batches",
    "undelivered",
    "health",
    "error",
)
HEALTH = ("well", "look", "bad")


def list_(
    pattern: Annotated[str, typer.Argument(help="only channels of these names, such as 'TO.*'")] = "*",
    qmgr: QmgrOption = "",
    as_json: JsonOption = False,
) -> None:
    """List message channels: state, partner, messages that wait, age of the oldest, last error."""
    from msgspec import to_builtins

    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_columns, show_json
    from penstock.cli.queue.list import age
    from penstock.tools.channel_facts import channels_of

    with connected(qmgr, commands_only=True) as qm:
        found = channels_of(qm, pattern)
    if as_json:
        show_json(to_builtins(found))
        return
    now = time.time()
    rows = [
        (
            *(each.channel, each.type, each.partner, each.state, each.waiting),
            age(now - each.oldest) if each.oldest else "",
            *(each.messages, each.batches, each.undelivered, HEALTH[each.health], each.last_error),
        )
        for each in found
    ]
    show_columns(COLUMNS, rows)
