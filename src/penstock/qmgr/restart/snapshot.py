"""The state in a checkpoint besides messages: objects, counters, prepared units, flows.

`take` is called under the engine lock at the moment the checkpoint's journal position is read; what takes
long, going through messages and turning objects into bytes, is done after the lock is released. `restore`
puts the same things back into an empty engine. Messages themselves are in message files and in the journal
behind the checkpoint.

Invariant: what happens after `take` is in the journal behind `start`, and no message file forgets
for this checkpoint what was needed when it was taken: discards are those of before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.ids import IdSource
from penstock.qmgr import definitions, records
from penstock.qmgr.deep import packing
from penstock.qmgr.objects import Definition
from penstock.qmgr.states import GOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

    Held = tuple[Message, int, int]  # message, queue id, unit that holds it (0 for none)

VERSION = 3  # with clusters; 2 with synch records of channels; a state without either is version 1
SEED_STEP = 1_000_000_000  # of ids, if the clock went back: no earlier run used that many


@dataclass(slots=True)
class Snapshot:
    """The state at one journal position, and the changes that the message files need for it."""

    values: dict[str, Any]  # of the state, but for the objects
    definitions: list[Definition]  # an altered object has a new one, so these stay as they are
    start: int  # replay begins here: nothing older is needed
    end: int  # the journal's end at this moment
    held: list[Held]  # without a file record, and in a prepared unit or batch, or kept over a clean stop
    unsaved: list[Message]  # visible, most of them without a file record; handed over as it is
    misfiled: list[Message]  # with a file record that must be written again
    discards: list[int]  # locations that are not needed any more
    amended: list[Message]  # with a file record of an older backout count

    def pack(self, rest: Callable[[], object]) -> bytes:
        """Return the state as bytes; it needs no engine, and `rest` is called between two objects."""
        objects = []
        for definition in self.definitions:
            if not definitions.temporary(definition):
                objects.append(records.packed_value(definition.values()))
            rest()
        return records.pack_value({**self.values, "objects": objects})

    def give_back(self, engine: Engine) -> None:
        """Return everything to an engine whose checkpoint failed, so that the next one has it."""
        engine.wishes.give_back(self.unsaved, self.misfiled, self.discards, self.amended)


def take(engine: Engine, clean: bool = False) -> Snapshot:
    """Collect the state for a restart; `clean` keeps non-persistent messages of NPMCLASS(HIGH) queues."""
    prepared = [unit for unit in engine.units.values() if unit.xid is not None]
    synch, known = engine.sync_book.state(), engine.clusters.state.snapshot()
    values = {
        "version": VERSION if known else (2 if synch else 1),
        "name": engine.name,
        "clean": clean,
        "seed": engine.seed,
        "next_seq": engine.next_seq,
        "next_unit": engine.next_unit,
        "next_object": engine.next_object,
        "places": [(queue.id, queue.next_place) for queue in engine.queues.values() if queue.next_place > 1],
        "prepared": [_prepared(unit) for unit in prepared],
        "flows": engine.reservations.state(),
    }
    if synch:
        values["channels"] = synch
    if known:
        values["clusters"] = known
    held = _held(engine, prepared) + (_kept_over_stop(engine) if clean else [])
    objects, start, end = engine.objects.in_order(), _start(engine), engine.journal.end
    return Snapshot(values, objects, start, end, held, *engine.wishes.take_for_checkpoint())


def _prepared(unit: UnitOfWork) -> dict[str, Any]:
    return {
        "unit": unit.number,
        "xid": unit.xid,
        "user": unit.user,
        "started": unit.started,
        "gets": [message.seq for message in unit.gets if message.persistent],
    }


def _start(engine: Engine) -> int:
    """Return where replay must begin: before every record whose effect the checkpoint does not hold."""
    pending = engine.wishes.pending
    unfinished = [pending[0][4]] if pending else []
    units = [unit.first_position for unit in engine.units.values() if not _saved(unit)]
    return min([engine.journal.end, *units, *unfinished, *engine.reservations.starts()])


def _saved(unit: UnitOfWork) -> bool:
    """Return whether a checkpoint holds a unit in full: it is prepared, and its puts are in message files.

    The files may get them only after this moment, and the unit's end may overtake that; so it is the
    next checkpoint that no longer needs their journal records.
    """
    return unit.xid is not None and all(m.location or not m.persistent for m in unit.puts)


def _held(engine: Engine, prepared: list[UnitOfWork]) -> list[Held]:
    found: list[Held] = []
    for unit in prepared:
        found += [(m, m.queue.id, unit.number) for m in unit.puts if m.persistent and not m.location]
    return found + engine.reservations.unsaved()


def keeps_over_stop(engine: Engine) -> bool:
    """Return whether there are non-persistent messages that only the checkpoint of a clean stop keeps."""
    return any(
        not persistent
        for queue in engine.queues.values()
        if _keeps_all(queue)
        for persistent in _persistence(queue)
    )


def _persistence(queue: Queue) -> Iterator[bool]:
    yield from (message.persistent for message in queue.messages())
    yield from (block.seq(position) > 0 for block, position in packing.entries(queue))


def _keeps_all(queue: Queue) -> bool:
    return bool(queue.definition.attributes["NPMCLASS"] == "HIGH" and not queue.temporary)


def _kept_over_stop(engine: Engine) -> list[Held]:
    """Return the non-persistent messages that a clean stop keeps: not those a prepared unit has got."""
    found: list[Held] = []
    for queue in engine.queues.values():
        if not _keeps_all(queue):
            continue
        for message in queue.messages():
            if message.persistent:
                continue
            if message.state == GOT and getattr(message.owner, "xid", None) is not None:
                if message.location:
                    engine.wishes.discards.append(message.location)
            elif not message.location:
                found.append((message, queue.id, 0))
    return found


def restore(engine: Engine, data: bytes, now: float) -> dict[str, Any]:
    """Put a checkpoint's state into an empty engine; return it for what recovery still needs."""
    state: dict[str, Any] = records.unpack_value(data)
    if state["version"] > VERSION:
        text = f"the checkpoint's state has version {state['version']}; this release reads {VERSION}"
        raise error(mq.PSRC_FORMAT_TOO_NEW, text, version=state["version"])
    if engine.seed <= state["seed"]:
        engine.seed = state["seed"] + SEED_STEP
        engine.ids = IdSource(engine.name, engine.seed)
    engine.next_seq = state["next_seq"]
    engine.next_unit = state["next_unit"]
    engine.next_object = state["next_object"]
    engine.sync_book.restore(state.get("channels", []))
    engine.clusters.state.restore(state.get("clusters", []))
    for definition in _stored_objects(state):
        definitions.install(engine, definition)
    return state


def stored_objects(data: bytes) -> list[Definition]:
    """Return the objects in a checkpoint's state, without an engine."""
    return list(_stored_objects(records.unpack_value(data)))


def _stored_objects(state: dict[str, Any]) -> Iterator[Definition]:
    for kind, name, attributes, number, created, altered in state["objects"]:
        values = definitions.restore_attributes(attributes)
        yield Definition(kind, name, values, number, created, altered)


def stored_definitions(data: bytes) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield kind, name and attributes of the objects in a checkpoint's state, without an engine."""
    state: dict[str, Any] = records.unpack_value(data)
    for kind, name, attributes, *_ in state["objects"]:
        yield kind, name, attributes


def stored_queues(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield number and name of the queues in a checkpoint's state, without an engine."""
    state: dict[str, Any] = records.unpack_value(data)
    for kind, name, _, number, *_ in state["objects"]:
        if kind == "QLOCAL":
            yield number, name
