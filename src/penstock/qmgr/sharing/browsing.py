"""Browsing shared queues: cursors, and the get of the message under one.

A browse looks in the facility behind the place of its cursor, so it shows what no unit has claimed at that
moment. The cursor of a handle is a place: lane and number of the message last seen. Called by `getting`.
Not here, and refused by name: locks, marks and logical order. No I/O.
Invariant: a browse that returns nothing, fails or does not fit leaves the cursor where it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from penstock.model import constants as mq
from penstock.model import onward
from penstock.model.errors import error
from penstock.qmgr.sharing.fetching import LOOK_COUNT, NO_LANE, answered
from penstock.qmgr.sharing.wishes import Claim, Look

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.sharing.wishes import Row
    from penstock.qmgr.waiters import Match

PLACE = "shared_place"  # in `Handle.extra`: lane and number under the cursor, and the message
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
    engine: Engine, handle: Handle, options: int, match: Match | None, now: float
) -> tuple[Row, Message] | None:
    """Return the next message of a browse; None, with a wish when the facility must be asked first."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    answer = answered(engine, queue)
    under = options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR
    if not isinstance(answer, Look):
        lane, seq = _start(handle, options)
        count = 1 if under or match is None else LOOK_COUNT
        _look(engine, queue, lane, seq - 1 if under else seq, count)
        return None
    for row, message in answer.view:
        if under and (row.lane, row.seq) != _place(handle)[:2]:
            break
        if match is None or match.accepts(message):
            return row, message
    if under:
        _nothing(handle)
    if answer.found >= answer.count:
        _look(engine, queue, answer.lane, answer.seq, answer.count)
    return None


def _start(handle: Handle, options: int) -> tuple[int, int]:
    if options & mq.MQGMO_BROWSE_FIRST:
        return BEGINNING
    if options & mq.MQGMO_BROWSE_MSG_UNDER_CURSOR:
        return _place(handle)[:2]
    place: tuple[int, int, Message] | None = handle.extra.get(PLACE)
    return BEGINNING if place is None else place[:2]


def _look(engine: Engine, queue: SharedQueue, lane: int, seq: int, count: int) -> None:
    engine.step.load([Look(queue, [], lane, seq, count, queue.wakes)])


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


def arrive(handle: Handle, row: Row, message: Message) -> None:
    """Move the cursor to a message that was returned."""
    handle.extra[PLACE] = (row.lane, row.seq, message)


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
