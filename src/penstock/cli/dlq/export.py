"""`penstock dlq export`: writes dead letters to a file, one JSON object a line.

With --remove they leave the queue, each only after it is in the file and the file is on disk.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Letter


def export(
    file: Annotated[Path, typer.Argument(help="the file; must not exist")],
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    age: AgeOption = "",
    count: CountOption = 0,
    remove: Annotated[bool, typer.Option("--remove", help="take them off the queue afterwards")] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write dead letters to a file, one JSON object a line."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq import sending
    from penstock.cli.dlq.letters import find, wanted
    from penstock.tools import dead_letters as dead_letter_tool

    meant = wanted(reason, destination, selector, msg_id, age, count)
    with connected(qmgr) as qm:
        source = dead_letter_tool.dead_letter_queue(qm, queue)
        letters = find(qm, source, meant)

        def take(letter: dead_letter_tool.Letter) -> bool:
            return dead_letter_tool.remove(qm, source, letter)

        what = f"export from {source} to {file}{' and remove' if remove else ''}"
        if not sending.agreed(what, letters, dry_run, yes or not remove, as_json):
            sending.report_nothing(letters, as_json)
            return
        write(file, letters)
        outcome = sending.send_all(letters, take if remove else bool)
    sending.report(outcome, as_json)


def write(file: Path, letters: list[Letter]) -> None:
    """Write letters to a new file, and have it on disk when this returns."""
    from penstock.cli.dlq.letters import letter_facts
    from penstock.cli.listing import plain

    with file.open("x") as out:
        for letter in letters:
            out.write(json.dumps(letter_facts(letter, with_body=True), default=plain) + "\n")
        out.flush()
        os.fsync(out.fileno())
