"""Browsing: cursors, locks and marks.

A cursor belongs to a handle and stands on the message last seen; when that message is gone it
stands where the message stood. A lock keeps others off until the cursor moves, the handle closes
or UNLOCK is asked for. Marks let cooperating browsers share a queue (MARKINT says how long).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.core import load_ahead
from penstock.qmgr.states import AVAILABLE, GONE, LOCKED

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Cursor, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.waiters import Match


def browse(
    engine: Engine, handle: Handle, options: int, match: Match | None, now: float, max_length: int | None
) -> Message | None:
    """Return a copy of the message that the browse comes to, and move the cursor there."""
    queue, cursor = handle.queue, handle.cursor
    assert queue is not None and cursor is not None
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        message: Message | None = under_cursor(engine, handle, now)
    else:
        start = _first(queue) if options & mq.MQGMO_BROWSE_FIRST else _following(queue, cursor)
        message = _search(engine, handle, start, options, match, now)
    if message is None:
        return None
    if message.body is None:
        engine.to_load = load_ahead(queue, message)
        return None
    shown = _show(message, now)
    if max_length is not None and message.length > max_length:
        shown.body = (message.body or b"")[:max_length]
        shown.warning = 2079 if options & mq.MQGMO_ACCEPT_TRUNCATED_MSG else 2080
        if shown.warning == 2080:
            return shown
    _arrive(engine, handle, message, options, now)
    return shown


def _show(message: Message, now: float) -> Message:
    shown = message.snapshot()
    if message.expires_at:
        shown.remaining = message.expires_at - now
    return shown


def _first(queue: Queue) -> Message | None:
    return next(iter(queue.messages()), None)


def _following(queue: Queue, cursor: Cursor) -> Message | None:
    if cursor.message is None and not cursor.place:
        return _first(queue)
    if cursor.message is not None and cursor.message.state != GONE:
        return queue.next_linked(cursor.message)
    return queue.after(cursor.lane, cursor.place)


def _search(
    engine: Engine, handle: Handle, message: Message | None, options: int, match: Match | None, now: float
) -> Message | None:
    queue = handle.queue
    assert queue is not None
    while message is not None:
        following = queue.next_linked(message)
        if message.expires_at and message.expires_at <= now and message.state == AVAILABLE:
            engine.effects.expired(queue, message, now)
        elif _visible(handle, message) and (match is None or match.accepts(message)):
            if not _marked(queue, handle, message, options, now):
                return message
        message = following
    return None


def _visible(handle: Handle, message: Message) -> bool:
    return message.state == AVAILABLE or (message.state == LOCKED and message.owner is handle)


def _marked(queue: Queue, handle: Handle, message: Message, options: int, now: float) -> bool:
    if not options & mq.MQGMO_UNMARKED_BROWSE_MSG or queue.marks is None:
        return False
    until, owner = queue.marks.get(message, (0.0, None))
    return until > now and (handle.has(mq.MQOO_CO_OP) if owner is None else owner is handle)


def _arrive(engine: Engine, handle: Handle, message: Message, options: int, now: float) -> None:
    queue, cursor = handle.queue, handle.cursor
    assert queue is not None and cursor is not None
    if cursor.locked is not None and cursor.locked is not message:
        unlock(engine, handle, now)
    cursor.move_to(message)
    if options & mq.MQGMO_LOCK and cursor.locked is None:
        queue.hold(message, LOCKED, handle)
        cursor.locked = message
    if options & (mq.MQGMO_MARK_BROWSE_CO_OP | mq.MQGMO_MARK_BROWSE_HANDLE):
        _mark(engine, handle, message, options, now)
    if options & (mq.MQGMO_UNMARK_BROWSE_CO_OP | mq.MQGMO_UNMARK_BROWSE_HANDLE) and queue.marks is not None:
        queue.marks.pop(message, None)


def _mark(engine: Engine, handle: Handle, message: Message, options: int, now: float) -> None:
    queue = handle.queue
    assert queue is not None
    if queue.marks is None:
        queue.marks = {}
        queue.watched = True
    cooperative = options & mq.MQGMO_MARK_BROWSE_CO_OP
    if cooperative and not handle.has(mq.MQOO_CO_OP):
        raise error(2046, "MARK_BROWSE_CO_OP needs a handle opened with CO_OP")
    until, owner = queue.marks.get(message, (0.0, None))
    if cooperative and until > now and owner is None:
        raise error(2200, "another cooperating browser has marked the message")
    seconds = int(engine.definition.attributes["MARKINT"]) / 1000 if cooperative else float("inf")
    queue.marks[message] = (now + seconds, None if cooperative else handle)


def under_cursor(engine: Engine, handle: Handle, now: float) -> Message:
    """Return the message that the cursor stands on; 2034 when it is not there for this handle."""
    cursor = handle.cursor
    message = cursor.message if cursor is not None else None
    if message is None or not _visible(handle, message):
        raise error(2034, "there is no message under the cursor", object=handle.name)
    if message.expires_at and message.expires_at <= now:
        assert handle.queue is not None
        engine.effects.expired(handle.queue, message, now)
        raise error(2034, "the message under the cursor has expired", object=handle.name)
    return message


def leave(engine: Engine, handle: Handle, message: Message) -> None:
    """Prepare to take the message under the cursor: release its lock, keep the place."""
    cursor, queue = handle.cursor, handle.queue
    assert cursor is not None and queue is not None
    if cursor.locked is message:
        cursor.locked = None
        queue.free(message)
    cursor.message = message.older
    cursor.lane, cursor.place = message.lane, message.place


def unlock(engine: Engine, handle: Handle, now: float) -> None:
    """Release the message that this handle has locked; 2209 when there is none."""
    cursor, queue = handle.cursor, handle.queue
    if cursor is None or queue is None or cursor.locked is None:
        raise error(2209, "no message is locked by this handle", object=handle.name)
    message = cursor.locked
    cursor.locked = None
    if message.state == LOCKED:
        queue.free(message)
        engine.serve(queue, now)
