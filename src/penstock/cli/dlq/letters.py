"""Dead letters as the `dlq` commands see them: found by a filter, read, and sent on one at a time.

A letter goes on in a unit of work, with its ids, properties and context as they were, so that it is in
exactly one place whatever happens. Called by the commands of this folder only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.message_view import iso_time, message_facts

if TYPE_CHECKING:
    from penstock.host.queue_manager import QueueManager
    from penstock.model.headers import DeadLetterHeader
    from penstock.model.message import Message

HEADER_FORMAT = "MQDEAD"
HEADER_BYTES = 172
MQRC_UNKNOWN_OBJECT_NAME = 2085

QueueOption = Annotated[str, typer.Option("--queue", "-q", help="else the queue manager's DEADQ")]
ReasonOption = Annotated[str, typer.Option("--reason", help="only this reason: number or name")]
DestinationOption = Annotated[str, typer.Option("--destination", help="only those going to this queue")]
SelectorOption = Annotated[str | None, typer.Option("--selector", help="such as \"colour = 'red'\"")]
MsgIdOption = Annotated[str | None, typer.Option("--msg-id", help="only this message")]
CountOption = Annotated[int, typer.Option("--count", "-n", min=0, help="how many at most; 0 for all")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="say which messages are meant, do nothing")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="do not ask")]
JsonOption = Annotated[bool, typer.Option("--json", help="answer in JSON")]


@dataclass(frozen=True)
class Wanted:
    """Which dead letters a command means."""

    queue: str = ""
    reason: str = ""
    destination: str = ""
    selector: str | None = None
    msg_id: bytes | None = None
    count: int = 0


@dataclass(frozen=True)
class Letter:
    """A message on a dead-letter queue; `header` is None for one that has none."""

    message: Message
    header: DeadLetterHeader | None

    @property
    def reason(self) -> int:
        """Why it is here."""
        return self.header.reason if self.header else self.message.descriptor.feedback

    @property
    def destination(self) -> str:
        """Where it was going."""
        return self.header.queue if self.header else ""

    @property
    def body(self) -> bytes:
        """The body without the header."""
        return bytes(self.message.body or b"")[HEADER_BYTES if self.header else 0 :]


def dead_letter_queue(qm: QueueManager, queue: str) -> str:
    """Return the queue that the commands work on."""
    from penstock.model.errors import error

    if queue:
        return queue
    named = (qm.mqsc("DISPLAY QMGR DEADQ")[0].attributes or {}).get("DEADQ", "")
    if not str(named).strip():
        raise error(MQRC_UNKNOWN_OBJECT_NAME, f"{qm.name} has no dead-letter queue; name one with --queue")
    return str(named)


def find(qm: QueueManager, queue: str, wanted: Wanted) -> list[Letter]:
    """Return the dead letters that fit, in their order on the queue."""
    number = reason_number(wanted.reason)
    found: list[Letter] = []
    for message in qm.browse(queue, selector=wanted.selector):
        letter = read(message)
        if number not in (0, letter.reason) or wanted.destination not in ("", letter.destination):
            continue
        if wanted.msg_id in (None, message.msg_id):
            found.append(letter)
        if wanted.count and len(found) == wanted.count:
            break
    return found


def reason_number(text: str) -> int:
    """Return the number of a reason given as number or name; 0 for none."""
    from penstock.model.reasons import by_name

    if not text or text.isdigit():
        return int(text or 0)
    try:
        return by_name(text).number
    except LookupError:
        raise typer.BadParameter(f"--reason {text} is not a reason code") from None


def read(message: Message) -> Letter:
    """Take the dead-letter header off a message; a header that makes no sense stays in the body."""
    from penstock.model.errors import MQError
    from penstock.model.headers import DeadLetterHeader

    descriptor = message.descriptor
    if descriptor.format.strip() != HEADER_FORMAT:
        return Letter(message, None)
    try:
        return Letter(
            message, DeadLetterHeader.unpack(message.body or b"", descriptor.encoding, descriptor.ccsid)
        )
    except MQError:
        return Letter(message, None)


def send_on(qm: QueueManager, source: str, letter: Letter, queue: str, qmgr: str, keep_header: bool) -> bool:
    """Take a letter off its queue and put it on another, in one unit of work; False when it is gone."""
    from penstock.model import constants as mq

    message, header = letter.message, None if keep_header else letter.header
    descriptor, body = message.descriptor, bytes(message.body or b"")
    if header is not None:
        body = letter.body
        descriptor = descriptor.replace(format=header.format, encoding=header.encoding, ccsid=header.ccsid)
    options = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT
    with qm.unit_of_work(), qm.open(queue, options, **({"qmgr": qmgr} if qmgr else {})) as target:
        if qm.get(source, msg_id=message.msg_id, correl_id=message.correl_id) is None:
            return False
        target.put(
            body,
            options=mq.MQPMO_SET_ALL_CONTEXT,
            msg_id=message.msg_id,
            correl_id=message.correl_id,
            persistent=bool(message.persistent),
            priority=message.priority,
            expiry=message.expiry,
            properties=message.properties,
            put_time=message.put_time,
            descriptor=descriptor,
        )
    return True


def letter_facts(letter: Letter, with_body: bool) -> dict[str, Any]:
    """Return a dead letter as JSON can hold it."""
    from penstock.model.reasons import REASONS

    entry = REASONS.get(letter.reason)
    facts: dict[str, Any] = {
        "msg_id": letter.message.msg_id.hex(),
        "reason": letter.reason,
        "reason_name": entry.name if entry else "",
        "destination": letter.destination,
        "destination_qmgr": letter.header.qmgr if letter.header else "",
        "put_time": iso_time(letter.message.put_time),
        "length": len(letter.body),
    }
    if with_body:
        message = letter.message.snapshot()
        message.body = letter.body
        message.length = len(letter.body)
        facts |= {key: value for key, value in message_facts(message).items() if key not in facts}
        facts["format"] = letter.header.format if letter.header else letter.message.format
    return facts
