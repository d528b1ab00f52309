"""Taking messages off a queue without a getter: CLEAR, DELETE PURGE, the end of dynamic queues.

Removals of persistent messages are logged like gets, many to a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.errors import error
from penstock.qmgr import records
from penstock.qmgr.definitions import in_use
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

BATCH = 1000  # messages named by one record


def clear_queue(engine: Engine, name: str, now: float) -> int:
    """Remove what is on a queue; 2042 when it is open or has uncommitted messages."""
    queue = engine.queues.get(name)
    if queue is None:
        raise error(2085, f"{name} is not a local queue", object=name)
    if in_use(engine, queue.definition) or queue.uncommitted or engine.reservations.holds(queue):
        raise error(2042, f"queue {name} is open, or has uncommitted or reserved messages", object=name)
    return empty(engine, queue, now)


def empty(engine: Engine, queue: Queue, now: float) -> int:
    """Remove every available message; return how many."""
    count = 0
    seqs: list[int] = []
    for message in queue.messages():
        if message.state != AVAILABLE:
            continue
        if message.persistent:
            seqs.append(message.seq)
        if message.location:
            engine.discards.append(message.location)
        queue.unlink(message)
        queue.depth -= 1
        count += 1
    for start in range(0, len(seqs), BATCH):
        head = records.pack_removed(0, queue.id, seqs[start : start + BATCH])
        engine.position = engine.journal.append(records.GET, head, b"")
    return count
