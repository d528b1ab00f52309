"""Messages to many queues in one call: how a client packs them, and how the other end unpacks them.

Queues, options and descriptors are said once and referred to by number, because the messages of a batch are
alike. `ClientQueueManager.put_messages` and the verb `put_messages` use this.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.model.message import NO_ID, PLAIN, Message
from penstock.store.message_format import (
    pack_properties,
    packed_descriptor,
    unpack_descriptor,
    unpack_properties,
)
from penstock.wire.client import calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.wire.client.queue_manager import ClientQueueManager

PART_BYTES = 1 << 20  # bodies in one frame


def put_messages(qm: ClientQueueManager, outputs: Iterable[Any], unit: int) -> None:
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
                for index, (_, message, _, _) in enumerate(part):
                    self._check(index, message.body or b"")
            yield pack(part)
            self._done += len(part)

    def _check(self, index: int, body: bytes) -> None:
        try:
            calls.check_length(body, self._message_max)
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
    for output in outputs:
        length = len(output[1].body or b"")
        if part and size + length > PART_BYTES:
            yield part
            part, size = [], 0
        part.append(output)
        size += length
    if part:
        yield part


def pack(outputs: list[Any]) -> dict[str, Any]:
    """Return messages as the arguments of a call."""
    targets: dict[tuple[str, str, int], int] = {}
    descriptors: dict[Any, int] = {}
    rows = [
        (
            targets.setdefault((queue, qmgr, int(options)), len(targets)),
            descriptors.setdefault(packed_descriptor(message.descriptor), len(descriptors)),
            message.persistent,
            message.priority,
            message.expiry,
            message.msg_id,
            message.correl_id,
            pack_properties(message.properties) if message.properties else None,
            message.body or b"",
        )
        for queue, message, qmgr, options in outputs
    ]
    return {"targets": list(targets), "descriptors": list(descriptors), "rows": rows}


def unpack(
    targets: list[Any], descriptors: list[bytes], rows: list[Any]
) -> Iterator[tuple[str, Message, str, int]]:
    """Yield the messages of a call with where they go; ValueError or TypeError when they are none."""
    places = [(str(queue), str(qmgr), int(options)) for queue, qmgr, options in targets]
    described = [unpack_descriptor(each) if each else PLAIN for each in descriptors]
    for target, descriptor, persistent, priority, expiry, msg_id, correl_id, properties, body in rows:
        if not 0 <= target < len(places) or not 0 <= descriptor < len(described):
            raise ValueError("a message names a queue or a descriptor that is not there")
        if len(msg_id) != len(NO_ID) or len(correl_id) != len(NO_ID):
            raise ValueError("an id is not 24 bytes long")
        queue, qmgr, options = places[target]
        message = Message(body, msg_id, correl_id, persistent, priority, 0.0, 0.0, described[descriptor])
        if expiry is not None:
            message.expires_at, message.remaining = 1.0, float(expiry)
        if properties is not None:
            message.properties = unpack_properties(properties)
        yield queue, message, qmgr, options
