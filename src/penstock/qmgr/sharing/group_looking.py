"""Browses of shared queues that know groups and segments.

All messages that nobody holds are fetched, part by part; a book of groups is made of them, and the next
message is chosen in the order of the options. The place of a group is that of its first message. Called by
`browsing`. No I/O. Invariant: the segments of one message are shown together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.groups import group_browsing, group_choice
from penstock.qmgr.groups.group_book import GroupBook
from penstock.qmgr.groups.logical_order import LogicalGet
from penstock.qmgr.sharing import browse_locks, browsing
from penstock.qmgr.sharing.wishes import Look

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.sharing.browsing import Found
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.sharing.wishes import Row
    from penstock.qmgr.waiters import Match

LOOK_COUNT = 1000  # messages that one look brings in
GROUP = "shared_group"  # in `Handle.extra`: the place of the group that the cursor is in


def check_index(queue: SharedQueue, what: str) -> None:
    """Raise 2394 if a queue is not indexed by groups."""
    if queue.index_type != "GROUPID":
        detail = (
            f"{what} by groups and segments need INDXTYPE(GROUPID): shared queue {queue.name} has another"
        )
        raise error(mq.MQRC_Q_INDEX_TYPE_ERROR, detail, object=queue.name)


def begin(engine: Engine, handle: Handle, options: int) -> None:
    """Have the messages of the queue fetched for a browse."""
    queue = browse_locks.queue_of(handle)
    check_index(queue, "browses")
    assert handle.cursor is not None
    group_browsing.check_order(handle.cursor, options)
    look = Look(queue, [], *browsing.BEGINNING, LOOK_COUNT, queue.wakes)
    look.own = browse_locks.own_behind(handle, browsing.BEGINNING)
    engine.step.load([look])


def choose(engine: Engine, handle: Handle, options: int, match: Match | None, look: Look) -> Found:
    """Return the parts of the next message; empty, perhaps with a wish to fetch more messages."""
    if look.found >= look.count:
        further = Look(look.queue, [], *look.last, LOOK_COUNT, look.queue.wakes)
        further.seen, further.unread, further.own = [*look.seen, *look.view], look.unread, look.own
        engine.step.load([further])
        return []
    look.seen, look.view = [*look.seen, *look.view], []
    rows = {message: row for row, message in look.seen}
    book = GroupBook()
    for message in rows:
        book.add(message)
    return [(rows[part], part) for part in _parts(handle, options, match, look, rows, book)]


def _parts(
    handle: Handle, options: int, match: Match | None, look: Look, rows: dict[Message, Row], book: GroupBook
) -> list[Message]:
    cursor = handle.cursor
    assert cursor is not None
    logical, goes_on = options & mq.MQGMO_LOGICAL_ORDER, options & mq.MQGMO_BROWSE_NEXT
    if logical and goes_on and cursor.logical is not None and cursor.logical.wanted is not None:
        if look.tried is not None:
            return []  # another browser has the one message that continues the group
        found = group_choice.wanted_message(book, cursor.logical.wanted, options)
        look.tried = browsing.BEGINNING
        return [] if found is None else group_choice.parts_of(book, found, options)
    start = look.tried or _start(handle, bool(goes_on), bool(logical))
    state = LogicalGet()
    for message, row in rows.items():
        if (row.lane, row.seq) <= start or not browsing.is_wanted(handle, row, message, options, match):
            continue
        if logical and not state.may_begin(message.descriptor):
            continue
        if group_choice.fits(book, message, options):
            look.tried = (row.lane, row.seq)
            return group_choice.parts_of(book, message, options)
    for row in look.unread:  # it may be the one that is meant
        assert row.failure is not None
        raise row.failure
    return []


def _start(handle: Handle, goes_on: bool, logical: bool) -> tuple[int, int]:
    if not goes_on:
        return browsing.BEGINNING
    place = handle.extra.get(GROUP) if logical else handle.extra.get(browsing.PLACE)
    return browsing.BEGINNING if place is None else place[:2]


def came_to(handle: Handle, row: Row, first: Message, shown: Message, options: int) -> None:
    """Record the shown message, for the next browse."""
    cursor = handle.cursor
    assert cursor is not None
    if options & mq.MQGMO_LOGICAL_ORDER:
        begins = cursor.logical is None or cursor.logical.wanted is None
        if begins or options & mq.MQGMO_BROWSE_FIRST:
            handle.extra[GROUP] = (row.lane, row.seq)
    group_browsing.came_to(cursor, first, shown, options)
