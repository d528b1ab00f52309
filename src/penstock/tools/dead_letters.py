"""Dead letters for administrators: found by a filter, read, sent on, one at a time.

A letter is sent on in a unit of work, with its original ids, properties and context, so that it is always on
exactly one queue. `qmgr.dead_letters` turns a message into a dead letter. Called by the `dlq` commands and by
programs that have a queue manager.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.descriptor_format import parse_put_time
from penstock.model.errors import MQError, error
from penstock.model.failure_properties import Failure, read_failure, without_failure
from penstock.model.headers import DeadLetterHeader

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingHandle, BlockingQueueManager
    from penstock.model.message import Message

HEADER_BYTES = 172
_GIVEN_UP = mq.MQRC_BACKOUT_THRESHOLD_REACHED  # in the header that a flow writes
AS_IT_IS = mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT


@dataclass(frozen=True, slots=True)
class Letter:
    """A message on a dead-letter queue; `header` is None for one that has none."""

    message: Message
    header: DeadLetterHeader | None

    @property
    def reason(self) -> int:
        """Why it is here."""
        if self.header is not None:
            return self.header.reason
        failure = self.failure
        return self.message.descriptor.feedback if failure is None else failure.cause

    @property
    def failure(self) -> Failure | None:
        """What failed in the flow that gave it up; None when no flow did."""
        return read_failure(self.message.properties)

    @property
    def cause(self) -> tuple[int, str, str]:
        """What letters are grouped by: the reason that began it, with the flow and the node."""
        failure = self.failure
        return (self.reason, "", "") if failure is None else (failure.cause, failure.flow, failure.node)

    @property
    def channel(self) -> str:
        """The channel that gave it up; empty when none did."""
        by_channel = self.header is not None and self.header.put_appl_type == mq.MQAT_DQM
        return self.header.put_appl_name.strip() if by_channel and self.header is not None else ""

    @property
    def destination(self) -> str:
        """Where it was going, or the queue it was got from; empty if unknown."""
        if self.header is not None:
            return self.header.queue
        failure = self.failure
        return "" if failure is None else failure.queue

    @property
    def body(self) -> bytes:
        """The body without the header."""
        return bytes(self.message.body or b"")[HEADER_BYTES if self.header else 0 :]

    @property
    def since(self) -> float:
        """When it arrived here, in seconds since the epoch."""
        if self.header is not None and self.header.put_date.strip():
            return parse_put_time(self.header.put_date, self.header.put_time)
        return self.message.put_time


@dataclass(frozen=True, slots=True)
class Filter:
    """Which dead letters are chosen; defaults match everything."""

    reason: int = 0
    destination: str = ""
    selector: str | None = None
    msg_id: bytes | None = None
    age_seconds: float | None = None
    count: int = 0  # maximum number; 0 for all
    channel: str = ""

    def accepts(self, letter: Letter, now: float) -> bool:
        """Return whether a letter matches; the browsing code applies `selector` and `count`."""
        if self.reason not in (0, letter.reason, letter.cause[0]) or self.destination not in (
            "",
            letter.destination,
        ):
            return False
        if self.msg_id not in (None, letter.message.msg_id) or self.channel not in ("", letter.channel):
            return False
        return self.age_seconds is None or now - letter.since >= self.age_seconds


def dead_letter_queue(qm: BlockingQueueManager, named: str = "") -> str:
    """Return the queue to work on: the named one, else DEADQ; 2085 if there is neither."""
    if named:
        return named
    with qm.open("", mq.MQOO_INQUIRE, object_type=mq.MQOT_Q_MGR) as handle:
        found = str(handle.inquire("DEADQ")["DEADQ"]).strip()
    if not found:
        raise error(
            mq.MQRC_UNKNOWN_OBJECT_NAME,
            f"{qm.name} has no dead-letter queue; name a queue, or ALTER QMGR DEADQ",
        )
    return found


def find(qm: BlockingQueueManager, queue: str, wanted: Filter, now: float) -> list[Letter]:
    """Return the matching letters, in their order on the queue."""
    found: list[Letter] = []
    for message in qm.browse(queue, selector=wanted.selector):
        letter = read(message)
        if wanted.accepts(letter, now):
            found.append(letter)
            if wanted.count and len(found) == wanted.count:
                break
    return found


def read(message: Message) -> Letter:
    """Remove the dead-letter header from a message; an invalid header stays in the body.

    So does one that the message already had when a flow backed it out: it belongs to its body.
    """
    descriptor = message.descriptor
    if descriptor.format.strip() != mq.MQFMT_DEAD_LETTER_HEADER:
        return Letter(message, None)
    try:
        header = DeadLetterHeader.unpack(message.body or b"", descriptor.encoding, descriptor.ccsid)
    except MQError:
        return Letter(message, None)
    failure = read_failure(message.properties)
    is_own = failure is not None and (header.reason, header.queue) != (_GIVEN_UP, failure.queue)
    return Letter(message, None if is_own else header)


def retry(
    qm: BlockingQueueManager, source: str, letter: Letter, change: Callable[[bytes], bytes] | None = None
) -> bool:
    """Put a letter to its original destination; False if it is gone. 2141 if that is unknown.

    It stays as it is, but for what `change` makes of its body.
    """
    header = letter.header
    if not letter.destination:
        raise error(mq.MQRC_DLH_ERROR, "the message has no dead-letter header that says where it was going")
    qmgr = "" if header is None or header.qmgr == qm.name else header.qmgr
    return _send_on(qm, source, letter, letter.destination, qmgr, False, change)


def move(
    qm: BlockingQueueManager,
    source: str,
    letter: Letter,
    target: str,
    keep_header: bool = False,
    change: Callable[[bytes], bytes] | None = None,
) -> bool:
    """Put a letter on another queue; False if it is gone."""
    return _send_on(qm, source, letter, target, "", keep_header, change)


def remove(qm: BlockingQueueManager, source: str, letter: Letter) -> bool:
    """Remove a letter from its queue permanently; False if it is gone."""
    return _take(qm, source, letter) is not None


def _send_on(
    qm: BlockingQueueManager,
    source: str,
    letter: Letter,
    queue: str,
    qmgr: str,
    keep_header: bool,
    change: Callable[[bytes], bytes] | None,
) -> bool:
    with qm.unit_of_work(), qm.open(queue, AS_IT_IS, qmgr=qmgr) as target:
        message = _take(qm, source, letter)
        if message is None:
            return False
        header = None if keep_header else letter.header
        if header is not None:
            message.body = bytes(message.body or b"")[HEADER_BYTES:]
            message.descriptor = message.descriptor.replace(
                format=header.format, encoding=header.encoding, ccsid=header.ccsid
            )
        if change is not None:
            message.body = change(bytes(message.body or b""))
        if not keep_header:
            message.properties = without_failure(message.properties)
        put_as_it_is(target, message)
    return True


def put_as_it_is(target: BlockingHandle, message: Message) -> None:
    """Put a message with its own ids, properties, context and lifetime."""
    target.put(
        bytes(message.body or b""),
        options=mq.MQPMO_SET_ALL_CONTEXT,
        msg_id=message.msg_id,
        correl_id=message.correl_id,
        persistent=bool(message.persistent),
        priority=message.priority,
        expiry=message.expiry,
        properties=message.properties,
        put_time=message.put_time,
        descriptor=message.descriptor,
    )


def _take(qm: BlockingQueueManager, source: str, letter: Letter) -> Message | None:
    return take(qm, source, letter.message)


def take(qm: BlockingQueueManager, source: str, message: Message) -> Message | None:
    """Get exactly the message that was browsed: two messages may have the same ids. None if it is gone."""
    with qm.open(source, mq.MQOO_INPUT_SHARED) as handle:
        return handle.get(token=message.token, quiet=True)
