"""Cutting a message that is too long for its queue into segments, and joining segments again.

Works on messages only: `GroupBook` knows which segments are on the queue, and when to cut
is for putting. Invariant: `assemble(split(m))` has the body, properties and descriptor of `m`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.constants import (
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
)
from penstock.model.errors import COMP_FAILED, error
from penstock.model.message import NEVER, NO_ID, Descriptor, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IN_GROUP = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
IN_SEGMENT = MQMF_SEGMENT | MQMF_LAST_SEGMENT
BOUNDARY = 16  # segments but the last are a multiple of this long, so that numbers stay whole


def split(message: Message, max_length: int, new_id: Callable[[], bytes]) -> list[Message]:
    """Cut a message into segments of at most `max_length` bytes; a message that fits is returned whole.

    All segments carry the message's ids; the group id is made if there is none. The properties
    stay with the first segment. Raises 2030 when the message does not allow segmentation.
    """
    if message.length <= max_length:
        return [message]
    flags = message.descriptor.flags
    if not flags & MQMF_SEGMENTATION_ALLOWED or max_length < 1:
        raise error(mq.MQRC_MSG_TOO_BIG_FOR_Q, f"{message.length} bytes are more than {max_length}")
    size = max_length // BOUNDARY * BOUNDARY or max_length
    group_id = new_id() if message.descriptor.group_id == NO_ID else message.descriptor.group_id
    whole = not flags & IN_SEGMENT
    body = message.body or b""
    parts = []
    for start in range(0, message.length, size):
        last = start + size >= message.length and (whole or flags & MQMF_LAST_SEGMENT)
        descriptor = message.descriptor.replace(
            group_id=group_id,
            offset=message.descriptor.offset + start,
            flags=(flags | MQMF_SEGMENT) & ~MQMF_LAST_SEGMENT | (MQMF_LAST_SEGMENT if last else 0),
        )
        parts.append(_part(message, body[start : start + size], descriptor, start == 0))
    return parts


def assemble(segments: Sequence[Message]) -> Message:
    """Join the segments of one logical message, given in order; 2242 when they leave a gap.

    Their bodies must be in memory.
    Ids, properties and descriptor are those of the first; the message expires with the first
    segment to expire. `warning` is 2243 or 2244 when code pages or encodings differ.
    """
    first = segments[0]
    _check_whole(segments)
    flags = first.descriptor.flags & ~IN_SEGMENT
    descriptor = first.descriptor.replace(
        group_id=first.descriptor.group_id if flags & IN_GROUP else NO_ID, flags=flags, original_length=-1
    )
    message = _part(first, b"".join(segment.body or b"" for segment in segments), descriptor, True)
    expiring = [segment.expires_at for segment in segments if segment.expires_at != NEVER]
    message.expires_at = min(expiring) if expiring else NEVER
    message.remaining = min(segment.remaining for segment in segments)
    message.backout_count = max(segment.backout_count for segment in segments)
    message.seq, message.place = first.seq, first.place
    message.warning = _inconsistency(segments)
    return message


def _check_whole(segments: Sequence[Message]) -> None:
    end = 0
    for segment in segments:
        if segment.descriptor.offset != end:
            raise error(mq.MQRC_INCOMPLETE_MSG, f"no segment at offset {end}", comp=COMP_FAILED, offset=end)
        end += segment.length
    last = segments[-1].descriptor.flags
    if last & MQMF_SEGMENT and not last & MQMF_LAST_SEGMENT:
        raise error(mq.MQRC_INCOMPLETE_MSG, "no last segment", comp=COMP_FAILED, offset=end)


def _inconsistency(segments: Sequence[Message]) -> int:
    if len({segment.descriptor.ccsid for segment in segments}) > 1:
        return mq.MQRC_INCONSISTENT_CCSIDS
    if len({segment.descriptor.encoding for segment in segments}) > 1:
        return mq.MQRC_INCONSISTENT_ENCODINGS
    return 0


def _part(message: Message, body: bytes, descriptor: Descriptor, with_properties: bool) -> Message:
    return message.with_contents(body, descriptor, message.properties if with_properties else None)
