"""Restart: from message files and journal records back to queues and units.

The host feeds it, in this order: the checkpoint's state, the live records of the message files,
every journal record from the checkpoint's start on, then `finish`. Replay is idempotent: a record
may tell what the files know already. Messages take their places at the end, in the order in
which they became visible. Units that neither ended nor were prepared are backed out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.qmgr import definitions, records, snapshot
from penstock.qmgr.states import GONE, GOT, PREPARED
from penstock.qmgr.unit_of_work import UnitOfWork
from penstock.store.message_format import decode_head, head_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine


@dataclass(slots=True)
class OpenUnit:
    """A unit that has not ended yet at this point of the replay."""

    number: int
    puts: dict[int, Message] = field(default_factory=dict)  # by sequence number
    gets: dict[int, None] = field(default_factory=dict)  # sequence numbers, in order
    xid: str | None = None
    started: float = 0.0


@dataclass(slots=True)
class Report:
    """What a restart found, for the error log and for status."""

    loaded: int = 0
    replayed: int = 0
    committed: int = 0
    backed_out: int = 0
    prepared: int = 0
    torn: str | None = None


class Recovery:
    """One restart in progress."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.report = Report()
        self.live: dict[int, Message] = {}
        self.owner: dict[int, int] = {}  # seq -> queue id
        self.order: dict[int, list[Message]] = {}  # queue id -> messages as they became visible
        self.units: dict[int, OpenUnit] = {}
        self.clean = False

    def restore(self, state: bytes) -> None:
        """Take over a checkpoint's state."""
        values = snapshot.restore(self.engine, state)
        self.clean = values["clean"]
        for item in values["prepared"]:
            unit = OpenUnit(item["unit"], {}, dict.fromkeys(item["gets"]), item["xid"], item["started"])
            self.units[unit.number] = unit
        self.engine.reservations.restore(values["flows"], self)

    def load(self, stored: Iterable[tuple[int, Any, Any, int]]) -> None:
        """Take the live records of the message files: (location, head, body, backout count)."""
        loaded: dict[int, list[Message]] = {}
        for location, head, body, count in stored:
            _, queue_id, unit = head_numbers(head)
            message = decode_head(head, None, len(body))
            message.location = location
            if count:
                message.backout_count = count
            if not message.persistent and not self.clean:
                self.engine.discards.append(location)
            elif unit:
                self._load_held(message, queue_id, unit)
            else:
                loaded.setdefault(queue_id, []).append(message)
                if message.persistent:
                    self.live[message.seq] = message
                    self.owner[message.seq] = queue_id
            self.report.loaded += 1
        for queue_id, messages in loaded.items():
            messages.sort(key=_place)
            self.order[queue_id] = messages

    def _load_held(self, message: Message, queue_id: int, unit: int) -> None:
        self.owner[message.seq] = queue_id
        if unit in self.units:
            self.units[unit].puts[message.seq] = message
        elif not self.engine.reservations.load(message, queue_id, unit):
            self.engine.discards.append(message.location)

    def apply(self, kind: int, payload: Any) -> None:
        """Replay one journal record."""
        self.report.replayed += 1
        if kind == records.PUT:
            self._put(payload)
        elif kind == records.GET:
            self._get(payload)
        elif kind == records.COMMIT:
            self._commit(records.unpack_unit(payload))
        elif kind == records.BACKOUT:
            self._backout(payload)
        elif kind == records.PREPARE:
            number, xid, started = records.unpack_value(payload)
            unit = self.units.setdefault(number, OpenUnit(number))
            unit.xid, unit.started = xid, started
        elif kind == records.OBJECT:
            definitions.replay(self.engine, payload)
        else:
            self.engine.reservations.replay(kind, payload, self)

    def _put(self, payload: Any) -> None:
        length, queue_id, number = head_numbers(payload)
        body = bytes(payload[length:])
        message = decode_head(payload, body, len(body))
        self.engine.next_seq = max(self.engine.next_seq, message.seq + 1)
        self.owner[message.seq] = queue_id
        if not number:
            self.show(message, queue_id)
            return
        self.engine.next_unit = max(self.engine.next_unit, number + 1)
        unit = self.units.setdefault(number, OpenUnit(number))
        unit.puts.setdefault(message.seq, message)

    def show(self, message: Message, queue_id: int) -> None:
        """Make a message visible at the end of its queue; one that is known moves there."""
        known = self.live.get(message.seq)
        if known is not None:
            message.location = known.location
            message.backout_count = known.backout_count
            known.state = GONE
        self.live[message.seq] = message
        self.order.setdefault(queue_id, []).append(message)

    def _get(self, payload: Any) -> None:
        number, _, seqs = records.unpack_removed(payload)
        if number:
            self.units.setdefault(number, OpenUnit(number)).gets.update(dict.fromkeys(seqs))
            return
        for seq in seqs:
            self.remove(seq)

    def remove(self, seq: int) -> Message | None:
        """Forget a message that was got; unknown ones were gone before the checkpoint."""
        message = self.live.pop(seq, None)
        if message is not None:
            message.state = GONE
            if message.location:
                self.engine.discards.append(message.location)
        return message

    def _commit(self, number: int) -> None:
        unit = self.units.pop(number, None)
        if unit is None:
            return
        self.report.committed += 1
        for seq in unit.gets:
            if seq not in unit.puts:
                self.remove(seq)
        for message in unit.puts.values():
            if message.location:
                self.engine.discards.append(message.location)
                message.location = 0
            if message.seq not in unit.gets:
                self.show(message, self.owner[message.seq])

    def _backout(self, payload: Any) -> None:
        number, counts = records.unpack_value(payload)
        unit = self.units.pop(number, None)
        if unit is not None:
            self._drop(unit)
        for seq, count in counts:
            message = self.live.get(seq)
            if message is not None:
                message.backout_count = count
                self._amend(message)

    def _drop(self, unit: OpenUnit) -> None:
        for message in unit.puts.values():
            if message.location:
                self.engine.discards.append(message.location)

    def _amend(self, message: Message) -> None:
        if message.location:
            self.engine.amended.append(message)

    def finish(self, now: float) -> Report:
        """Link what is live, set up prepared units again, back out the rest."""
        engine = self.engine
        for number, unit in sorted(self.units.items()):
            engine.next_unit = max(engine.next_unit, number + 1)
            if unit.xid is None:
                self._back_out(unit)
        for queue_id, messages in self.order.items():
            self._link(queue_id, messages)
        for unit in self.units.values():
            if unit.xid is not None:
                self._prepare(unit)
        engine.reservations.finish_recovery(self)
        return self.report

    def _back_out(self, unit: OpenUnit) -> None:
        self.report.backed_out += 1
        self._drop(unit)
        counts = []
        for seq in unit.gets:
            message = self.live.get(seq)
            if message is not None:
                message.backout_count += 1
                counts.append((seq, message.backout_count))
                self._amend(message)
        self.engine.journal.append(records.BACKOUT, records.pack_value((unit.number, counts)), b"")

    def _link(self, queue_id: int, messages: list[Message]) -> None:
        queue = self.engine.queues_by_id.get(queue_id)
        for message in messages:
            if message.state == GONE:
                continue
            if queue is None:
                if message.location:
                    self.engine.discards.append(message.location)
                continue
            queue.link(message)
            queue.depth += 1
            if message.persistent and not message.location:
                self.engine.unsaved.append(message)

    def _prepare(self, unit: OpenUnit) -> None:
        engine = self.engine
        restored = UnitOfWork(unit.number, unit.started, None)
        restored.state = PREPARED
        restored.xid = unit.xid
        restored.logged = True
        for message in unit.puts.values():
            queue = engine.queues_by_id.get(self.owner[message.seq])
            if queue is not None and message.seq not in unit.gets:
                queue.depth += 1
                queue.uncommitted += 1
                restored.add_put(queue, message)
        for seq in unit.gets:
            message = self.live.get(seq)
            if message is not None and message.queue is not None and seq not in unit.puts:
                queue = message.queue
                queue.hold(message, GOT, restored)
                queue.depth -= 1
                queue.uncommitted += 1
                restored.add_get(message)
        engine.prepared[unit.xid] = restored
        engine.units[unit.number] = restored
        self.report.prepared += 1


def _place(message: Message) -> int:
    return message.place
