# cython: nonecheck=True
"""A message on a queue, its descriptor, and the receipt of a put.

`Message` is what `get` returns and what the engine keeps: one object, so that a message goes from putter to
getter without a copy. The fields that every message uses are its own; the rest of MQMD is a `Descriptor`, a
frozen value that messages share. Fields below the line "engine" belong to rooms `qmgr` and `store`; nobody
else writes to them. Compiled through `message.pxd`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    from collections.abc import Mapping

    PropertyValue = bool | int | float | str | bytes | None

NO_ID = bytes(24)
NO_TOKEN = bytes(32)
MESSAGE_BYTES = 256  # of memory that a message takes beside its body, nearly
NEVER = 0.0  # expires_at of a message without expiry


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The MQMD fields that most messages share with their neighbours; defaults are MQ's."""

    report: int = 0
    msg_type: int = 8
    feedback: int = 0
    encoding: int = 546
    ccsid: int = 1208
    format: str = ""
    reply_to: str = ""
    reply_to_qmgr: str = ""
    user_id: str = ""
    accounting_token: bytes = NO_TOKEN
    appl_identity_data: str = ""
    put_appl_type: int = 0
    put_appl_name: str = ""
    appl_origin_data: str = ""
    group_id: bytes = NO_ID
    seq_number: int = 1
    offset: int = 0
    flags: int = 0
    original_length: int = -1

    def replace(self, **changes: Any) -> Descriptor:
        """Return a copy with some fields changed."""
        return replace(self, **changes)


PLAIN = Descriptor()


def is_watched(descriptor: Descriptor) -> bool:
    """Return whether a message may ask for reports or to be traced: the quick ways leave it."""
    return descriptor.report != 0 or descriptor.format == "MQADMIN" or descriptor.format == "MQHEPCF"


@cython.freelist(512)
@cython.no_gc
@cython.cclass
class Message:
    """One message: body, ids, descriptor and properties.

    Read only for applications. `expires_at` and `put_time` are seconds since the epoch;
    `expiry` is what remains, in seconds, or None when the message never expires.
    """

    def __init__(
        self,
        body: bytes | None,
        msg_id: bytes = NO_ID,
        correl_id: bytes = NO_ID,
        persistent: bool = False,
        priority: int = 0,
        put_time: float = 0.0,
        expires_at: float = NEVER,
        descriptor: Descriptor = PLAIN,
        properties: Mapping[str, PropertyValue] | None = None,
    ) -> None:
        self.body = body
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.persistent = persistent
        self.priority = priority
        self.put_time = put_time
        self.expires_at = expires_at
        self.descriptor = descriptor
        self.properties = properties
        self.backout_count = 0
        self.warning = 0
        self.length = 0 if body is None else len(body)
        self.remaining = 0.0
        self.reports = is_watched(descriptor)
        self.onward: Any = None  # an `Onward`, of messages on transmission queues
        # engine
        self.seq = 0
        self.place = 0
        self.location = 0
        self.state = 0
        self.lane = 0
        self.misfiled = False  # its record in a message file is to be written again
        self.queue: Any = None
        self.owner: Any = None
        self.older: Message | None = None
        self.newer: Message | None = None

    def snapshot(self) -> Message:
        """Return a copy that later work on the queue does not change."""
        copy = Message.__new__(Message)
        copy.body = self.body
        copy.msg_id = self.msg_id
        copy.correl_id = self.correl_id
        copy.persistent = self.persistent
        copy.priority = self.priority
        copy.put_time = self.put_time
        copy.expires_at = self.expires_at
        copy.descriptor = self.descriptor
        copy.properties = self.properties
        copy.backout_count = self.backout_count
        copy.warning = self.warning
        copy.length = self.length
        copy.remaining = self.remaining
        copy.reports = is_watched(self.descriptor)
        copy.onward = self.onward
        copy.seq = self.seq
        copy.place = self.place
        copy.location = 0
        copy.state = 0
        copy.lane = 0
        copy.misfiled = False
        copy.queue = None
        copy.owner = None
        copy.older = None
        copy.newer = None
        return copy

    def with_body(self, body: bytes) -> Message:
        """Return a copy with another body and no properties."""
        copy = self.snapshot()
        copy.body = body
        copy.length = len(body)
        copy.properties = None
        return copy

    def with_contents(
        self, body: bytes, descriptor: Descriptor, properties: Mapping[str, PropertyValue] | None
    ) -> Message:
        """Return a new message with the ids, priority and times of this one, and other contents."""
        return Message(
            body,
            self.msg_id,
            self.correl_id,
            self.persistent,
            self.priority,
            self.put_time,
            self.expires_at,
            descriptor,
            properties,
        )

    @property
    def expiry(self) -> float | None:
        """Seconds that were left when the message was handed out; None for ever."""
        return None if self.expires_at == NEVER else self.remaining

    @property
    def format(self) -> str:
        """The name of the body's format, such as "MQSTR"; empty for none."""
        return self.descriptor.format

    @property
    def reply_to(self) -> str:
        """The queue that a reply goes to."""
        return self.descriptor.reply_to

    @property
    def reply_to_qmgr(self) -> str:
        """The queue manager of `reply_to`."""
        return self.descriptor.reply_to_qmgr

    @property
    def msg_type(self) -> int:
        """1 request, 2 reply, 4 report, 8 datagram, 65536 and up the application's own."""
        return self.descriptor.msg_type

    @property
    def feedback(self) -> int:
        """Why a report was made."""
        return self.descriptor.feedback

    @property
    def user_id(self) -> str:
        """Who put the message."""
        return self.descriptor.user_id

    @property
    def token(self) -> bytes:
        """The message's 16-byte token: unique on its queue manager while the message is there."""
        return self.place.to_bytes(8, "big") + self.seq.to_bytes(8, "big")

    def __repr__(self) -> str:
        return f"<Message {self.msg_id.hex()} {self.length} bytes>"


