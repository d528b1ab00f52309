"""Messages that a batch takes besides its reservation: records that its work keeps on queues.

An attempt looks up messages by their ids (`found`), decides, and names those that it takes when it prepares
its outputs. `hold` then keeps them for the batch, all or none: no other program can take them, and the commit
cannot fail for them. Attempts at one batch may hold the same message; it is free again when none of them
wants it. Looking holds nothing, so that work which is thrown away has touched nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.core import INDEXED_AT_ONCE
from penstock.qmgr.deep.window import others_first
from penstock.qmgr.queue import count_got
from penstock.qmgr.searching.pauses import Packed
from penstock.qmgr.states import AVAILABLE, RESERVED
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.model.message import Message
    from penstock.qmgr.batches.batch_state import OutputBatch, Reservation
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

    Take = tuple[str, bytes, int]  # queue, correlation id, and the number that `number_of` gave


def number_of(message: Message) -> int:
    """Return a key that identifies a message of a queue; persistent messages keep it over a restart."""
    return message.seq or -message.place


def found(queue: Queue, held: Reservation, match: Match) -> list[Message] | None:
    """Return the messages of an id that a batch could take, in delivery order; Packed if some are on disk.

    None if other callers come first, because the queue's index lacks many messages.
    """
    index = queue.index_for(match)
    assert index is not None
    if not index.complete and not index.extend(queue, INDEXED_AT_ONCE):
        return None
    if queue.packed:
        window = others_first(queue, match, None)
        if window is not None:
            raise Packed(window)
    inputs = {id(message) for message in held.messages} if queue.id == held.queue_id else set()
    entries = index.all(index.key_in(match))
    return [message for message in entries if id(message) not in inputs and _can_take(message, held)]


def _can_take(message: Message, held: Reservation) -> bool:
    return message.state == AVAILABLE or (message.state == RESERVED and message.owner is held)


def chosen(engine: Engine, held: Reservation, slice: int, takes: Sequence[Take]) -> list[Message]:
    """Return the messages that an attempt at a slice has named; 8321 if one of them is not available.

    A message that another slice takes is not available: both may win, and it can be removed only once.
    """
    away = {id(message) for batch in held.all_batches() if batch.slice != slice for message in batch.takes}
    messages = []
    for take in takes:
        message = _named(engine, held, *take)
        if id(message) in away:
            detail = f"a message on {take[0]} is taken already, by this attempt or another slice"
            raise error(mq.PSRC_FLOW_AGGREGATION_BUSY, f"{detail} of batch {held.n}")
        away.add(id(message))
        messages.append(message)
    return messages


def hold(held: Reservation, batch: OutputBatch, messages: list[Message]) -> None:
    """Hold messages for a batch until it is committed or its attempt dropped."""
    for message in messages:
        hold_one(held, message)
    batch.takes = messages


def hold_one(held: Reservation, message: Message) -> None:
    """Hold a message for a batch, if it is not held already."""
    if message.state == AVAILABLE:
        queue = message.queue
        queue.hold(message, RESERVED, held)
        queue.depth -= 1
        queue.uncommitted += 1
        count_got(queue, message, queue.last_get)


def _named(engine: Engine, held: Reservation, name: str, correl_id: bytes, number: int) -> Message:
    queue = engine.resolve(name).queue
    if queue is not None:
        match = Match(correl_id=correl_id)
        queue.complete_index_for(match)  # nearly always it is complete: a look has used it
        for message in found(queue, held, match) or ():
            if number_of(message) == number:
                return message
    raise error(
        mq.PSRC_FLOW_AGGREGATION_BUSY,
        f"a message that batch {held.n} has seen on {name} is not there any more",
    )


def let_go(engine: Engine, held: Reservation, messages: Iterable[Message], now: float) -> None:
    """Release those messages that no attempt at the batch takes any more."""
    wanted = {id(message) for batch in held.all_batches() for message in batch.takes}
    freed = {}
    for message in messages:
        if id(message) not in wanted and message.state == RESERVED and message.owner is held:
            queue = message.queue
            queue.free(message)
            queue.depth += 1
            queue.uncommitted -= 1
            queue.gets_undone += 1
            freed[queue.id] = queue
    for queue in freed.values():
        engine.serve(queue, now)
