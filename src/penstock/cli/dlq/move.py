"""`penstock dlq move`: puts dead letters on a queue of the user's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import DryRunOption, QueueOption, YesOption, with_filter

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter


@with_filter
def move(
    target: Annotated[str, typer.Argument(help="the queue they go to", autocompletion=completion.queues)],
    *,
    chosen: Filter,
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    keep_header: Annotated[bool, typer.Option("--keep-header", help="leave the MQDLH on")] = False,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on another queue."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import find
    from penstock.cli.dlq.sending import act
    from penstock.tools import dead_letters

    with connected(qmgr) as qm:
        source, letters = find(qm, queue, chosen)

        def send(letter: dead_letters.Letter) -> bool:
            return dead_letters.move(qm, source, letter, target, keep_header)

        act(f"move from {source} to {target}", letters, send, dry_run, yes, as_json)
