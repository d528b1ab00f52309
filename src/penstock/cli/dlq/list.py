"""`penstock dlq list`: what is on the dead-letter queue, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.choosing import JsonOption, QmgrOption
from penstock.cli.dlq.letters import QueueOption, with_filter

if TYPE_CHECKING:
    from penstock.tools.dead_letters import Filter

COLUMNS = ("msg_id", "put_time", "reason", "reason_name", "destination", "length")


@with_filter
def list_(
    *, chosen: Filter, qmgr: QmgrOption = "", queue: QueueOption = "", as_json: JsonOption = False
) -> None:
    """List dead letters: reason, destination, time and length."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq.letters import find, letter_facts
    from penstock.cli.listing import show_columns, show_json

    with connected(qmgr) as qm:
        _, letters = find(qm, queue, chosen)
    facts = [letter_facts(letter, with_body=False) for letter in letters]
    if as_json:
        show_json(facts)
    else:
        show_columns(COLUMNS, [[each[column] for column in COLUMNS] for each in facts])
