"""`penstock dlq show`: dead letters with header and body."""

from __future__ import annotations

import sys

from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
    AgeOption,
    CountOption,
    DestinationOption,
    JsonOption,
    MsgIdOption,
    QueueOption,
    ReasonOption,
    SelectorOption,
)


def show(
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    age: AgeOption = "",
    count: CountOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show dead letters in full: why they are here, where they were going, descriptor, properties, body."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq.letters import find, letter_facts, wanted
    from penstock.cli.listing import show_facts, show_json
    from penstock.tools.dead_letters import dead_letter_queue

    meant = wanted(reason, destination, selector, msg_id, age, 0)
    with connected(qmgr) as qm:
        letters = find(qm, dead_letter_queue(qm, queue), meant)
    facts = [letter_facts(letter, with_body=True) for letter in letters[: count or None]]
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
