"""`penstock dlq move`: puts dead letters on a queue of the user's choice."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
    CountOption,
    DestinationOption,
    DryRunOption,
    JsonOption,
    MsgIdOption,
    QueueOption,
    ReasonOption,
    SelectorOption,
    YesOption,
)


def move(
    target: Annotated[str, typer.Argument(help="the queue they go to")],
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    count: CountOption = 0,
    keep_header: Annotated[bool, typer.Option("--keep-header", help="leave the MQDLH on")] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on another queue."""
    import penstock
    from penstock.cli.choosing import chosen
    from penstock.cli.dlq import sending
    from penstock.cli.dlq.letters import Letter, Wanted, dead_letter_queue, find, send_on
    from penstock.cli.listing import show_json
    from penstock.cli.message_view import parse_id

    wanted = Wanted(queue, reason, destination, selector, parse_id(msg_id, "--msg-id"), count)
    with penstock.embed(chosen(qmgr)) as qm:
        source = dead_letter_queue(qm, queue)
        letters = find(qm, source, wanted)

        def send(letter: Letter) -> bool:
            return send_on(qm, source, letter, target, "", keep_header)

        if not sending.agreed(f"move from {source} to {target}", letters, dry_run, yes, as_json):
            if as_json:
                show_json({"found": len(letters), "done": 0, "gone": 0, "failed": []})
            return
        outcome = sending.send_all(letters, send)
    sending.report(outcome, as_json)
