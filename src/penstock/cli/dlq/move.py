"""`penstock dlq move`: puts dead letters on a queue of the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.dlq.sending import with_letters

if TYPE_CHECKING:
    from penstock.cli.dlq.sending import Chosen


@with_letters
def move(
    target: Annotated[str, typer.Argument(help="the queue they go to", autocompletion=completion.queues)],
    *,
    chosen: Chosen,
    keep_header: Annotated[bool, typer.Option("--keep-header", help="leave the MQDLH on")] = False,
) -> None:
    """Put dead letters on another queue."""
    from penstock.tools import dead_letters

    def send(letter: dead_letters.Letter) -> bool:
        return dead_letters.move(chosen.qm, chosen.source, letter, target, keep_header)

    chosen.act(f"move from {chosen.source} to {target}", send)
