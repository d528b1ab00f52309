"""`penstock dlq export`: writes dead letters to a file, one JSON object per line.

With --remove they leave the queue, each only after it is in the file and the file is on disk.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import DryRunOption, QueueOption, YesOption, with_filter

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter, Letter


@with_filter
def export(
    file: Annotated[Path, typer.Argument(help="the file; must not exist")],
    *,
    chosen: Filter,
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    remove: Annotated[bool, typer.Option("--remove", help="take them off the queue afterwards")] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write dead letters to a file, one JSON object per line."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import find
    from penstock.cli.dlq.sending import act
    from penstock.tools import dead_letters

    with connected(qmgr) as qm:
        source, letters = find(qm, queue, chosen)

        def take(letter: Letter) -> bool:
            return dead_letters.remove(qm, source, letter)

        what = f"export from {source} to {file}{' and remove' if remove else ''}"
        send = take if remove else bool
        act(what, letters, send, dry_run, yes or not remove, as_json, before=lambda: write(file, letters))


def write(file: Path, letters: list[Letter]) -> None:
    """Write letters to a new file, which is on disk when this returns."""
    from penstock.cli.dlq.letters import letter_facts
    from penstock.cli.printing import plain

    with file.open("x") as out:
        for letter in letters:
            out.write(json.dumps(letter_facts(letter, with_body=True), default=plain) + "\n")
        out.flush()
        os.fsync(out.fileno())
