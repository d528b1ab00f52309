"""What a checkpoint remembers besides messages: objects, counters, prepared units, flows.

`take` is called under the engine lock at the moment the checkpoint's journal position is read;
`restore` puts the same things back into an empty engine. Messages themselves are in message files
and in the journal behind the checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.qmgr import definitions, records
from penstock.qmgr.objects import Definition
from penstock.qmgr.states import ACTIVE, COMMITTING

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine

VERSION = 1


@dataclass(slots=True)
class Snapshot:
    """The state at one journal position, and the messages that have no file record yet."""

    state: bytes
    start: int  # replay begins here: nothing older is needed
    messages: list[tuple[Message, int, int]]  # message, queue id, unit that holds it (0 for none)


def take(engine: Engine, clean: bool = False) -> Snapshot:
    """Collect what a restart needs; `clean` keeps non-persistent messages of NPMCLASS(HIGH) queues."""
    state = {
        "version": VERSION,
        "name": engine.name,
        "clean": clean,
        "next_seq": engine.next_seq,
        "next_unit": engine.next_unit,
        "next_object": engine.next_object,
        "objects": [_object(definition) for definition in engine.objects if not _temporary(definition)],
        "prepared": [_prepared(unit) for unit in engine.prepared.values()],
        "flows": engine.reservations.state(),
    }
    return Snapshot(records.pack_value(state), _start(engine), _unsaved(engine, clean))


def _temporary(definition: Definition) -> bool:
    return definition.kind == "QLOCAL" and definition.attributes.get("DEFTYPE") == "TEMPDYN"


def _object(definition: Definition) -> tuple[Any, ...]:
    return (
        definition.kind,
        definition.name,
        definition.attributes,
        definition.id,
        definition.created,
        definition.altered,
    )


def _prepared(unit: Any) -> dict[str, Any]:
    return {
        "unit": unit.number,
        "xid": unit.xid,
        "started": unit.started,
        "puts": [message.seq for message in unit.puts if message.persistent],
        "gets": [message.seq for message in unit.gets if message.persistent],
    }


def _start(engine: Engine) -> int:
    open_units = [u.first_position for u in engine.units.values() if u.state in (ACTIVE, COMMITTING)]
    unfinished = [engine.pending[0][4]] if engine.pending else []
    return min([engine.journal.end, *open_units, *unfinished])


def _unsaved(engine: Engine, clean: bool) -> list[tuple[Message, int, int]]:
    found = [(m, m.queue.id, 0) for m in engine.unsaved if m.queue is not None and not m.location]
    engine.unsaved = []
    for unit in engine.prepared.values():
        found += [(m, m.queue.id, unit.number) for m in unit.puts if m.persistent and not m.location]
    found += engine.reservations.unsaved()
    if clean:
        for queue in engine.queues.values():
            if queue.definition.attributes["NPMCLASS"] == "HIGH" and not queue.temporary:
                found += [(m, queue.id, 0) for m in queue.messages() if not m.persistent and not m.location]
    return found


def restore(engine: Engine, data: bytes) -> dict[str, Any]:
    """Put a checkpoint's state into an empty engine; return it for what recovery still needs."""
    state: dict[str, Any] = records.unpack_value(data)
    engine.next_seq = state["next_seq"]
    engine.next_unit = state["next_unit"]
    engine.next_object = state["next_object"]
    for kind, name, attributes, number, created, altered in state["objects"]:
        values = definitions.restore_attributes(attributes)
        definitions.install(engine, Definition(kind, name, values, number, created, altered))
    return state
