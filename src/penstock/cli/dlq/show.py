"""`penstock dlq show`: dead letters with header and body."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from penstock.cli.connecting import JsonOption, QmgrOption
from penstock.cli.dlq.letters import CountOption, QueueOption, with_filter

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter


@with_filter
def show(
    *,
    chosen: Filter,
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    count: CountOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show dead letters in full: why they are here, where they were going, descriptor, properties, body."""
    from penstock.cli.connecting import connected
    from penstock.cli.dlq.letters import find, grouped, letter_facts
    from penstock.cli.printing import show_facts, show_json

    with connected(qmgr) as qm:
        _, letters = find(qm, queue, chosen)
    facts = [letter_facts(letter, with_body=True) for letter in grouped(letters)[: count or None]]
    if as_json:
        show_json(facts)
        return
    for number, each in enumerate(facts, 1):
        print(f"{number} of {len(letters)}")
        show_facts(each)
        if number < len(facts):
            print()
    if not letters:
        print("There is no such dead letter.", file=sys.stderr)
