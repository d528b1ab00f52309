"""`penstock browse`: shows messages without removing them from their queue."""

from __future__ import annotations

import os
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import QmgrOption, QueueArgument

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message

FOLLOW_SECONDS = 1.0  # between checks for a stop request
FIRST = (9, -1)  # before the first position of the highest priority


def browse(
    queue: QueueArgument,
    qmgr: QmgrOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")] = 0,
    selector: Annotated[str | None, typer.Option(help="such as \"colour = 'red'\"")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="include messages held by flows, units of work and browse locks")
    ] = False,
    follow: Annotated[bool, typer.Option("--follow", help="continue with messages as they arrive")] = False,
    as_hex: Annotated[bool, typer.Option("--hex", help="show bodies as a hex dump")] = False,
    mqmd: Annotated[
        bool, typer.Option("--mqmd", help="show every field of the descriptor, properties and a hex dump")
    ] = False,
    domain: Annotated[str, typer.Option(help="show headers and body as a tree: XMLNSC, JSON, MRM ...")] = "",
    model: Annotated[
        Path | None, typer.Option(help="with --domain: YAML, copybook, .xsd, message set")
    ] = None,
    message: Annotated[str, typer.Option(help="which message of the model")] = "",
    format: Annotated[str, typer.Option(help="which physical format of the model")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON object per line for each message")
    ] = False,
) -> None:
    """Show the messages on a queue, in the order a get would take them."""
    from penstock.cli.connecting import RUNNING, connected
    from penstock.cli.message_dump import View, shower_of
    from penstock.model.errors import error

    if everything and (selector or follow):
        raise typer.BadParameter("--all takes neither --selector nor --follow")
    if model is not None and not domain:
        raise typer.BadParameter("--model needs --domain: MRM for most models, DFDL for a DFDL schema")
    if follow:
        os.environ[RUNNING] = "1"  # no program can put to a queue manager that only this command has open
    show = shower_of(View(as_hex, mqmd, domain, model, message, format), as_json)
    with connected(qmgr) as qm:
        rows = all_messages(qm, queue) if everything else messages_of(qm, queue, selector, follow)
        shown, unparsed, first = 0, 0, None
        for found, holder in islice(rows, count or None):
            refused = show(found, holder)
            sys.stdout.flush()
            shown += 1
            unparsed += refused is not None
            first = first or refused
    if first is not None:
        raise error(
            first.reason, f"{unparsed} of {shown} messages cannot be parsed; the first: {first.detail}"
        )


def messages_of(
    qm: BlockingQueueManager, queue: str, selector: str | None, follow: bool
) -> Iterator[tuple[Message, None]]:
    """Yield the messages of a queue, and with `follow` later ones, until an interrupt.

    A message that overtakes others by its priority is in front of those already shown, and is not seen.
    """
    from penstock.model import constants as mq

    if not follow:
        for found in qm.browse(queue, selector=selector) if selector else qm.browse(queue):
            yield found, None
        return
    with qm.open(queue, mq.MQOO_BROWSE, selector=selector) as handle:
        options = mq.MQGMO_BROWSE_FIRST
        while True:
            message = handle.get(options=options, wait=FOLLOW_SECONDS, quiet=True)
            if message is not None:
                options = mq.MQGMO_BROWSE_NEXT
                yield message, None


def all_messages(qm: BlockingQueueManager, queue: str) -> Iterator[tuple[Message, str]]:
    """Yield every message that is on a queue now, and who holds it."""
    facts = qm.batches.extent(queue)
    part = {name: facts[name] for name in ("started", "first", "last")}
    after = FIRST
    while rows := qm.batches.read_extent(queue, **part, after=after, held=True):
        for priority, place, message, holder in rows:
            after = (priority, place)
            yield message, holder