def plain_message(
    body: bytes,
    msg_id: bytes,
    correl_id: bytes,
    persistent: bool,
    priority: int,
    put_time: float,
    descriptor: Descriptor,
) -> Message:
    """Make a message without expiry, reports or properties: the quick way for most puts."""
    message = Message.__new__(Message)
    message.body = body
    message.msg_id = msg_id
    message.correl_id = correl_id
    message.persistent = persistent
    message.priority = priority
    message.put_time = put_time
    message.expires_at = NEVER
    message.descriptor = descriptor
    message.properties = None
    message.backout_count = 0
    message.warning = 0
    message.length = len(body)
    message.remaining = 0.0
    message.reports = False
    message.onward = None
    message.seq = 0
    message.place = 0
    message.location = 0
    message.state = 0
    message.lane = 0
    message.misfiled = False
    message.queue = None
    message.owner = None
    message.older = None
    message.newer = None
    return message


@cython.freelist(64)
@cython.no_gc
@cython.cclass
class Receipt:
    """What a put gives back: the ids the message got, when, and a warning reason (0 for none)."""

    def __init__(self, message: Message, warning: int, queue: str, qmgr: str) -> None:
        self.msg_id = message.msg_id
        self.correl_id = message.correl_id
        self.put_time = message.put_time
        self.descriptor = message.descriptor
        self.warning = warning
        self.resolved_queue = queue
        self.resolved_qmgr = qmgr

    @property
    def group_id(self) -> bytes:
        """The group the message belongs to; zeros for none."""
        return self.descriptor.group_id

    def __repr__(self) -> str:
        return f"<Receipt {self.msg_id.hex()}>"


def plain_receipt(message: Message, queue: str, qmgr: str) -> Receipt:
    """Make a receipt without a warning: the quick way for most puts."""
    receipt = Receipt.__new__(Receipt)
    receipt.msg_id = message.msg_id
    receipt.correl_id = message.correl_id
    receipt.put_time = message.put_time
    receipt.descriptor = message.descriptor
    receipt.warning = 0
    receipt.resolved_queue = queue
    receipt.resolved_qmgr = qmgr
    return receipt
