"""`penstock dlq show`: dead letters with header and body."""

from __future__ import annotations

from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
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
    count: CountOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Show dead letters in full: why they are here, where they were going, descriptor, properties, body."""
    import penstock
    from penstock.cli.choosing import chosen
    from penstock.cli.dlq.letters import Wanted, dead_letter_queue, find, letter_facts
    from penstock.cli.listing import show_facts, show_json
    from penstock.cli.message_view import parse_id

    wanted = Wanted(queue, reason, destination, selector, parse_id(msg_id, "--msg-id"), count)
    with penstock.embed(chosen(qmgr)) as qm:
        letters = find(qm, dead_letter_queue(qm, queue), wanted)
    facts = [letter_facts(letter, with_body=True) for letter in letters]
    if as_json:
        show_json(facts)
        return
    for number, each in enumerate(facts):
        if number:
            print()
        show_facts(each)
