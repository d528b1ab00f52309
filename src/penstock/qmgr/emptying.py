"""Taking messages off a queue without a getter: CLEAR, DELETE PURGE, the end of dynamic queues.

Removals of persistent messages are logged like gets, many to a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import records
from penstock.qmgr.deep import packing
from penstock.qmgr.definitions import in_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

BATCH = 1000  # messages named by one record, and taken off while the engine is held


def clear_queue(engine: Engine, name: str, now: float) -> Iterator[None]:
    """Remove the messages that are on a queue now, many per step; other work runs between steps.

    2042 when it is open or has uncommitted messages.
    """
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    if queue.shared is not None:
        detail = f"{name} is shared: its messages are cleared by CLEAR QLOCAL at a member of its group"
        raise error(mq.MQRC_ENVIRONMENT_ERROR, detail, object=name)
    if in_use(engine, queue.definition) or queue.uncommitted or engine.reservations.holds(queue):
        raise error(
            mq.MQRC_OBJECT_IN_USE,
            f"queue {name} is open, or has uncommitted or reserved messages",
            object=name,
        )
    yield from in_parts(engine, queue)


def in_parts(engine: Engine, queue: Queue) -> Iterator[None]:
    """Remove every message that is available now, many per step; messages that arrive meanwhile stay."""
    end = queue.next_place
    while not queue.deleted and _take_off(engine, queue, BATCH, end):
        yield


def empty(engine: Engine, queue: Queue, now: float) -> int:
    """Remove every available message; return how many."""
    return _take_off(engine, queue, queue.depth, queue.next_place)


def _take_off(engine: Engine, queue: Queue, count: int, end: int) -> int:
    taken = queue.take_off(count, end)
    packed = packing.drop(queue, count - len(taken), end) if queue.packed else []
    engine.wishes.discards += [message.location for message in taken if message.location]
    engine.wishes.discards += [location for location, _ in packed]
    seqs = [message.seq for message in taken if message.persistent] + [seq for _, seq in packed if seq]
    for start in range(0, len(seqs), BATCH):
        head = records.pack_removed(0, queue.id, seqs[start : start + BATCH])
        engine.step.wait_for(engine.journal.append(records.GET, head, b""))
    return len(taken) + len(packed)
