"""Gets that know groups and segments: logical order, complete messages, complete groups.

`GroupBook` (of the queue) knows which members are there, `LogicalGet` (of the handle) which one
comes next; this module chooses, takes and joins. Called by `getting` when an option asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.message import NO_ID
from penstock.qmgr import getting
from penstock.qmgr.groups import GroupBook, LogicalGet, assemble
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.getting import GetRequest
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match

SEGMENT = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT


def get(
    engine: Engine,
    handle: Handle,
    request: GetRequest,
    match: Match | None,
    unit: UnitOfWork | None,
    now: float,
) -> Message | None:
    """Get the next message in the order that the options ask for, or None."""
    queue = handle.queue
    assert queue is not None
    book = book_of(queue)
    state = handle.logical_get = handle.logical_get or LogicalGet()
    logical = bool(request.options & mq.MQGMO_LOGICAL_ORDER)
    warning = state.check(logical, unit)
    message = _choose(engine, queue, book, state, request.options, match, now)
    if message is None:
        return None
    parts = _parts(book, message, request.options)
    spilled = [part for part in parts if part.body is None]
    if spilled:
        engine.to_load = spilled
        return None
    length = sum(part.length for part in parts)
    if request.max_length is not None and length > request.max_length:
        if not request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
            return getting.refused(parts[0] if len(parts) == 1 else assemble(parts), request)
    taken = [getting.take(engine, queue, part, request, unit, now) for part in parts]
    whole = taken[0] if len(taken) == 1 else assemble(taken)
    whole.warning = whole.warning or warning
    state.took(whole, logical, unit)
    if unit is not None:
        unit.when_ended(lambda committed: None if committed else state.reset())
    return getting.hand_out(engine, handle, queue, whole, request)


def book_of(queue: Queue) -> GroupBook:
    """Return the queue's book of groups, made when it is first asked for."""
    if queue.groups is None:
        queue.groups = GroupBook()
        queue.watched = True
        for message in queue.messages():
            if message.state == AVAILABLE:
                queue.groups.add(message)
    return queue.groups  # type: ignore[no-any-return]


def _choose(
    engine: Engine,
    queue: Queue,
    book: GroupBook,
    state: LogicalGet,
    options: int,
    match: Match | None,
    now: float,
) -> Message | None:
    wanted = state.wanted if options & mq.MQGMO_LOGICAL_ORDER else None
    if wanted is not None:
        # once a group has begun its rest is awaited one by one: it is not complete any more
        rest = options & ~(mq.MQGMO_ALL_MSGS_AVAILABLE | mq.MQGMO_ALL_SEGMENTS_AVAILABLE)
        found = book.find(*wanted)
        return found if found is not None and _fits(book, found, rest) else None
    for message in queue.messages():
        if message.state != AVAILABLE:
            continue
        if message.expires_at and message.expires_at <= now:
            engine.effects.expired(queue, message, now)
            continue
        if options & mq.MQGMO_LOGICAL_ORDER and not state.may_begin(message.descriptor):
            continue
        if (match is None or match.accepts(message)) and _fits(book, message, options):
            return message
    return None


def _fits(book: GroupBook, message: Message, options: int) -> bool:
    descriptor = message.descriptor
    if options & mq.MQGMO_COMPLETE_MSG and descriptor.flags & SEGMENT:
        if descriptor.offset or not book.message_complete(descriptor.group_id, descriptor.seq_number):
            return False
    if descriptor.group_id == NO_ID:
        return True
    return book.available(
        message,
        bool(options & mq.MQGMO_ALL_MSGS_AVAILABLE),
        bool(options & mq.MQGMO_ALL_SEGMENTS_AVAILABLE),
    )


def _parts(book: GroupBook, message: Message, options: int) -> list[Message]:
    descriptor = message.descriptor
    if options & mq.MQGMO_COMPLETE_MSG and descriptor.flags & SEGMENT:
        return book.segments(descriptor.group_id, descriptor.seq_number)
    return [message]
