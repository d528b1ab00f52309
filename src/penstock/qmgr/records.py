"""The journal records of the queue manager: their kinds and small payloads.

Room `store` keeps records without knowing what they mean; this module is the one place that says
it. Replay of any record is idempotent (`recovery.py`), which is what lets a checkpoint be fuzzy.
A put's payload is a message head (`store.message_format`) followed by the body; in a publication's the
copies stand between the two.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.store.message_format import decode_head, head_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message

PUT = 1  # a persistent message, visible at once (unit 0) or when its unit commits
GET = 2  # messages removed, at once (unit 0) or when the unit commits
COMMIT = 3  # a unit ended well
BACKOUT = 4  # a unit ended badly; new backout counts of the messages it had got
PREPARE = 5  # a unit waits for an outside decision
OBJECT = 6  # a definition was made, changed or removed
FLOW = 7  # a step of a flow's reservations
OUTPUT = 8  # a persistent message prepared by a flow's slice
PUBLICATION = 9  # copies of one persistent message for several queues; the body once
PUBLICATIONS = 10  # the same, for copies that differ in descriptor or properties: a head for each look
OBJECT_OF_UNIT = 11  # as OBJECT, applied when the unit commits whose number precedes it
CHANNEL = 12  # a synch record of a message channel, at once (unit 0) or when its unit commits
CLUSTER = 13  # changes of what is known of clusters, applied when the unit commits whose number precedes them

_UNIT = Struct("<q")
_REMOVED_ONE = Struct("<qqq")
_COPY = Struct("<qqi24s")
_COUNT = Struct("<I")
_REMOVED = Struct("<qq")
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder()

pack_unit = _UNIT.pack
pack_removed_one = _REMOVED_ONE.pack
pack_copy = _COPY.pack  # queue id, sequence number, priority, correlation id
pack_value = _encoder.encode  # a value of lists, maps, texts and numbers


def packed_value(value: Any) -> msgspec.Raw:
    """Return a value packed already, to be part of another one."""
    return msgspec.Raw(_encoder.encode(value))


def unpack_unit(payload: Any) -> int:
    """Return the number of the unit that a record ends."""
    return int(_UNIT.unpack_from(payload)[0])


def pack_removed(unit: int, queue_id: int, seqs: list[int]) -> bytes:
    """Return the payload of a record that removes several messages of a queue."""
    return _REMOVED.pack(unit, queue_id) + Struct(f"<{len(seqs)}q").pack(*seqs)


def unpack_removed(payload: Any) -> tuple[int, int, tuple[int, ...]]:
    """Return unit, queue id and sequence numbers."""
    unit, queue_id = _REMOVED.unpack_from(payload)
    count = (len(payload) - _REMOVED.size) // 8
    return unit, queue_id, Struct(f"<{count}q").unpack_from(payload, _REMOVED.size)


def unpack_copies(payload: Any, place: int) -> tuple[list[tuple[int, int, int, bytes]], int]:
    """Return the copies at an offset of a publication's record, and the offset of its body."""
    (count,) = _COUNT.unpack_from(payload, place)
    place += _COUNT.size
    end = place + count * _COPY.size
    return list(_COPY.iter_unpack(payload[place:end])), end


def copies_of(payload: Any, groups: int, place: int) -> Iterator[tuple[int, int, Message]]:
    """Yield unit, queue and message of each copy of a publication; all copies share the body."""
    found = []
    for _ in range(groups):
        head = payload[place:]
        length, _, unit = head_numbers(head)
        copies, place = unpack_copies(payload, place + length)
        found.append((head, unit, copies))
    body = bytes(payload[place:])
    for head, unit, copies in found:
        original = decode_head(head, body, len(body))
        for queue_id, seq, priority, correl_id in copies:
            message = original.snapshot()
            message.seq, message.priority, message.correl_id = seq, priority, correl_id
            yield unit, queue_id, message


def unpack_count(payload: Any) -> tuple[int, int]:
    """Return how many groups of copies a record has, and where the first begins."""
    return int(_COUNT.unpack_from(payload)[0]), _COUNT.size


def unpack_value(payload: Any) -> Any:
    """Return what `pack_value` packed; tuples become lists."""
    return _decoder.decode(payload)
