"""`penstock dlq list`: what is on the dead-letter queue, and why."""

from __future__ import annotations

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

COLUMNS = ("msg_id", "put_time", "reason", "reason_name", "destination", "length")


def list_(
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    age: AgeOption = "",
    count: CountOption = 0,
    as_json: JsonOption = False,
) -> None:
    """List dead letters: reason, destination, time and length."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq.letters import find, letter_facts, wanted
    from penstock.cli.listing import show_columns, show_json
    from penstock.tools.dead_letters import dead_letter_queue

    meant = wanted(reason, destination, selector, msg_id, age, count)
    with connected(qmgr) as qm:
        letters = find(qm, dead_letter_queue(qm, queue), meant)
    facts = [letter_facts(letter, with_body=False) for letter in letters]
    if as_json:
        show_json(facts)
    else:
        show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in facts])
