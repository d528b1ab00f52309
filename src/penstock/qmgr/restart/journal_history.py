"""Every persistent message that a journal has seen become visible, in that order: the history of queues.

A reader of the journal beside restart: it keeps no queues and changes nothing. Called by the Spark data
source with `store.read_journal`. What a unit, or an attempt of a flow, has put appears when it commits, and
never if it does not. Kept in memory: what units and batches that have not ended put, and what attempts of a
flow put that were never sealed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.qmgr import records
from penstock.qmgr.batches import batch_state
from penstock.store.message_format import decode_head, head_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.model.message import Message

QUEUE_KINDS = ("QLOCAL", "QMODEL")


class Seen(NamedTuple):
    """A message as it became visible."""

    position: int  # of the journal, behind the record that made it visible
    queue: str  # empty if the journal does not name it
    message: Message


class JournalHistory:
    """Goes through the records of a journal once."""

    def __init__(self, queues: dict[int, str] | None = None) -> None:
        self._queues = dict(queues or {})  # names by id
        self._units: dict[int, list[tuple[int, Message]]] = {}
        self._objects: dict[int, list[list[Any]]] = {}  # definitions that a unit makes
        self._outputs: dict[int, dict[int, tuple[int, Message]]] = {}  # batch -> sequence number -> output
        self._batches: dict[str, set[int]] = {}  # flow -> its batches

    def follow(self, journal: Iterable[tuple[int, int, Any]]) -> Iterator[Seen]:
        """Yield what became visible, for (position, kind, payload) of each record."""
        for position, kind, payload in journal:
            for queue_id, message in self._visible(kind, payload):
                yield Seen(position, self._queues.get(queue_id, ""), message)

    def _visible(self, kind: int, payload: Any) -> Iterable[tuple[int, Message]]:
        if kind == records.PUT:
            return self._arrived(_unit_of(payload), [_put(payload)])
        if kind == records.PUBLICATION:
            return self._published(payload, 1, 0)
        if kind == records.PUBLICATIONS:
            return self._published(payload, *records.unpack_count(payload))
        if kind == records.COMMIT:
            return self._committed(records.unpack_unit(payload))
        if kind == records.OUTPUT:
            queue_id, message = _put(payload)
            self._outputs.setdefault(-_unit_of(payload), {})[message.seq] = (queue_id, message)
        elif kind == records.FLOW:
            return self._flow(*records.unpack_value(payload))
        elif kind == records.BACKOUT:
            number = records.unpack_value(payload)[0]
            self._units.pop(number, None)
            self._objects.pop(number, None)
        elif kind == records.OBJECT:
            self._object(*records.unpack_value(payload))
        elif kind == records.OBJECT_OF_UNIT:
            number, *value = records.unpack_value(payload)
            self._objects.setdefault(number, []).append(value)
        return ()

    def _arrived(self, unit: int, found: list[tuple[int, Message]]) -> list[tuple[int, Message]]:
        if not unit:
            return found
        self._units.setdefault(unit, []).extend(found)
        return []

    def _published(self, payload: Any, groups: int, place: int) -> list[tuple[int, Message]]:
        """Return the copies of a publication, which share the body; those of a group also a head."""
        shown: list[tuple[int, Message]] = []
        for unit, queue_id, message in records.copies_of(payload, groups, place):
            shown += self._arrived(unit, [(queue_id, message)])
        return shown

    def _committed(self, unit: int) -> list[tuple[int, Message]]:
        for value in self._objects.pop(unit, ()):
            self._object(*value)
        return self._units.pop(unit, [])

    def _flow(self, action: str, flow: str, *rest: Any) -> list[tuple[int, Message]]:
        if action == batch_state.PREPARE:
            self._batches.setdefault(flow, set()).add(rest[1][0])
        elif action == batch_state.FORGET:
            self._drop_batches(flow)
        elif action == batch_state.COMMIT:
            batches = [self._outputs.get(number, {}) for number in self._batches.get(flow, ())]
            prepared = {seq: output for batch in batches for seq, output in batch.items()}
            self._drop_batches(flow)
            return [prepared[seq] for seq in rest[2] if seq in prepared]
        return []

    def _drop_batches(self, flow: str) -> None:
        for number in self._batches.pop(flow, ()):
            self._outputs.pop(number, None)

    def _object(
        self, _action: str, kind: str, name: str, _attributes: Any, number: int, *_times: float
    ) -> None:
        if kind in QUEUE_KINDS:
            self._queues[number] = name  # also that of a queue that is gone later


def _unit_of(payload: Any) -> int:
    return head_numbers(payload)[2]


def _put(payload: Any) -> tuple[int, Message]:
    length, queue_id, _ = head_numbers(payload)
    body = bytes(payload[length:])
    return queue_id, decode_head(payload, body, len(body))
