"""`penstock dlq retry`: sends dead letters where they were going."""

from __future__ import annotations

from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
    AgeOption,
    CountOption,
    DestinationOption,
    DryRunOption,
    JsonOption,
    MsgIdOption,
    QueueOption,
    ReasonOption,
    SelectorOption,
    YesOption,
)


def retry(
    qmgr: QmgrOption = "",
    queue: QueueOption = "",
    reason: ReasonOption = "",
    destination: DestinationOption = "",
    selector: SelectorOption = None,
    msg_id: MsgIdOption = None,
    age: AgeOption = "",
    count: CountOption = 0,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on the queue they were going to, without their header."""
    from penstock.cli.choosing import connected
    from penstock.cli.dlq import sending
    from penstock.cli.dlq.letters import find, wanted
    from penstock.tools import dead_letters as dead_letter_tool

    meant = wanted(reason, destination, selector, msg_id, age, count)
    with connected(qmgr) as qm:
        source = dead_letter_tool.dead_letter_queue(qm, queue)
        found = find(qm, source, meant)
        letters = [letter for letter in found if letter.destination]
        if len(letters) < len(found) and not as_json:
            print(
                f"{sending.counted(len(found) - len(letters))} without a destination: `dlq move` takes those."
            )

        def send(letter: dead_letter_tool.Letter) -> bool:
            return dead_letter_tool.retry(qm, source, letter)

        if not sending.agreed(f"retry from {source}", letters, dry_run, yes, as_json):
            sending.report_nothing(letters, as_json)
            return
        outcome = sending.send_all(letters, send)
    sending.report(outcome, as_json)
