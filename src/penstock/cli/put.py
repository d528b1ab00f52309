"""`penstock put`: messages from the command line, a file or standard input to a queue."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.connecting import QmgrOption, QueueArgument

if TYPE_CHECKING:
    from penstock.model.message import Receipt

TextArgument = Annotated[str | None, typer.Argument(help="the message; standard input when left out")]
FileOption = Annotated[Path | None, typer.Option("--file", "-f", help="take the body from a file")]
LinesOption = Annotated[bool, typer.Option("--lines", help="each line of the input is a message")]
ExpiryOption = Annotated[float | None, typer.Option(help="seconds until it expires")]
PropertiesOption = Annotated[
    list[str] | None, typer.Option("--property", "-p", help="name=value; may be repeated")
]
ReceiptsOption = Annotated[bool, typer.Option("--json", help="answer with a JSON list of receipts")]
BATCH_MESSAGES_MAX = 100


def put(
    queue: QueueArgument,
    text: TextArgument = None,
    qmgr: QmgrOption = "",
    file: FileOption = None,
    lines: LinesOption = False,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="put it this many times")] = 1,
    persistent: Annotated[
        bool | None, typer.Option("--persistent/--not-persistent", help="default: the queue's DEFPSIST")
    ] = None,
    priority: Annotated[int | None, typer.Option(min=0, max=9, help="default: the queue's DEFPRTY")] = None,
    expiry: ExpiryOption = None,
    correl_id: Annotated[str | None, typer.Option(help="48 hexadecimal digits, 0x..., or text")] = None,
    msg_id: Annotated[str | None, typer.Option(help="as --correl-id; default: a new one")] = None,
    reply_to: Annotated[str, typer.Option(help="the queue for replies")] = "",
    format: Annotated[
        str | None, typer.Option(help="MQMD.Format, such as MQHRF2; default: MQSTR for text, none for a file")
    ] = None,
    ccsid: Annotated[int | None, typer.Option(help="the body's character set; default: 1208, UTF-8")] = None,
    encoding: Annotated[int | None, typer.Option(help="the body's numbers; 785 for z/OS")] = None,
    at: Annotated[
        str, typer.Option("--at", help="the queue manager that has the queue (ObjectQMgrName)")
    ] = "",
    properties: PropertiesOption = None,
    as_json: ReceiptsOption = False,
) -> None:
    """Put messages on a queue; several go in units of work of up to 100."""
    from penstock.cli.connecting import connected
    from penstock.cli.message_view import parse_id, parse_properties
    from penstock.cli.printing import show_json
    from penstock.model.errors import MQError

    options: dict[str, Any] = {
        "persistent": persistent,
        "priority": priority,
        "expiry": expiry,
        "correl_id": parse_id(correl_id, "--correl-id"),
        "msg_id": parse_id(msg_id, "--msg-id"),
        "reply_to": reply_to or None,
        "format": format,
        "ccsid": ccsid,
        "encoding": encoding,
        "qmgr": at or None,
        "properties": parse_properties(properties or []) or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    bodies = bodies_of(text, file, lines) * count
    receipts: list[Receipt] = []
    with connected(qmgr) as qm:
        if len(bodies) == 1:
            receipts.append(qm.put(queue, bodies[0], **given))
        try:
            for start in range(0, len(bodies) if len(bodies) > 1 else 0, BATCH_MESSAGES_MAX):
                receipts += qm.put_many(queue, bodies[start : start + BATCH_MESSAGES_MAX], **given)
        except MQError:
            print(f"{len(receipts)} of {len(bodies)} messages are put on {queue}.", file=sys.stderr)
            raise
    if as_json:
        show_json([receipt_facts(receipt) for receipt in receipts])
    elif len(receipts) == 1:
        print(f"Put 1 message on {queue}: {receipts[0].msg_id.hex()}")
    else:
        print(f"Put {len(receipts)} messages on {queue}.")


def bodies_of(text: str | None, file: Path | None, lines: bool) -> list[bytes | str]:
    """Return the bodies; typed text and lines are text in MQ (format MQSTR), a file is bytes."""
    if text is not None and file is not None:
        raise typer.BadParameter("give the text or --file, not both")
    if text is None and file is None and sys.stdin.isatty():
        print("Type the message; Ctrl-D ends it.", file=sys.stderr)
    if lines:
        whole = text if text is not None else (file.read_text() if file else sys.stdin.read())
        return [*whole.splitlines()]
    if text is not None:
        return [text]
    return [file.read_bytes() if file is not None else sys.stdin.buffer.read()]


def receipt_facts(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as JSON can hold it."""
    from penstock.cli.message_view import iso_time

    return {
        "msg_id": receipt.msg_id.hex(),
        "correl_id": receipt.correl_id.hex(),
        "put_time": iso_time(receipt.put_time),
        "warning": receipt.warning,
    }
