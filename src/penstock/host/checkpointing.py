"""Checkpoints and spilling: moving messages from memory and journal to message files.

A checkpoint bounds restart: afterwards the journal before its start is not needed. It is fuzzy: the
engine goes on while bodies are written, and replay puts right what changed meanwhile. Spilling is
the same write, done early, for queues that outgrow their buffer. Called by `Host`; a caller that needs both
takes `files_lock` before the gate.

Order that must hold: the journal is durable up to the snapshot before the message files learn of its
removals, before the checkpoint names both. A removal of after the snapshot is the next checkpoint's: this
one may still need the record. What a failed checkpoint took from the engine goes back to it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from penstock.host.pacing import Pace
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.qmgr.deep import packing
from penstock.qmgr.deep.window import is_wanted
from penstock.qmgr.restart import snapshot
from penstock.qmgr.states import AVAILABLE, GONE, UNCOMMITTED
from penstock.store.checkpoint import write_checkpoint
from penstock.store.message_file import NUMBER_SHIFT
from penstock.store.message_format import decode_head, encode_head

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.host.host import Host
    from penstock.qmgr.deep.block import Block
    from penstock.qmgr.deep.window import Window
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.restart.snapshot import Held, Snapshot
    from penstock.store.manifest import Manifest

CHUNK_MESSAGES = 512
CHUNK_BYTES = 4 << 20
COMPACT_FILES_MAX = 4  # mostly dead files that one checkpoint clears
SEARCH_MESSAGES = 10_000  # looked at in one go for those in a mostly dead file, or without a place in memory
UNSAVED_MIN = 10_000  # messages for the next checkpoint, before it is worth a look which have none any more


@dataclass
class CheckpointCounts:
    """Checkpoints since the queue manager started."""

    count: int = 0
    seconds: float = 0.0  # that they took, in all
    last: float = 0.0  # when the last one was finished

    def add(self, seconds: float, now: float) -> None:
        """Count one that has been finished."""
        self.count += 1
        self.seconds += seconds
        self.last = now


def checkpoint(host: Host, clean: bool = False) -> None:
    """Make everything up to now restartable without the journal before now; a failed sync stops it all."""
    began = time.monotonic()
    with host.checkpoint_lock:
        host.check_going_on(clean)  # a snapshot of a disposed engine would be one of nothing
        with host.gate.anyway:
            taken = snapshot.take(host.engine, clean)
        try:
            with host.files_lock:
                manifest = _write(host, taken)
        except BaseException as failure:
            with host.gate.anyway:
                taken.give_back(host.engine)
            _stop_after_failed_sync(host, failure)
            raise
        host.checkpoint_end = taken.end
        host.file_bytes = 0
        with host.files_lock:
            host.files.release(manifest)
        host.journal.release(taken.start)
        host.checkpoints.add(time.monotonic() - began, time.time())


def checkpoint_if_room(host: Host, clean: bool = False) -> None:
    """Take the checkpoint of a start or a stop; do without it on a full disk if the log alone is enough.

    It is not enough for non-persistent messages that were kept, or shall be, nor for a new queue manager.
    """
    try:
        checkpoint(host, clean)
    except MQError as failure:
        if failure.reason != mq.PSRC_DISK_NEARLY_FULL or not host.has_checkpoint or host.failure is not None:
            raise
        with host.gate.anyway:
            if snapshot.keeps_over_stop(host.engine):
                raise
        host.error_log.write(
            "AMQ6119S",
            f"No checkpoint could be written: {failure}",
            "Nothing is lost: the next start reads the log instead.",
            failure.action,
        )


def _stop_after_failed_sync(host: Host, failure: BaseException) -> None:
    """Stop the queue manager after a failed sync: the contents of the files are unknown then."""
    if isinstance(failure, MQError) and failure.fields.get("doing") == "syncing":
        host.stop(failure)


def _write(host: Host, taken: Snapshot) -> Manifest:
    pace = Pace(host.pacer)
    for chunk in _chunks(chain(taken.held, _visible(taken.unsaved))):
        _save(host, chunk)
        pace.step()
    _settle_removals(host, taken)
    _rewrite(host, taken.misfiled)
    dead = _mostly_dead_files(host)
    _rewrite(host, _in_files(host, dead))
    _rewrite_packed(host, dead)
    manifest = host.files.sync()
    state = taken.pack(pace.step)
    write_checkpoint(host.folder.path, state, taken.start, manifest, host.faults)
    return manifest


def _visible(messages: Iterable[Message]) -> Iterator[Held]:
    """Yield messages that no unit holds; their queue is found when they are written."""
    return ((message, 0, 0) for message in messages)


def _chunks(messages: Iterable[Held]) -> Iterator[list[Held]]:
    chunk: list[Held] = []
    size = 0
    before: bytes | None = None
    for held in messages:
        if size >= CHUNK_BYTES or len(chunk) >= CHUNK_MESSAGES:
            yield chunk
            chunk, size = [], 0
        chunk.append(held)
        body = held[0].body
        size += held[0].length if body is None or body is not before else 0  # copies share it
        before = body
    if chunk:
        yield chunk


def _save(host: Host, chunk: list[Held]) -> None:
    """Write messages to the message files, as far as they are still where they were."""
    with host.gate.anyway:
        wanted = [held for held in chunk if _still(held) and not held[0].location]
        parts = [(encode_head(m, number or m.queue.id, unit), m.body or b"") for m, number, unit in wanted]
        counts = [held[0].backout_count for held in wanted]
    if not parts:
        return
    locations = _append(host, parts)
    with host.gate.anyway:
        for held, location, count in zip(wanted, locations, counts, strict=True):
            message = held[0]
            if not _still(held) or message.location:
                host.files.discard(location)
                continue
            message.location = location
            if message.backout_count != count:
                host.engine.wishes.amended.append(message)


def _append(host: Host, parts: list[tuple[bytes, bytes]]) -> list[int]:
    host.file_bytes += sum(len(body) for body in {id(body): body for _, body in parts}.values())
    return host.files.write(parts)


def _still(held: Held) -> bool:
    message, _, unit = held
    if message.body is None:
        return False
    if unit:
        return message.state == UNCOMMITTED
    return message.state not in (GONE, UNCOMMITTED) and message.queue is not None


def _settle_removals(host: Host, taken: Snapshot) -> None:
    host.journal.wait(taken.end)
    with host.gate.anyway:
        host.engine.durable(host.journal.durable)
        amendments = [(m.location, m.backout_count) for m in taken.amended if m.location and m.state != GONE]
    host.files.discard_many(taken.discards)
    for location, count in amendments:
        host.files.amend(location, count)


def _rewrite(host: Host, messages: list[Message]) -> None:
    """Write linked messages again, wherever they are now, so that their old records are dead.

    Old and new record change in the same manifest; a restart finds one of them.
    """
    for chunk in _chunks(_visible(messages)):
        with host.gate.anyway:
            wanted = [m for m, _, _ in chunk if m.location and m.state != GONE and m.queue is not None]
            old = [m.location for m in wanted]
            heads = [encode_head(m, m.queue.id, _unit_of(m)) for m in wanted]
            bodies = [m.body for m in wanted]
        missing = [location for location, body in zip(old, bodies, strict=True) if body is None]
        read = iter([body for _, body in host.files.read(missing)] if missing else [])
        parts = [
            (head, next(read) if body is None else body) for head, body in zip(heads, bodies, strict=True)
        ]
        if parts:
            _replace(host, wanted, old, _append(host, parts))


def _unit_of(message: Message) -> int:
    return int(message.owner.number) if message.state == UNCOMMITTED else 0


def _replace(host: Host, messages: list[Message], old: list[int], new: list[int]) -> None:
    with host.gate.anyway:
        for message, before, after in zip(messages, old, new, strict=True):
            if message.state != GONE and message.location == before:
                message.location = after
                message.misfiled = False
                host.engine.wishes.amended.append(message)  # it may have been backed out meanwhile
                host.files.discard(before)
            else:
                host.files.discard(after)


def _mostly_dead_files(host: Host) -> set[int]:
    """Return the numbers of files that are better rewritten."""
    return {use.number for use in host.files.compact_candidates()[:COMPACT_FILES_MAX]}


def _in_files(host: Host, numbers: set[int]) -> list[Message]:
    """Return the messages in memory that keep files from going."""
    if not numbers:
        return []
    found: list[Message] = []
    with host.gate.anyway:
        queues = list(host.engine.queues.values())
        units = [unit for unit in host.engine.units.values() if unit.xid is not None]
        for unit in units:
            found += [m for m in unit.puts if m.location >> NUMBER_SHIFT in numbers]
    for queue in queues:
        for message in _walk(host, queue):
            if message.location >> NUMBER_SHIFT in numbers:
                found.append(message)
    return found


def _rewrite_packed(host: Host, numbers: set[int]) -> None:
    """Write packed messages again that keep files from going: their records are right as they are."""
    if not numbers:
        return
    with host.gate.anyway:
        queues = [queue for queue in host.engine.queues.values() if queue.packed]
    for queue in queues:
        for lane in queue.lanes:
            with host.gate.anyway:
                blocks = list(lane.blocks or ())
            for block in blocks:
                _move_records(host, block, numbers)


def _move_records(host: Host, block: Block, numbers: set[int]) -> None:
    with host.gate.anyway:
        found = [each for each in enumerate(block.locations) if each[1] >> NUMBER_SHIFT in numbers]
    for start in range(0, len(found), CHUNK_MESSAGES):
        part = found[start : start + CHUNK_MESSAGES]
        with host.gate.anyway:
            part = [(at, location) for at, location in part if block.locations[at] == location]
        parts = host.files.read([location for _, location in part])
        new = _append(host, parts) if parts else []
        with host.gate.anyway:
            for (at, before), after in zip(part, new, strict=True):
                is_here = block.locations[at] == before
                host.files.discard(before if is_here else after)
                if is_here:
                    block.locations[at] = after


def _walk(host: Host, queue: Queue) -> Iterator[Message]:
    """Yield the linked messages of a queue in memory, holding the gate for a part of them at a time."""
    lane, place = 9, 0
    last: Message | None = None
    while True:
        part: list[Message] = []
        with host.gate.anyway:
            if last is not None and last.queue is queue and last.state != GONE:
                message = queue.next_in_memory(last)
            else:
                message = queue.after_in_memory(lane, place)
            while message is not None and len(part) < SEARCH_MESSAGES:
                part.append(message)
                last, lane, place = message, message.lane, message.place
                message = queue.next_in_memory(message)
        if not part:
            return
        yield from part


def spill(host: Host) -> None:
    """Write the bodies that queues have no room for to message files, and drop them from memory."""
    engine = host.engine
    with host.files_lock:
        host.check_going_on()
        with host.gate.anyway:
            waiting = engine.wishes.take_spilling()
        try:
            for chunk in _chunks(_visible(waiting)):
                _save(host, chunk)
                with host.gate.anyway:
                    full = engine.wishes.unsealed
                    kept = [message for message, _, _ in chunk if not _let_go(message, full)]
                    engine.wishes.spilling[:0] = kept
        except MQError as failure:
            with host.gate.anyway:
                engine.wishes.spilling[:0] = waiting
            _stop_after_failed_sync(host, failure)
            raise
        _forget_packed(host)


def _forget_packed(host: Host) -> None:
    """Take messages without an object on their queue from those that the next checkpoint looks at."""
    wishes = host.engine.wishes
    begin, unsaved = 0, wishes.unsaved
    if len(unsaved) < UNSAVED_MIN + 2 * wishes.unsaved_kept:
        return
    while begin < len(unsaved):
        with host.gate.anyway:
            if wishes.unsaved is not unsaved:
                return  # a checkpoint has taken them
            kept = [message for message in unsaved[begin : begin + SEARCH_MESSAGES] if message.state != GONE]
            unsaved[begin : begin + SEARCH_MESSAGES] = kept
            begin += len(kept)
            wishes.unsaved_kept = begin


def seal(host: Host) -> None:
    """Sort the ids of full blocks, for gets by id; nothing is added to them any more, so the gate is free."""
    unsealed = host.engine.wishes.unsealed
    while unsealed and not host.closed:
        block = unsealed.pop()
        if block.live and not block.sealed:
            block.seal()


def _let_go(message: Message, full: list[Block]) -> bool:
    """Keep no more of a message than is needed; False if somebody has it in memory for a while."""
    queue = message.queue
    if not message.location or message.state != AVAILABLE or queue is None:
        return True
    if is_wanted(queue, message):
        return False
    if not packing.pack_available(queue, message, full) and message.body is not None:
        queue.drop_body(message)
    return True


def bring_in(host: Host, window: Window) -> None:
    """Make messages in memory of packed ones that somebody needs."""
    with host.files_lock:
        if host.gone:
            raise host.gate.refusal()
        with host.gate.anyway:
            entries = [(block, at, block.locations[at]) for block, at in window.entries()]
        read = host.files.read([location for _, _, location in entries]) if entries else []
        messages = [decode_head(head, body, len(body)) for head, body in read]
        with host.gate.anyway:
            host.engine.brought(window, entries, messages)


def load(host: Host, messages: list[Message]) -> None:
    """Read the bodies of spilled messages back into memory, or fetch what a shared queue wishes."""
    if host.sharing is not None and messages and not isinstance(messages[0], Message):
        host.sharing.fetch(messages)
        return
    with host.files_lock:
        if host.gone:
            raise host.gate.refusal()
        with host.gate.anyway:
            wanted = [m for m in messages if m.body is None and m.state != GONE and m.location]
            locations = [m.location for m in wanted]
        bodies = [body for _, body in host.files.read(locations)] if wanted else []
        with host.gate.anyway:
            host.engine.loaded(wanted, bodies)
