"""Browsing: cursors and locks.

A cursor belongs to a handle and points to the message last seen; if that message was removed, it
points to the message's place. A lock keeps others off until the handle browses again, closes, or
uses UNLOCK. Marks are in `marks`, groups in `group_browsing`. Called by `getting`.
Invariant: a browse that returns nothing, fails or does not fit leaves cursor and lock as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model import onward
from penstock.model.errors import error
from penstock.qmgr.core import load_ahead
from penstock.qmgr.deep.window import Window, entry_at
from penstock.qmgr.groups import group_browsing, group_choice
from penstock.qmgr.groups.logical_order import assemble
from penstock.qmgr.searching import marks
from penstock.qmgr.searching.pauses import Packed
from penstock.qmgr.searching.scanning import HIGHEST, UNLIMITED, Scan
from penstock.qmgr.sharing import browse_locks
from penstock.qmgr.states import AVAILABLE, GONE, LOCKED, PACKED

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Cursor, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.waiters import Match


def find(
    engine: Engine, handle: Handle, options: int, match: Match | None, now: float
) -> tuple[Message, Message] | None:
    """Return the next message of the browse and a copy to show; None, and perhaps `to_load`."""
    try:
        parts = _parts(engine, handle, options, match, now)
    except Packed as needed:
        assert handle.cursor is not None
        handle.cursor.window = needed.window  # in memory until the cursor needs others
        if engine.scan is not None:
            raise
        engine.step.load([needed.window])
        return None
    spilled = [part for part in parts if part.body is None]
    if spilled:
        ahead = match is None and len(parts) == 1 and options & mq.MQGMO_BROWSE_NEXT
        engine.step.load(load_ahead(spilled[0].queue, spilled[0]) if ahead else spilled)
    if spilled or not parts:
        return None
    shown = [_show(part, now) for part in parts]
    for part in parts:
        _let_body_go(engine, part, options)
    return parts[0], shown[0] if len(shown) == 1 else assemble(shown)


def _parts(engine: Engine, handle: Handle, options: int, match: Match | None, now: float) -> list[Message]:
    queue, cursor = handle.queue, handle.cursor
    assert queue is not None
    assert cursor is not None
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        message = under_cursor(engine, handle, now)
        if options & (mq.MQGMO_UNMARKED_BROWSE_MSG | mq.MQGMO_MARK_BROWSE_CO_OP):
            marks.check_free(queue, message, now)
        return [message]
    group_browsing.check_order(cursor, options)

    def start() -> Message | None:
        if options & mq.MQGMO_BROWSE_FIRST:
            return _first(queue)
        return _following(queue, cursor.group if cursor.group is not None else cursor)

    place = cursor.group if cursor.group is not None else cursor
    begun = place.message is not None and not options & mq.MQGMO_BROWSE_FIRST
    highest = place.lane if begun else HIGHEST

    def hidden(message: Message) -> bool:
        return bool(options & mq.MQGMO_UNMARKED_BROWSE_MSG) and marks.hidden(queue, handle, message, now)

    scan = engine.scan if engine.scan is not None else Scan(UNLIMITED)
    if options & group_choice.OPTIONS:
        return group_browsing.find(engine, handle, scan, start, highest, options, match, now, hidden)

    def accepts(message: Message) -> bool:
        if message.expires_at and message.expires_at <= now:
            if message.state == AVAILABLE:
                engine.effects.expired(queue, message, now)
            return False
        return _visible(handle, message) and (match is None or match.accepts(message)) and not hidden(message)

    found = scan.walk(queue, start, highest, accepts, match)
    return [] if found is None else [found]


def arrive(
    engine: Engine, handle: Handle, message: Message, shown: Message, options: int, now: float
) -> None:
    """Move the cursor to the returned message; lock and mark it by the options."""
    queue, cursor = handle.queue, handle.cursor
    assert queue is not None
    assert cursor is not None
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        marks.check_free(queue, message, now)
    released = cursor.locked
    if released is not None and (released is not message or not options & mq.MQGMO_LOCK):
        _release(queue, cursor)
    cursor.move_to(message)
    queue.browses += 1
    queue.browse_bytes += message.length
    if not options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        group_browsing.came_to(cursor, message, shown, options)
    if options & mq.MQGMO_LOCK and cursor.locked is None:
        queue.hold(message, LOCKED, handle)
        cursor.locked = message
    if options & (marks.SETTING | marks.REMOVING):
        marks.change(engine, handle, message, options, now)
    if released is not None and cursor.locked is not released:
        engine.serve(queue, now)


def under_cursor(engine: Engine, handle: Handle, now: float) -> Message:
    """Return the message at the cursor; 2034 if it is not available to this handle."""
    cursor = handle.cursor
    message = cursor.message if cursor is not None else None
    if message is not None and message.state == GONE:
        message = _back_again(handle)
    if message is None or not _visible(handle, message):
        raise error(mq.MQRC_NO_MSG_UNDER_CURSOR, "there is no message under the cursor", object=handle.name)
    if message.expires_at and message.expires_at <= now:
        assert handle.queue is not None
        engine.effects.expired(handle.queue, message, now)
        raise error(
            mq.MQRC_NO_MSG_UNDER_CURSOR, "the message under the cursor has expired", object=handle.name
        )
    return message


def _back_again(handle: Handle) -> Message | None:
    """Return the message of the cursor if it was on disk and is another object now; Packed if it still is."""
    cursor, queue = handle.cursor, handle.queue
    assert cursor is not None
    assert queue is not None
    if entry_at(queue.lanes[cursor.lane], cursor.place) is not None:
        raise Packed(Window(queue, cursor.lane, places=(cursor.place,)))
    found: Message | None = queue.after_in_memory(cursor.lane, cursor.place - 1)
    if found is None or (found.lane, found.place) != (cursor.lane, cursor.place):
        return None
    cursor.move_to(found)
    return found


def leave(handle: Handle, message: Message) -> None:
    """Prepare to take the message under the cursor: release its lock, keep the place."""
    cursor, queue = handle.cursor, handle.queue
    assert cursor is not None
    assert queue is not None
    if cursor.locked is message:
        _release(queue, cursor)
    cursor.before = message.older


def unlock(engine: Engine, handle: Handle, now: float) -> None:
    """Release the message that this handle has locked; 2209 when there is none."""
    cursor, queue = handle.cursor, handle.queue
    if queue is not None and queue.shared is not None and browse_locks.release(handle):
        return
    if cursor is None or queue is None or cursor.locked is None:
        raise error(mq.MQRC_NO_MSG_LOCKED, "no message is locked by this handle", object=handle.name)
    _release(queue, cursor)
    engine.serve(queue, now)


def _release(queue: Queue, cursor: Cursor) -> None:
    message, cursor.locked = cursor.locked, None
    if message is not None and message.state == LOCKED:
        queue.free(message)


def _show(message: Message, now: float) -> Message:
    shown = message.snapshot()
    if message.expires_at:
        shown.remaining = message.expires_at - now
    return onward.shown(shown)


def _let_body_go(engine: Engine, message: Message, options: int) -> None:
    """Leave a spilled body on disk again: a browse of a long queue must not bring it all to memory."""
    room = engine.persistent_buffer_bytes if message.persistent else engine.buffer_bytes
    if message.location and message.state == AVAILABLE and message.queue.memory_used() > room:
        if not options & mq.MQGMO_LOCK:
            message.queue.drop_body(message)


def _first(queue: Queue) -> Message | None:
    return queue.after(HIGHEST, 0)


def _following(queue: Queue, cursor: Cursor) -> Message | None:
    message, before = cursor.message, cursor.before
    if message is None:
        return _first(queue)
    if message.state != GONE:
        return queue.next_linked(message)
    if (
        before is not None
        and before.state not in (GONE, PACKED)
        and before.queue is queue
        and before.lane == cursor.lane
    ):
        return queue.next_linked(before)  # type: ignore[no-any-return]
    return queue.after(cursor.lane, cursor.place)


def _visible(handle: Handle, message: Message) -> bool:
    return message.state == AVAILABLE or (message.state == LOCKED and message.owner is handle)
