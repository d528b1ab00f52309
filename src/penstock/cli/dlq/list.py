"""`penstock dlq list`: what is on the dead-letter queue, and why."""

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

COLUMNS = ("msg_id", "put_time", "reason", "reason_name", "destination", "length")


def list_(
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    count: CountOption = 0,
    as_json: JsonOption = False,
) -> None:
    """List dead letters: reason, destination, time and length."""
    import penstock
    from penstock.cli.choosing import chosen
    from penstock.cli.dlq.letters import Wanted, dead_letter_queue, find, letter_facts
    from penstock.cli.listing import show_columns, show_json
    from penstock.cli.message_view import parse_id

    wanted = Wanted(queue, reason, destination, selector, parse_id(msg_id, "--msg-id"), count)
    with penstock.embed(chosen(qmgr)) as qm:
        letters = find(qm, dead_letter_queue(qm, queue), wanted)
    facts = [letter_facts(letter, with_body=False) for letter in letters]
    if as_json:
        show_json(facts)
    else:
        show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in facts])
