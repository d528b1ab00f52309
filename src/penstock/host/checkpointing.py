"""Checkpoints and spilling: moving messages from memory and journal to message files.

A checkpoint bounds restart: afterwards the journal before its start is not needed. It is fuzzy: the
engine goes on while bodies are written, and replay puts right what changed meanwhile. Spilling is
the same write, done early, for queues that outgrow their buffer. Called by `Host`; whoever needs both
takes `files_lock` before the gate.

Order that must hold: the journal is durable up to the moment the removals were collected, before
the message files learn of them, before the checkpoint names both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr import snapshot
from penstock.qmgr.states import AVAILABLE, GONE, UNCOMMITTED
from penstock.store.checkpoint import write_checkpoint
from penstock.store.message_format import encode_head

if TYPE_CHECKING:
    from penstock.host.host import Host
    from penstock.model.message import Message

    Held = tuple[Message, int, int]  # message, queue id, unit that holds it (0 for none)

CHUNK_MESSAGES = 512
CHUNK_BYTES = 4 << 20


def checkpoint(host: Host, clean: bool = False) -> None:
    """Make everything up to now restartable without the journal before now."""
    with host.checkpoint_lock:
        with host.gate:
            taken = snapshot.take(host.engine, clean)
        with host.files_lock:
            for chunk in _chunks(taken.messages):
                _save(host, chunk)
            _settle_removals(host)
            manifest = host.files.sync()
            write_checkpoint(host.folder.path, taken.state, taken.start, manifest, host.faults)
            host.files.release(manifest)
        host.journal.release(taken.start)
        host.checkpoint_end = host.journal.end


def _chunks(messages: list[Held]) -> list[list[Held]]:
    chunks: list[list[Held]] = []
    size = CHUNK_BYTES
    for held in messages:
        if size >= CHUNK_BYTES or len(chunks[-1]) >= CHUNK_MESSAGES:
            chunks.append([])
            size = 0
        chunks[-1].append(held)
        size += held[0].length
    return chunks


def _save(host: Host, chunk: list[Held]) -> list[Held]:
    """Write messages to the message files; return those that have a place there now."""
    with host.gate:
        wanted = [held for held in chunk if _still(held) and not held[0].location]
        parts = [(encode_head(m, queue_id, unit), m.body or b"") for m, queue_id, unit in wanted]
        counts = [held[0].backout_count for held in wanted]
    if not parts:
        return []
    locations = host.files.write(parts)
    saved = []
    with host.gate:
        for held, location, count in zip(wanted, locations, counts, strict=True):
            message = held[0]
            if not _still(held) or message.location:
                host.files.discard(location)
                continue
            message.location = location
            if message.backout_count != count:
                host.engine.amended.append(message)
            saved.append(held)
    return saved


def _still(held: Held) -> bool:
    message, _, unit = held
    if unit:
        return message.state == UNCOMMITTED and message.body is not None
    return message.state not in (GONE, UNCOMMITTED) and message.queue is not None and message.body is not None


def _settle_removals(host: Host) -> None:
    engine = host.engine
    with host.gate:
        discards, engine.discards = engine.discards, []
        amended, engine.amended = engine.amended, []
        amendments = [(m.location, m.backout_count) for m in amended if m.location and m.state != GONE]
        end = host.journal.end
    host.journal.wait(end)
    with host.gate:
        engine.durable(host.journal.durable)
    for location in discards:
        host.files.discard(location)
    for location, count in amendments:
        host.files.amend(location, count)


def spill(host: Host) -> None:
    """Write the bodies that queues have no room for to message files, and drop them from memory."""
    engine = host.engine
    with host.files_lock:
        with host.gate:
            waiting, engine.spilling = engine.spilling, []
            held = [(m, m.queue.id, 0) for m in waiting if m.queue is not None and m.body is not None]
        for chunk in _chunks(held):
            _save(host, chunk)
            with host.gate:
                for message, _, _ in chunk:
                    _drop(message)


def _drop(message: Message) -> None:
    if message.location and message.state == AVAILABLE and message.body is not None:
        message.queue.drop_body(message)


def load(host: Host, messages: list[Message]) -> None:
    """Read the bodies of spilled messages back into memory."""
    with host.files_lock:
        with host.gate:
            wanted = [m for m in messages if m.body is None and m.state != GONE and m.location]
            locations = [m.location for m in wanted]
        bodies = [body for _, body in host.files.read(locations)] if wanted else []
        with host.gate:
            host.engine.loaded(wanted, bodies)
