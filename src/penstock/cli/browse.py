"""`penstock browse`: shows messages and leaves them on their queue."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.choosing import QmgrOption

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message

FIRST = (9, -1)  # before the first place of the highest priority


def browse(
    queue: Annotated[str, typer.Argument(help="the queue")],
    qmgr: QmgrOption = "",
    count: Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")] = 0,
    selector: Annotated[str | None, typer.Option(help="such as \"colour = 'red'\"")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="also what flows, units of work and browse locks hold")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a line for each message")] = False,
) -> None:
    """Show the messages on a queue, in the order a get would take them."""
    from penstock.cli.choosing import connected
    from penstock.cli.get import shower

    if everything and selector:
        raise typer.BadParameter("--all takes no --selector")
    show = shower(as_json)
    with connected(qmgr) as qm:
        if everything:
            for message, holder in islice(all_messages(qm, queue), count or None):
                _show_held(message, holder, as_json)
            return
        messages = qm.browse(queue, selector=selector) if selector else qm.browse(queue)
        for message in islice(messages, count or None):
            show(message)


def _show_held(message: Message, holder: str, as_json: bool) -> None:
    """Print a message, and who holds it if somebody does."""
    from penstock.cli.listing import show_json_line
    from penstock.cli.message_view import message_facts

    if as_json:
        show_json_line({**message_facts(message), "held_by": holder or None})
        return
    body = bytes(message.body or b"").decode("utf-8", "backslashreplace")
    print(f"[held by {holder}] {body}" if holder else body)


def all_messages(qm: Any, queue: str) -> Iterator[tuple[Message, str]]:
    """Yield every message that is on a queue now, and who holds it."""
    facts = qm.flows.extent(queue)
    part = {name: facts[name] for name in ("started", "first", "last")}
    after = FIRST
    while rows := qm.flows.read_extent(queue, **part, after=after, held=True):
        for priority, place, message, holder in rows:
            after = (priority, place)
            yield message, holder
