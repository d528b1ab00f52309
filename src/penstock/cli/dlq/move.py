"""`penstock dlq move`: puts dead letters on a queue of the user's choice."""

from __future__ import annotations

from typing import Annotated

import typer

from penstock.cli import completion
from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
    AgeOption,
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
    target: Annotated[str, typer.Argument(help="the queue they go to", autocompletion=completion.queues)],
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    age: AgeOption = "",
    count: CountOption = 0,
    keep_header: Annotated[bool, typer.Option("--keep-header", help="leave the MQDLH on")] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on another queue."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq import sending
    from penstock.cli.dlq.letters import find, wanted
    from penstock.tools import dead_letters as dead_letter_tool

    meant = wanted(reason, destination, selector, msg_id, age, count)
    with connected(qmgr) as qm:
        source = dead_letter_tool.dead_letter_queue(qm, queue)
        letters = find(qm, source, meant)

        def send(letter: dead_letter_tool.Letter) -> bool:
            return dead_letter_tool.move(qm, source, letter, target, keep_header)

        if not sending.agreed(f"move from {source} to {target}", letters, dry_run, yes, as_json):
            sending.report_nothing(letters, as_json)
            return
        outcome = sending.send_all(letters, send)
    sending.report(outcome, as_json)
