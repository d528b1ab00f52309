"""Browsing shared queues: cursors, and the get of the message under one.

A browse looks in the facility behind the place of its cursor, so it shows what no unit has claimed at that
moment. The cursor of a handle is a place: lane and number of the message last seen. Called by `getting`.
A browse that returns a message may take three calls: it looks for one that fits, marks it, and locks it; what
another browser of the group was quicker with is passed by. Marks of cooperating browsers are the facility's,
so they count in the whole group; locks are in `browse_locks`, the order of groups in `group_looking`. No I/O.
Invariant: a browse that returns nothing or does not fit leaves cursor and lock as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from penstock.model import constants as mq
from penstock.model import onward
from penstock.model.errors import error
from penstock.qmgr.groups import group_browsing, group_choice
from penstock.qmgr.searching import marks
from penstock.qmgr.sharing import browse_locks, group_looking
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
Found = list[tuple["Row", "Message"]]


def find(
    engine: Engine,
    handle: Handle,
    options: int,
    match: Match | None,
    fits: Callable[[list[Message]], bool],
    now: float,
) -> Found | None:
    """Return the next message of a browse, in parts; None, with a wish when the facility must be asked first.

    A message that is there and cannot be read fails the browse, and the next one goes on behind it. A browse
    with conditions passes it by, and fails at the end of the queue: it may have been meant.
    """
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    answer = answered(engine, queue)
    look = answer if isinstance(answer, Look) else getattr(answer, "look", None)
    if look is None:
        _look_first(engine, queue, handle, options, match)
        return None
    if answer is not look and look.chosen:
        chosen, look.chosen = look.chosen, []
        if answer.found and browse_locks.took(handle, answer, chosen[0][0]):
            return _confirmed(engine, handle, options, look, chosen, isinstance(answer, Mark))
        if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
            _refuse_taken(handle, answer)
    if answer is look:
        browse_locks.show_own(handle, look)
    chosen = _choose(engine, handle, options, match, look)
    if not chosen or not fits([message for _, message in chosen]):
        return chosen or None
    row, message = chosen[0]
    change = _mark_change(handle, options)
    if change is None:
        return _confirmed(engine, handle, options, look, chosen, True)
    look.chosen = chosen
    engine.step.load([Mark(queue, row, message, look, change, marks.interval_seconds(engine), queue.wakes)])
    return None


def _confirmed(
    engine: Engine, handle: Handle, options: int, look: Look, chosen: Found, wants_lock: bool
) -> Found | None:
    """Return a message that the browse may have; None, with a wish if it must be locked first."""
    row = chosen[0][0]
    if not (wants_lock and options & mq.MQGMO_LOCK) or browse_locks.has(handle, row):
        return chosen
    look.chosen = chosen
    engine.step.load([Claim(look.queue, seqs=[row.seq], look=look, wakes=look.queue.wakes)])
    return None


def _refuse_taken(handle: Handle, answer: Mark | Claim) -> NoReturn:
    if isinstance(answer, Claim):
        _nothing(handle)
    raise error(mq.MQRC_MSG_MARKED_BROWSE_CO_OP, "another cooperating browser has marked the message")


def _choose(engine: Engine, handle: Handle, options: int, match: Match | None, look: Look) -> Found:
    """Return the parts of the next message that fits; empty, perhaps with a wish to look further."""
    if options & group_choice.OPTIONS and not options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return group_looking.choose(engine, handle, options, match, look)
    under = options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    while look.view:
        if match is None:
            _check_read(handle, look, look.view[0][0])
        row, message = look.view.pop(0)
        if under and (row.lane, row.seq) != _place(handle)[:2]:
            break
        if is_wanted(handle, row, message, options, match):
            return [(row, message)]
    if match is None:
        _check_read(handle, look, None)
    if under:
        _nothing(handle)
    if look.found >= look.count:
        further = Look(look.queue, [], look.lane, look.seq, look.count, look.queue.wakes)
        further.unmarked, further.unread, further.own = look.unmarked, look.unread, look.own
        engine.step.load([further])
    else:
        _check_read(handle, look, None)
    return []


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
    if options & group_choice.OPTIONS and not under:
        group_looking.begin(engine, handle, options)
        return
    if not under and handle.cursor is not None:
        group_browsing.check_order(handle.cursor, options)
    unmarked = options & mq.MQGMO_UNMARKED_BROWSE_MSG
    lane, seq = _start(handle, options)
    count = LOOK_COUNT if not under and (match is not None or unmarked) else 1
    look = Look(queue, [], lane, seq - 1 if under else seq, count, queue.wakes)
    look.unmarked = bool(unmarked and not under and handle.has(mq.MQOO_CO_OP))
    look.own = browse_locks.own_behind(handle, (look.lane, look.seq))
    engine.step.load([look])


def is_wanted(handle: Handle, row: Row, message: Message, options: int, match: Match | None) -> bool:
    """Return whether a browse may show a message, by its conditions and the handle's own marks."""
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


def arrive(handle: Handle, chosen: Found, shown: Message, options: int) -> None:
    """Move the cursor to a message that was returned; note the lock and the marks that are the handle's."""
    row, message = chosen[0]
    handle.extra[PLACE] = (row.lane, row.seq, message)
    if not options & mq.MQGMO_LOCK or not browse_locks.has(handle, row):
        browse_locks.release(handle)
    if not options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        group_looking.came_to(handle, row, message, shown, options)
    own: set[int] = handle.extra.setdefault(MARKED, set())
    if options & mq.MQGMO_MARK_BROWSE_HANDLE:
        own.add(row.seq)
    if options & mq.MQGMO_UNMARK_BROWSE_HANDLE:
        own.discard(row.seq)
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        handle.extra.setdefault(CO_MARKED, set()).add(row.seq)


def closed(handle: Handle) -> None:
    """Release the lock and remove the marks of a handle that is closed."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    browse_locks.release(handle)
    seqs = handle.extra.pop(CO_MARKED, None)
    if seqs and queue.shared.connected:
        queue.shared.submit(Unmark(queue, sorted(seqs)))


def under_cursor(engine: Engine, handle: Handle, now: float) -> Message | None:
    """Return the message under the cursor when it is this member's; 2034 when it is gone or another's."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    _, seq, _ = _place(handle)
    if (locked := queue.locks.get(handle)) is not None and locked[0].seq == seq:
        return locked[1]
    for message in queue.claimed:
        if message.seq == seq:
            return message
    if isinstance(answered(engine, queue), Claim):
        _nothing(handle)
    engine.step.load([Claim(queue, seqs=[seq], wakes=queue.wakes)])
    return None
