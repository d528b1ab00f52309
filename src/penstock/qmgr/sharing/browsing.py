"""Browsing shared queues: cursors, and the get of the message under one.

A browse looks in the facility behind the place of its cursor, so it shows what no unit has claimed at that
moment. The cursor of a handle is a place: lane and number of the message last seen. Called by `getting`.
Marks of cooperating browsers are the facility's, so they
count in the whole group. Not here, and refused by name: locks and logical order. No I/O.
Invariant: a browse that returns nothing or does not fit leaves the cursor where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from penstock.model import constants as mq
from penstock.model import onward
from penstock.model.errors import error
from penstock.qmgr import marks
from penstock.qmgr.sharing.fetching import LOOK_COUNT, NO_LANE, answered
from penstock.qmgr.sharing.wishes import Claim, Look, Mark, Unmark

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.sharing.wishes import Row
    from penstock.qmgr.waiters import Match

PLACE = "shared_place"  # in `Handle.extra`: lane and number under the cursor, and the message
MARKED, CO_MARKED = "shared_marks", "shared_co_marks"  # numbers that the handle has marked
UNMARK_IT, MARK_IT, SEE_WHETHER_FREE = 0, 1, 2
BEGINNING = (NO_LANE, 0)


def check(options: int, refused: dict[int, str]) -> None:
    """Refuse what shared queues do not do, by name."""
    for option, name in refused.items():
        if options & option:
            raise error(
                mq.MQRC_OPTIONS_ERROR,
                f"{name} is not done on shared queues: use a private queue, or get without it",
            )


def find(
    engine: Engine,
    handle: Handle,
    options: int,
    match: Match | None,
    fits: Callable[[Message], bool],
    now: float,
) -> tuple[Row, Message] | None:
    """Return the next message of a browse; None, with a wish when the facility must be asked first.

    A message that is there and cannot be read fails the browse, and the next one goes on behind it. A browse
    with conditions passes it by, and fails at the end of the queue: it may have been meant.
    """
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    answer = answered(engine, queue)
    under = bool(options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR)
    if isinstance(answer, Mark):
        if answer.found:
            return answer.row, answer.message
        if under:
            text = "another cooperating browser has marked the message"
            raise error(mq.MQRC_MSG_MARKED_BROWSE_CO_OP, text)
        answer = answer.look
    if not isinstance(answer, Look):
        _look_first(engine, queue, handle, options, match)
        return None
    while answer.view:
        if match is None:
            _check_read(handle, answer, answer.view[0][0])
        row, message = answer.view.pop(0)
        if under and (row.lane, row.seq) != _place(handle)[:2]:
            break
        if not _is_wanted(handle, row, message, options, match):
            continue
        change = _mark_change(handle, options)
        if change is None or not fits(message):
            return row, message
        seconds = marks.interval_seconds(engine)
        engine.step.load([Mark(queue, row, message, answer, change, seconds, queue.wakes)])
        return None
    if match is None:
        _check_read(handle, answer, None)
    if under:
        _nothing(handle)
    if answer.found >= answer.count:
        further = Look(queue, [], answer.lane, answer.seq, answer.count, queue.wakes)
        further.unmarked, further.unread = answer.unmarked, answer.unread
        engine.step.load([further])
    else:
        _check_read(handle, answer, None)
    return None


def _check_read(handle: Handle, look: Look, before: Row | None) -> None:
    """Fail for the first message that cannot be read, if it comes before a row; the cursor moves to it."""
    if look.unread and (
        before is None or (look.unread[0].lane, look.unread[0].seq) < (before.lane, before.seq)
    ):
        row = look.unread[0]
        handle.extra[PLACE] = (row.lane, row.seq, None)
        assert row.failure is not None
        raise row.failure


def _look_first(
    engine: Engine, queue: SharedQueue, handle: Handle, options: int, match: Match | None
) -> None:
    under = options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    unmarked = options & mq.MQGMO_UNMARKED_BROWSE_MSG
    lane, seq = _start(handle, options)
    count = LOOK_COUNT if not under and (match is not None or unmarked) else 1
    look = Look(queue, [], lane, seq - 1 if under else seq, count, queue.wakes)
    look.unmarked = bool(unmarked and not under and handle.has(mq.MQOO_CO_OP))
    engine.step.load([look])


def _is_wanted(handle: Handle, row: Row, message: Message, options: int, match: Match | None) -> bool:
    if match is not None and not match.accepts(message):
        return False
    unmarked = options & mq.MQGMO_UNMARKED_BROWSE_MSG and not options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    return not unmarked or row.seq not in handle.extra.get(MARKED, ())


def _mark_change(handle: Handle, options: int) -> int | None:
    """Return what a browse does to the mark of cooperating browsers; None if nothing."""
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        return MARK_IT
    if options & mq.MQGMO_UNMARK_BROWSE_CO_OP:
        return UNMARK_IT
    under = options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR and options & mq.MQGMO_UNMARKED_BROWSE_MSG
    return SEE_WHETHER_FREE if under else None


def _start(handle: Handle, options: int) -> tuple[int, int]:
    if options & mq.MQGMO_BROWSE_FIRST:
        return BEGINNING
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return _place(handle)[:2]
    place: tuple[int, int, Message] | None = handle.extra.get(PLACE)
    return BEGINNING if place is None else place[:2]


def _place(handle: Handle) -> tuple[int, int, Message]:
    place: tuple[int, int, Message] | None = handle.extra.get(PLACE)
    return place if place is not None else _nothing(handle)


def _nothing(handle: Handle) -> NoReturn:
    raise error(mq.MQRC_NO_MSG_UNDER_CURSOR, "there is no message under the cursor", object=handle.name)


def show(message: Message, now: float) -> Message:
    """Return what a program sees of a message that stays."""
    if message.expires_at:
        message.remaining = message.expires_at - now
    return onward.shown(message)


def arrive(handle: Handle, row: Row, message: Message, options: int) -> None:
    """Move the cursor to a message that was returned; note the marks that are the handle's."""
    handle.extra[PLACE] = (row.lane, row.seq, message)
    own: set[int] = handle.extra.setdefault(MARKED, set())
    if options & mq.MQGMO_MARK_BROWSE_HANDLE:
        own.add(row.seq)
    if options & mq.MQGMO_UNMARK_BROWSE_HANDLE:
        own.discard(row.seq)
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        handle.extra.setdefault(CO_MARKED, set()).add(row.seq)


def closed(handle: Handle) -> None:
    """Remove the marks of a handle that is closed."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    seqs = handle.extra.pop(CO_MARKED, None)
    if seqs and queue.shared.connected:
        queue.shared.submit(Unmark(queue, sorted(seqs)))


def under_cursor(engine: Engine, handle: Handle, now: float) -> Message | None:
    """Return the message under the cursor when it is this member's; 2034 when it is gone or another's."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    _, seq, _ = _place(handle)
    for message in queue.claimed:
        if message.seq == seq:
            return message
    if isinstance(answered(engine, queue), Claim):
        _nothing(handle)
    engine.step.load([Claim(queue, seqs=[seq], wakes=queue.wakes)])
    return None
