"""The onward part of a message on a transmission queue: where it goes, and what it was when it was put.

The message on the queue has the ids and the descriptor that MQ gives it there (format MQXMIT); its body is
the original's alone. `shown` makes what a program sees: MQXQH, the original's descriptor, the body. It is
called when a program reads the message, so a channel that sends the original never pays for it. A message
that a program put with an MQXQH of its own has no onward part; `original` understands both. Compiled through
`onward.pxd`.
"""

from __future__ import annotations

from penstock.model import constants as mq
from penstock.model.descriptor_format import MQMD_1
from penstock.model.headers import (
    MQMDE,
    MQXQH,
    DescriptorExtension,
    TransmissionHeader,
    extension_of,
)
from penstock.model.message import NEVER, NO_ID, Descriptor, Message, is_watched, plain_message

HOPS_MAX = 64  # queue managers that forward a message; one more and it is a circle
ARRIVED = 2  # `bind` of a message that a channel has brought: its partner is noted, and it is shown as it is
HEADER_BYTES = MQXQH.length + MQMD_1.length
HEADER_BYTES_MAX = HEADER_BYTES + MQMDE.length


class Onward:
    """The destination of a message, and the fields of the original that its place on the queue hides."""

    def __init__(
        self,
        queue: str,
        qmgr: str,
        descriptor: Descriptor,
        correl_id: bytes = NO_ID,
        put_time: float = 0.0,
        hops: int = 0,
        msg_id: bytes = NO_ID,
        bind: int = 0,
    ) -> None:
        self.queue = queue
        self.qmgr = qmgr
        self.descriptor = descriptor
        self.correl_id = correl_id
        self.put_time = put_time
        self.hops = hops  # queue managers that have forwarded it
        self.msg_id = msg_id  # of the original, on a cluster transmission queue: the channel is in its place
        self.bind = bind  # on a cluster transmission queue: 1 when another instance may be chosen later


def header_bytes(onward: Onward) -> int:
    """Return how many bytes a program sees in front of the body."""
    return HEADER_BYTES + (MQMDE.length if extension_of(onward.descriptor) is not None else 0)


def shown(message: Message) -> Message:
    """Return a message as programs see it: a copy with MQXQH if it has an onward part, else itself.

    The expiry in the header is what remained when the message was selected.
    """
    onward = message.onward
    if onward is None or onward.bind == ARRIVED:
        return message
    now = message.expires_at - message.remaining if message.expires_at != NEVER else None
    inner = _inner(message, onward)
    extension = extension_of(onward.descriptor)
    if extension is not None:
        inner.descriptor = onward.descriptor.replace(format=mq.MQFMT_MD_EXTENSION)
    header = TransmissionHeader(onward.queue, onward.qmgr, inner).pack(now=now)
    if extension is not None:
        header += extension.pack()
    copy = message.snapshot()
    copy.onward = None
    copy.body = header + (message.body or b"")
    copy.length = len(copy.body)
    copy.state = message.state
    return copy


def original(message: Message, now: float) -> tuple[Onward, Message]:
    """Return where a message of a transmission queue goes, and the message that arrives there.

    2260 when it has neither an onward part nor an MQXQH.
    """
    onward = message.onward
    if onward is None:
        return _unwrapped(message, now)
    inner = _inner(message, onward)
    inner.body = message.body
    inner.length = message.length
    inner.properties = message.properties
    return onward, inner


def _inner(message: Message, onward: Onward) -> Message:
    inner = plain_message(
        b"",
        message.correl_id if onward.msg_id == NO_ID else onward.msg_id,
        onward.correl_id,
        message.persistent,
        message.priority,
        onward.put_time,
        onward.descriptor,
    )
    inner.expires_at = message.expires_at
    inner.reports = is_watched(onward.descriptor)
    return inner


def _unwrapped(message: Message, now: float) -> tuple[Onward, Message]:
    """Take off the MQXQH that a program put in front of a body, and the MQMDE behind it."""
    body, outer = message.body or b"", message.descriptor
    header = TransmissionHeader.unpack(body, outer.encoding, outer.ccsid, now)
    inner = header.message
    inner.body = body[HEADER_BYTES:]
    if inner.descriptor.format == mq.MQFMT_MD_EXTENSION:
        encoding, ccsid = inner.descriptor.encoding, inner.descriptor.ccsid
        extension = DescriptorExtension.unpack(inner.body, encoding, ccsid)
        inner.body = inner.body[MQMDE.length :]
        inner.descriptor = inner.descriptor.replace(
            encoding=extension.encoding,
            ccsid=extension.ccsid,
            format=extension.format,
            group_id=extension.group_id,
            seq_number=extension.seq_number,
            offset=extension.offset,
            flags=extension.msg_flags,
            original_length=extension.original_length,
        )
    inner.length = len(inner.body)
    inner.persistent, inner.priority = message.persistent, message.priority
    inner.expires_at = message.expires_at
    inner.properties = message.properties
    onward = Onward(header.queue, header.qmgr, inner.descriptor, inner.correl_id, inner.put_time)
    return onward, inner
