"""Which message a get or browse that knows groups may have: rules both share.

`GroupBook` says what is on the queue; here the options ALL_MSGS_AVAILABLE, ALL_SEGMENTS_AVAILABLE and
COMPLETE_MSG turn that into yes or no. Called by `group_getting` and `group_browsing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.message import NO_ID
from penstock.qmgr.groups.logical_order import GroupBook
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.groups.logical_order import Wanted
    from penstock.qmgr.queue import Queue

SEGMENT = mq.MQMF_SEGMENT | mq.MQMF_LAST_SEGMENT
WHOLE = mq.MQGMO_ALL_MSGS_AVAILABLE | mq.MQGMO_ALL_SEGMENTS_AVAILABLE
OPTIONS = mq.MQGMO_LOGICAL_ORDER | mq.MQGMO_COMPLETE_MSG | WHOLE


def current_book(engine: Engine, queue: Queue, now: float) -> GroupBook:
    """Return the queue's book of groups after expired messages were removed."""
    if queue.expiring and queue.earliest_expiry <= now:
        engine.effects.scan(queue, now)
    return book_of(queue)


def book_of(queue: Queue) -> GroupBook:
    """Return the queue's book of groups, created on first use."""
    if queue.groups is None:
        queue.groups = GroupBook()
        queue.watched = True
        for message in queue.messages():
            if message.state == AVAILABLE:
                queue.groups.add(message)
    return queue.groups  # type: ignore[no-any-return]


def wanted_message(book: GroupBook, wanted: Wanted, options: int) -> Message | None:
    """Return the message that continues a group, or None when it is not there."""
    # once a group has begun its rest is awaited one by one: it is not complete any more
    found = book.find(*wanted)
    return found if found is not None and fits(book, found, options & ~WHOLE) else None


def fits(book: GroupBook, message: Message, options: int) -> bool:
    """Return whether the options allow this message with what is there of its group."""
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


def parts_of(book: GroupBook, message: Message, options: int) -> list[Message]:
    """Return the physical messages of the returned message."""
    descriptor = message.descriptor
    if options & mq.MQGMO_COMPLETE_MSG and descriptor.flags & SEGMENT:
        return book.segments(descriptor.group_id, descriptor.seq_number)
    return [message]
