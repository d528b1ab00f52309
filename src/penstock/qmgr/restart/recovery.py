# cython: nonecheck=True
"""Restart: from message files and journal records back to queues and units.

`host.starting` feeds it: the checkpoint's state, the live records of the message files, every journal record
since, then `finish`. What was visible at the checkpoint keeps its place; what became visible later follows,
in the order of the journal. Units that neither ended nor were prepared are backed out. Invariants: replay is
idempotent, because a record may repeat what the files contain; a message whose file record is outdated is in
`engine.wishes.misfiled`, to be rewritten before the journal releases its record. Compiled through
`recovery.pxd`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.qmgr import definitions, records
from penstock.qmgr.channels import batches
from penstock.qmgr.deep.shelves import Shelves, lay_out
from penstock.qmgr.restart import snapshot
from penstock.qmgr.states import GONE, GOT, PREPARED, UNCOMMITTED
from penstock.qmgr.unit_of_work import UnitOfWork
from penstock.store.message_format import decode_head, head_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.model.message import Message
    from penstock.qmgr.deep.shelves import Shelf
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue


@dataclass(slots=True)
class OpenUnit:
    """A unit that has not ended yet at this point of the replay."""

    number: int
    puts: dict[int, Message] = field(default_factory=dict)  # by sequence number
    gets: dict[int, None] = field(default_factory=dict)  # sequence numbers, in order
    objects: list[list[Any]] = field(default_factory=list)  # definitions made, changed, removed
    synch: list[list[Any]] = field(default_factory=list)  # synch records of channels
    clusters: list[list[Any]] = field(default_factory=list)  # what became known of clusters
    xid: str | None = None
    started: float = 0.0
    user: str = ""


@dataclass(slots=True)
class Report:
    """What a restart found, for the error log and for status."""

    loaded: int = 0
    replayed: int = 0
    committed: int = 0
    backed_out: int = 0
    prepared: int = 0
    clean: bool = False  # the last run was stopped, not killed
    torn: str | None = None


class Recovery:
    """One restart in progress."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.report = Report()
        self.start = 0  # where the replay begins
        self.live: dict[int, Message] = {}
        self.owner: dict[int, int] = {}  # seq -> queue id, of invisible messages
        self.order: dict[int, list[Message]] = {}  # queue id -> messages as they became visible
        self.places: dict[int, int] = {}  # queue id -> first place that the checkpoint does not know
        self.units: dict[int, OpenUnit] = {}
        self.clean = False
        self.shelves: Shelves | None = None  # plain messages, once the host has said how one is read

    def restore(self, state: bytes, start: int, now: float) -> None:
        """Take over a checkpoint's state."""
        values = snapshot.restore(self.engine, state, now)
        self.start = start
        self.clean = self.report.clean = values["clean"]
        self.places = dict(values["places"])
        for item in values["prepared"]:
            gets = dict.fromkeys(item["gets"])
            unit = OpenUnit(item["unit"], gets=gets, xid=item["xid"], started=item["started"])
            unit.user = item.get("user", "")
            self.units[unit.number] = unit
        self.engine.reservations.restore(values["flows"], self)

    def load(self, stored: Iterable[tuple[Message, int, int]]) -> None:
        """Take the live messages of the message files, with queue id and holding unit (0 for none)."""
        live = self.live
        shelves, queues = self.shelves, self.engine.queues_by_id
        kept = self._kept_over_stops()
        count = 0
        last_place = 0
        last_queue = None
        messages: list[Message] = []
        unsorted = set()
        for message, queue_id, unit in stored:
            count += 1
            if not message.persistent and (unit or queue_id not in kept):
                self.engine.wishes.discards.append(message.location)
                continue
            if unit:
                self._load_held(message, queue_id, unit)
                continue
            if shelves is not None and shelves.add(message, queues.get(queue_id)):
                continue
            if message.persistent:
                live[message.seq] = message
            if queue_id != last_queue:
                messages = self.order.setdefault(queue_id, [])
                last_queue = queue_id
                last_place = messages[-1].place if messages else 0
            if message.place < last_place:
                unsorted.add(queue_id)
            last_place = message.place
            message.owner = last_queue  # until it is linked: see `queue_of`
            messages.append(message)
        self.report.loaded = count
        for number in unsorted:
            self.order[number].sort(key=_place)
        if self.shelves is not None:
            self.shelves.settle()

    def queue_of(self, seq: int) -> int:
        """Return the id of the queue that a message belongs to."""
        queue_id = self.owner.get(seq)
        return int(self.live[seq].owner) if queue_id is None else queue_id

    def known(self, seq: int) -> Message | None:
        """Return the visible message with a sequence number, as an object."""
        message: Message | None = self.live.get(seq)
        if message is None and self.shelves is not None:
            found = self.shelves.take_out(seq)
            if found is not None:
                message, queue_id = found
                message.owner = queue_id
                self.live[seq] = message
                self.order.setdefault(queue_id, []).append(message)
        return message

    def _kept_over_stops(self) -> frozenset[int]:
        """Return the queues whose non-persistent messages a clean stop keeps."""
        if not self.clean:
            return frozenset()
        return frozenset(
            queue.id
            for queue in self.engine.queues.values()
            if queue.definition.attributes["NPMCLASS"] == "HIGH"
        )

    def _load_held(self, message: Message, queue_id: int, unit: int) -> None:
        self.owner[message.seq] = queue_id
        if unit in self.units:
            self.units[unit].puts[message.seq] = message
        elif not self.engine.reservations.load(message, queue_id, unit):
            self.engine.wishes.discards.append(message.location)

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
            number, xid, started, *user = records.unpack_value(payload)
            unit = self._unit(number)
            unit.xid, unit.started = xid, started
            unit.user = user[0] if user else ""  # older journals do not name the user who prepared it
        elif kind == records.PUBLICATION:
            self._publication(payload, 1, 0)
        elif kind == records.PUBLICATIONS:
            self._publication(payload, *records.unpack_count(payload))
        elif kind == records.OBJECT:
            definitions.replay(self.engine, payload)
        elif kind == records.OBJECT_OF_UNIT:
            number, *value = records.unpack_value(payload)
            self._unit(number).objects.append(value)
        elif kind == records.CHANNEL:
            self._channel(*records.unpack_value(payload))
        elif kind == records.CLUSTER:
            number, state = records.unpack_value(payload)
            self._unit(number).clusters.append(state)
        else:
            self.engine.reservations.replay(kind, payload, self)

    def _channel(self, number: int, key: list[str], values: list[Any]) -> None:
        if number:
            self._unit(number).synch.append([key, values])
        else:
            self.engine.sync_book.replay(key, values)

    def _unit(self, number: int) -> OpenUnit:
        self._pass_unit(number)
        unit = self.units.get(number)
        if unit is None:
            unit = self.units[number] = OpenUnit(number)
        return unit

    def _pass_unit(self, number: int) -> None:
        """A number that occurs in the journal is never used again."""
        if number >= self.engine.next_unit:
            self.engine.next_unit = number + 1

    def _put(self, payload: Any) -> None:
        length, queue_id, number = head_numbers(payload)
        body = bytes(payload[length:])
        self._arrived(decode_head(payload, body, len(body)), queue_id, number)

    def _arrived(self, message: Message, queue_id: int, number: int) -> None:
        if message.seq >= self.engine.next_seq:
            self.engine.next_seq = message.seq + 1
        if not number:
            self.show(message, queue_id)
            return
        self.owner[message.seq] = queue_id
        known = self._unit(number).puts.setdefault(message.seq, message)
        known.body = message.body

    def _publication(self, payload: Any, groups: int, place: int) -> None:
        """Replay the copies of a publication, which share the body; those of a group also a head."""
        for number, queue_id, message in records.copies_of(payload, groups, place):
            self._arrived(message, queue_id, number)

    def show(self, message: Message, queue_id: int) -> None:
        """Make a message visible at the end of its queue, unless the checkpoint saw it visible."""
        known = self.live.get(message.seq)
        if known is message:
            return
        if known is None and self.shelves is not None and self._is_shelved(message, queue_id):
            return
        if known is not None:
            if message.location:
                self.engine.wishes.discards.append(message.location)
            if 0 < known.place < self.places.get(queue_id, 0):
                return
            message.location = known.location
            message.backout_count = max(message.backout_count, known.backout_count)
            known.state = GONE
        queue = self.engine.queues_by_id.get(queue_id)
        message.place = 0
        message.lane = 0 if queue is None else _lane(queue, message)
        message.state = 0
        message.owner = queue_id
        self.live[message.seq] = message
        self.order.setdefault(queue_id, []).append(message)

    def _is_shelved(self, message: Message, queue_id: int) -> bool:
        """Return whether the checkpoint saw a message visible; one that came later is shown again."""
        assert self.shelves is not None
        found = self.shelves.find(message.seq)
        if found is None:
            return False
        _, block, position = found
        if message.location:
            self.engine.wishes.discards.append(message.location)
        if 0 < block.place(position) < self.places.get(queue_id, 0):
            return True
        message.location = self.shelves.remove(message.seq)
        return False

    def _get(self, payload: Any) -> None:
        number, _, seqs = records.unpack_removed(payload)
        if number:
            self._unit(number).gets.update(dict.fromkeys(seqs))
            return
        for seq in seqs:
            self.remove(seq)

    def remove(self, seq: int) -> None:
        """Remove a message that was got; unknown ones were removed before the checkpoint."""
        message = self.live.pop(seq, None)
        if message is not None:
            message.state = GONE
            message.body = None
            if message.location:
                self.engine.wishes.discards.append(message.location)
        elif self.shelves is not None:
            location = self.shelves.remove(seq)
            if location:
                self.engine.wishes.discards.append(location)

    def _commit(self, number: int) -> None:
        self._pass_unit(number)
        unit = self.units.pop(number, None)
        if unit is None:
            return
        self.report.committed += 1
        for value in unit.objects:
            definitions.apply_again(self.engine, *value)
        for entry in unit.synch:
            self.engine.sync_book.replay(*entry)
        for state in unit.clusters:
            self.engine.clusters.replay(state)
        batch = batches.batch_of(unit.xid)
        if batch is not None:
            self.engine.sync_book.committed_at_sender(batch.channel, batch.partner, batch.luwid, batch.last)
        for seq in unit.gets:
            if seq not in unit.puts:
                self.remove(seq)
        for seq, message in sorted(unit.puts.items()):
            if seq not in unit.gets:
                self.show(message, self.queue_of(seq))
            elif message.location:
                self.engine.wishes.discards.append(message.location)

    def _backout(self, payload: Any) -> None:
        number, counts = records.unpack_value(payload)
        self._pass_unit(number)
        unit = self.units.pop(number, None)
        if unit is not None:
            self._drop(unit)
        for seq, count in counts:
            message = self.known(seq)
            if message is not None:
                message.backout_count = count
                self._amend(message)

    def _drop(self, unit: OpenUnit) -> None:
        for message in unit.puts.values():
            message.state = GONE
            if message.location:
                self.engine.wishes.discards.append(message.location)

    def _amend(self, message: Message) -> None:
        if message.location:
            self.engine.wishes.amended.append(message)

    def finish(self, now: float) -> Report:
        """Link live messages, restore prepared units, back out the rest."""
        for _, unit in sorted(self.units.items()):
            if unit.xid is None:
                self._back_out(unit)
        self._know_held()
        for queue in self.engine.queues.values():
            self._link_all(queue, self.order.pop(queue.id, []))
        for messages in self.order.values():
            self._discard(messages)
        if self.shelves is not None:
            self.engine.wishes.discards += self.shelves.discard_rest()
            self.shelves = None
        for unit in self.units.values():
            if unit.xid is not None:
                self._prepare(unit, unit.xid)
        self.engine.reservations.finish_recovery(self)
        return self.report

    def _back_out(self, unit: OpenUnit) -> None:
        self.report.backed_out += 1
        self._drop(unit)
        counts = []
        for seq in unit.gets:
            message = self.known(seq)
            if message is not None:
                message.backout_count += 1
                counts.append((seq, message.backout_count))
                self._amend(message)
        self.engine.journal.append(records.BACKOUT, records.pack_value((unit.number, counts)), b"")

    def _discard(self, messages: list[Message]) -> None:
        """Drop the messages of a deleted queue."""
        for message in messages:
            if message.state != GONE and message.location:
                self.engine.wishes.discards.append(message.location)

    def _know_held(self) -> None:
        """Make objects of the messages that prepared units and batches hold."""
        for unit in self.units.values():
            for seq in unit.gets:
                self.known(seq)
        for seq in self.engine.reservations.held_seqs():
            self.known(seq)

    def _link_all(self, queue: Queue, messages: list[Message]) -> None:
        """Link the messages of a queue, and those on shelves at their places between them."""
        order, priority = queue.by_priority, queue.default_priority
        queue.by_priority = False  # a message returns to its old lane, whatever MSGDLVSQ is now
        shelves = [] if self.shelves is None else list(self.shelves.of_queue(queue))
        if shelves:
            messages = self._lay_out(queue, shelves, messages)
        for message in messages:
            self._link(queue, message)
        queue.by_priority, queue.default_priority = order, priority
        queue.next_place = max(queue.next_place, self.places.get(queue.id, 0))

    def _lay_out(self, queue: Queue, shelves: list[Shelf], messages: list[Message]) -> list[Message]:
        """Link what has a place already, lane by lane; return the others, which come behind them."""
        stayed = sorted((each for each in messages if each.state != GONE and each.place), key=_place)
        laid = {shelf.lane for shelf in shelves}
        end = queue.next_place

        def link(message: Message) -> None:
            queue.next_place = message.place
            self._link(queue, message)

        for shelf in shelves:
            others = [each for each in stayed if each.lane == shelf.lane]
            self.engine.wishes.unsealed += lay_out(shelf, others, link)
            end = max(end, queue.next_place)
        for message in stayed:
            if message.lane not in laid:
                link(message)
                end = max(end, queue.next_place)
        queue.next_place = end
        return [each for each in messages if not each.place]

    def _link(self, queue: Queue, message: Message) -> None:
        if message.state == GONE:
            return
        engine = self.engine
        message.owner = None
        shown_again = message.place == 0
        place = message.place or self.places.get(queue.id, 0)
        if place > queue.next_place:
            queue.next_place = place
        queue.default_priority = message.lane
        queue.link(message)
        queue.depth += 1
        if not message.persistent:
            return
        if not message.location:
            engine.wishes.unsaved.append(message)
        elif shown_again:
            message.misfiled = True
            engine.wishes.misfiled.append(message)
        if queue.memory_used() > engine.persistent_buffer_bytes and message.body is not None:
            engine.wishes.spilling.append(message)

    def _prepare(self, unit: OpenUnit, xid: str) -> None:
        engine = self.engine
        restored = UnitOfWork(unit.number, unit.started, None)
        restored.state = PREPARED
        restored.xid = xid
        restored.user = unit.user
        restored.logged = True
        restored.first_position = self.start
        for seq, message in sorted(unit.puts.items()):
            queue = engine.queues_by_id.get(self.owner[seq])
            if queue is not None and seq not in unit.gets:
                message.state = UNCOMMITTED
                message.owner = restored
                queue.depth += 1
                queue.uncommitted += 1
                restored.add_put(queue, message)
            elif message.location:
                engine.wishes.discards.append(message.location)
        for seq in unit.gets:
            got = self.live.get(seq)
            if got is not None and got.queue is not None and seq not in unit.puts:
                queue = got.queue
                queue.hold(got, GOT, restored)
                queue.depth -= 1
                queue.uncommitted += 1
                restored.add_get(got)
        engine.prepared[xid] = restored
        batches.restore(engine, xid, restored)
        engine.units[unit.number] = restored
        self.report.prepared += 1


def _place(message: Message) -> int:
    return message.place


def _lane(queue: Queue, message: Message) -> int:
    return min(message.priority if queue.by_priority else queue.default_priority, 9)
