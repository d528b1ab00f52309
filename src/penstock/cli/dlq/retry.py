"""`penstock dlq retry`: sends dead letters where they were going."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import DryRunOption, QueueOption, YesOption, with_filter

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter


@with_filter
def retry(
    *,
    chosen: Filter,
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on the queue they were going to, without their header."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import find
    from penstock.cli.dlq.sending import act, counted
    from penstock.tools import dead_letters

    with connected(qmgr) as qm:
        source, found = find(qm, queue, chosen)
        letters = [letter for letter in found if letter.destination]
        if len(letters) < len(found) and not as_json:
            print(f"{counted(len(found) - len(letters))} without a destination: `dlq move` takes those.")

        def send(letter: dead_letters.Letter) -> bool:
            return dead_letters.retry(qm, source, letter)

        act(f"retry from {source}", letters, send, dry_run, yes, as_json)
