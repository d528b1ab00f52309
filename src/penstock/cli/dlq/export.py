"""`penstock dlq export`: writes dead letters to a file, one JSON object per line.

With --remove they leave the queue, each only after it is in the file and the file is on disk.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.dlq.sending import with_letters

if TYPE_CHECKING:
    from penstock.cli.dlq.sending import Chosen
    from penstock.tools.dead_letters import Letter


@with_letters
def export(
    file: Annotated[Path, typer.Argument(help="the file; must not exist")],
    *,
    chosen: Chosen,
    remove: Annotated[bool, typer.Option("--remove", help="take them off the queue afterwards")] = False,
) -> None:
    """Write dead letters to a file, one JSON object per line."""
    from penstock.tools import dead_letters

    def take(letter: Letter) -> bool:
        return dead_letters.remove(chosen.qm, chosen.source, letter)

    chosen.yes = chosen.yes or not remove
    what = f"export from {chosen.source} to {file}{' and remove' if remove else ''}"
    chosen.act(what, take if remove else bool, before=lambda: write(file, chosen.letters))


def write(file: Path, letters: list[Letter]) -> None:
    """Write letters to a new file, which is on disk when this returns."""
    from penstock.cli.dlq.letters import letter_facts
    from penstock.cli.printing import plain
    from penstock.store.durable_files import sync_file

    with file.open("x") as out:
        for letter in letters:
            out.write(json.dumps(letter_facts(letter, with_body=True), default=plain) + "\n")
        sync_file(out)
