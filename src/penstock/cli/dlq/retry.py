"""`penstock dlq retry`: sends dead letters where they were going."""

from __future__ import annotations

from penstock.cli.choosing import QmgrOption
from penstock.cli.dlq.letters import (
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
    count: CountOption = 0,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Put dead letters on the queue they were going to, without their header."""
    import penstock
    from penstock.cli.choosing import chosen
    from penstock.cli.dlq import sending
    from penstock.cli.dlq.letters import Letter, Wanted, dead_letter_queue, find, send_on
    from penstock.cli.listing import show_json
    from penstock.cli.message_view import parse_id

    wanted = Wanted(queue, reason, destination, selector, parse_id(msg_id, "--msg-id"), count)
    with penstock.embed(chosen(qmgr)) as qm:
        source = dead_letter_queue(qm, queue)
        letters = [letter for letter in find(qm, source, wanted) if letter.destination]

        def send(letter: Letter) -> bool:
            other = letter.header.qmgr if letter.header and letter.header.qmgr != qm.name else ""
            return send_on(qm, source, letter, letter.destination, other, keep_header=False)

        if not sending.agreed(f"retry from {source}", letters, dry_run, yes, as_json):
            if as_json:
                show_json({"found": len(letters), "done": 0, "gone": 0, "failed": []})
            return
        outcome = sending.send_all(letters, send)
    sending.report(outcome, as_json)
