"""Browsing that knows groups and segments.

Like `group_getting`, but nothing is taken, and the cursor of the handle keeps the next position.
A group is at the place of its first message: after its last message, the browse continues
behind that place. Called by `browsing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.groups import group_choice
from penstock.qmgr.groups.logical_order import LogicalGet
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message
    from penstock.qmgr.connections import Cursor, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.searching.scanning import Scan
    from penstock.qmgr.waiters import Match


def check_order(cursor: Cursor, options: int) -> None:
    """Raise 2259 when BROWSE_NEXT changes between logical and physical order."""
    logical = bool(options & mq.MQGMO_LOGICAL_ORDER)
    if options & mq.MQGMO_BROWSE_NEXT and cursor.in_order is not None and cursor.in_order != logical:
        raise error(
            mq.MQRC_INCONSISTENT_BROWSE, "BROWSE_NEXT goes on in the order that BROWSE_FIRST began with"
        )


def find(
    engine: Engine,
    handle: Handle,
    scan: Scan,
    start: Callable[[], Message | None],
    highest: int,
    options: int,
    match: Match | None,
    now: float,
    hidden: Callable[[Message], bool],
) -> list[Message]:
    """Return the next physical messages of the browse; empty if there are none."""
    queue, cursor = handle.queue, handle.cursor
    assert queue is not None
    assert cursor is not None
    book = group_choice.current_book(engine, queue, now)
    logical = options & mq.MQGMO_LOGICAL_ORDER
    if logical and options & mq.MQGMO_BROWSE_NEXT and cursor.logical is not None:
        wanted = cursor.logical.wanted
        if wanted is not None:
            found = group_choice.wanted_message(book, wanted, options)
            return [] if found is None else group_choice.parts_of(book, found, options)
    state = LogicalGet()

    def accepts(message: Message) -> bool:
        return (
            message.state == AVAILABLE
            and (match is None or match.accepts(message))
            and (not logical or state.may_begin(message.descriptor))
            and group_choice.fits(book, message, options)
            and not hidden(message)
        )

    first = scan.walk(queue, start, highest, accepts, match)
    return [] if first is None else group_choice.parts_of(book, first, options)


def came_to(cursor: Cursor, first: Message, whole: Message, options: int) -> None:
    """Record the shown message, for the next browse."""
    cursor.in_order = bool(options & mq.MQGMO_LOGICAL_ORDER)
    if not cursor.in_order:
        cursor.logical = cursor.group = None
        return
    if cursor.logical is None or cursor.logical.wanted is None or options & mq.MQGMO_BROWSE_FIRST:
        cursor.logical = LogicalGet()
        cursor.group = type(cursor)()
        cursor.group.move_to(first)
    cursor.logical.took(whole, True, None)
