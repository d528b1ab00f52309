"""Messages to many queues in one call: how a client packs them, and how the other end unpacks them.

Queues, options and descriptors are said once and referred to by number, because the messages of a batch are
alike. `ClientQueueManager.put_messages` and the verb `put_messages` use this. Compiled through
`message_batch.pxd`: every message of a flow goes through it twice.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.host.arguments import check_output, outputs_of
from penstock.model.errors import MQError
from penstock.model.message import NO_ID, PLAIN, plain_message
from penstock.store.message_format import (
    pack_properties,
    packed_descriptor,
    unpack_descriptor,
    unpack_properties,
)
from penstock.wire import protocol
from penstock.wire.client import calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.model.message import Message
    from penstock.wire.client.connection import ClientConnection

PART_BYTES = 1 << 20  # bodies in one frame


def put_messages(qm: ClientConnection, outputs: Iterable[Any], unit: int) -> None:
    """Put messages in a unit; a failure tells the `index` of the message it is about."""
    batch = Batch(outputs, qm.message_max)
    for part in batch:
        with batch.naming_place():
            calls.call(qm, "put_messages", part, unit)


class Batch:
    """Messages in pieces that one frame should carry; it knows how far they are put."""

    def __init__(self, outputs: Iterable[Any], message_max: int) -> None:
        self._outputs = outputs
        self._message_max = message_max
        self._done = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the arguments of call after call."""
        for part in parts_of(self._outputs):
            with self.naming_place():
                arguments = self._packed(part)
            yield arguments
            self._done += len(part)

    def _packed(self, part: list[Any]) -> dict[str, Any]:
        try:
            self._check(part)
            return pack(part)
        except (TypeError, ValueError, AttributeError):
            for output in part:
                check_output(output)
            raise

    def _check(self, part: list[Any]) -> None:
        index = too_long(part, self._message_max)
        if index < 0:
            return
        try:
            calls.check_length(part[index][1].body, self._message_max)
        except MQError as failure:
            failure.fields["index"] = index
            raise

    @contextmanager
    def naming_place(self) -> Iterator[None]:
        """Have a failure in a piece name the message's place in the whole."""
        try:
            yield
        except MQError as failure:
            failure.fields["index"] = self._done + failure.fields.get("index", 0)
            raise


def parts_of(outputs: Iterable[Any]) -> Iterator[list[Any]]:
    """Cut a batch into pieces that one frame should carry."""
    part: list[Any] = []
    size = 0
    for output in outputs_of(outputs):
        try:
            length = len(output[1].body or b"")
        except (TypeError, IndexError, KeyError, AttributeError):
            check_output(output)
            raise
        if part and (size + length > PART_BYTES or len(part) == protocol.FRAME_MESSAGES_MAX):
            yield part
            part, size = [], 0
        part.append(output)
        size += length
    if part:
        yield part


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
    """Return the messages of a call with where they go; ValueError or TypeError when they are none."""
    places = [(str(queue), str(qmgr), int(options)) for queue, qmgr, options in targets]
    described = [unpack_descriptor(each) if each else PLAIN for each in descriptors]
    found: list[tuple[str, Message, str, int]] = []
    for target, descriptor, persistent, priority, expiry, msg_id, correl_id, properties, body in rows:
        if not 0 <= target < len(places) or not 0 <= descriptor < len(described):
            raise ValueError("a message names a queue or a descriptor that is not there")
        if len(msg_id) != len(NO_ID) or len(correl_id) != len(NO_ID):
            raise ValueError("an id is not 24 bytes long")
        message = plain_message(body, msg_id, correl_id, persistent, priority, 0.0, described[descriptor])
        message.reports = described[descriptor].report != 0
        if expiry is not None:
            message.expires_at, message.remaining = 1.0, float(expiry)
        if properties is not None:
            message.properties = unpack_properties(properties)
        queue, qmgr, options = places[target]
        found.append((queue, message, qmgr, options))
    return found
