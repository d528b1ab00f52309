"""Messages to many queues in one call, as bytes: packed by a client, unpacked by the server.

Queues, options and descriptors are sent once and referred to by number, because the messages of a batch are
alike. Compiled through `message_batch.pxd`: every message of a flow goes through it twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.message import NO_ID, PLAIN, is_watched, plain_message
from penstock.store.message_format import (
    pack_properties,
    packed_descriptor,
    unpack_descriptor,
    unpack_properties,
)

if TYPE_CHECKING:
    from penstock.model.message import Message


def too_long(part: list[Any], maximum: int) -> int:
    """Return the place of the first message that is longer than this, -1 for none."""
    for index, (_, message, _, _) in enumerate(part):
        if message.body is not None and len(message.body) > maximum:
            return index
    return -1


def pack(outputs: list[Any]) -> dict[str, Any]:
    """Return messages as the arguments of a call."""
    targets: dict[tuple[str, str, int], int] = {}
    descriptors: dict[Any, int] = {}
    rows: list[Any] = []
    last = None
    described = 0
    for queue, message, qmgr, options in outputs:
        if message.descriptor is not last:  # that of its neighbour, mostly
            last = message.descriptor
            described = descriptors.setdefault(packed_descriptor(last), len(descriptors))
        rows.append(
            (
                targets.setdefault((queue, qmgr, int(options)), len(targets)),
                described,
                message.persistent,
                message.priority,
                message.remaining if message.expires_at else None,
                message.msg_id,
                message.correl_id,
                pack_properties(message.properties) if message.properties else None,
                message.body or b"",
            )
        )
    return {"targets": list(targets), "descriptors": list(descriptors), "rows": rows}


def unpack(
    targets: list[Any], descriptors: list[bytes], rows: list[Any]
) -> list[tuple[str, Message, str, int]]:
    """Return the messages of a call with their destinations; ValueError or TypeError if they are invalid."""
    places = [(str(queue), str(qmgr), int(options)) for queue, qmgr, options in targets]
    described = [unpack_descriptor(each) if each else PLAIN for each in descriptors]
    found: list[tuple[str, Message, str, int]] = []
    for target, descriptor, persistent, priority, expiry, msg_id, correl_id, properties, body in rows:
        if not 0 <= target < len(places) or not 0 <= descriptor < len(described):
            raise ValueError("a message names an unknown queue or descriptor")
        if len(msg_id) != len(NO_ID) or len(correl_id) != len(NO_ID):
            raise ValueError("an id is not 24 bytes long")
        message = plain_message(body, msg_id, correl_id, persistent, priority, 0.0, described[descriptor])
        message.reports = is_watched(described[descriptor])
        if expiry is not None:
            message.expires_at, message.remaining = 1.0, float(expiry)
        if properties is not None:
            message.properties = unpack_properties(properties)
        queue, qmgr, options = places[target]
        found.append((queue, message, qmgr, options))
    return found
