"""Gets that know groups and segments: logical order, complete messages, complete groups.

`group_choice` says which message the options allow, `LogicalGet` (of the handle) which one comes next;
this module chooses, takes and joins. Called by `getting` when an option asks for it. Invariant: the
segments of one message are taken together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import getting
from penstock.qmgr.groups import group_choice
from penstock.qmgr.groups.logical_order import LogicalGet, assemble
from penstock.qmgr.searching.pauses import Packed
from penstock.qmgr.searching.scanning import HIGHEST, UNLIMITED, Scan
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.getting import GetRequest
    from penstock.qmgr.groups.logical_order import GroupBook
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match


def get(
    engine: Engine,
    handle: Handle,
    request: GetRequest,
    match: Match | None,
    unit: UnitOfWork | None,
    now: float,
) -> Message | None:
    """Get the next message in the order of the options, or None."""
    queue = handle.queue
    assert queue is not None
    book = group_choice.current_book(engine, queue, now)
    state = handle.logical_get = handle.logical_get or LogicalGet()
    logical = bool(request.options & mq.MQGMO_LOGICAL_ORDER)
    warning = state.check(logical, unit)
    try:
        message = _next(engine, queue, book, state, request.options, match)
    except Packed as needed:
        if engine.scan is not None:
            raise
        engine.step.load([needed.window])
        return None
    if message is None:
        return None
    parts = group_choice.parts_of(book, message, request.options)
    spilled = [part for part in parts if part.body is None]
    if spilled:
        engine.step.load(spilled)
        return None
    return hand_over(engine, handle, request, parts, warning, unit, now)


def _next(
    engine: Engine, queue: Queue, book: GroupBook, state: LogicalGet, options: int, match: Match | None
) -> Message | None:
    """Return the message that comes next on a queue; Packed or Paused on the way through a long one."""
    if options & mq.MQGMO_LOGICAL_ORDER and state.wanted is not None:
        return group_choice.wanted_message(book, state.wanted, options)
    suits = _test(book, state, options, match)

    def accepts(message: Message) -> bool:
        return message.state == AVAILABLE and suits(message)

    scan = engine.scan if engine.scan is not None else Scan(UNLIMITED)
    found: Message | None = scan.walk(queue, lambda: queue.after(HIGHEST, 0), HIGHEST, accepts, match)
    return found


def hand_over(
    engine: Engine,
    handle: Handle,
    request: GetRequest,
    parts: list[Message],
    warning: int,
    unit: UnitOfWork | None,
    now: float,
) -> Message:
    """Take the parts of a message off their queue and return it."""
    queue, state = handle.queue, handle.logical_get
    assert queue is not None
    assert state is not None
    for part in parts:
        if part.expires_at:
            part.remaining = part.expires_at - now
    seen = parts[0] if len(parts) == 1 else assemble(parts)
    if getting.too_long(seen, handle, request) and not request.options & mq.MQGMO_ACCEPT_TRUNCATED_MSG:
        return getting.refused(seen, handle, request)
    if unit is not None and unit.count + len(parts) > engine.uncommitted_max:
        raise error(mq.MQRC_SYNCPOINT_LIMIT_REACHED, f"MAXUMSGS is {engine.uncommitted_max}")
    state.enter(unit)
    taken = _take(engine, queue, parts, request, unit, now)
    whole = taken[0] if len(taken) == 1 else assemble(taken)
    whole.warning = whole.warning or warning
    state.took(whole, bool(request.options & mq.MQGMO_LOGICAL_ORDER), unit)
    return getting.hand_out(engine, handle, whole, request)


def choose(
    available: Iterable[Message], book: GroupBook, state: LogicalGet, options: int, match: Match | None
) -> Message | None:
    """Return the message that comes next among those that are available, in delivery order."""
    if options & mq.MQGMO_LOGICAL_ORDER and state.wanted is not None:
        return group_choice.wanted_message(book, state.wanted, options)
    return next(filter(_test(book, state, options, match), available), None)


def _test(book: GroupBook, state: LogicalGet, options: int, match: Match | None) -> Callable[[Message], bool]:
    """Return the function that tests whether an available message may come next."""

    def suits(message: Message) -> bool:
        if options & mq.MQGMO_LOGICAL_ORDER and not state.may_begin(message.descriptor):
            return False
        return (match is None or match.accepts(message)) and group_choice.fits(book, message, options)

    return suits


def _take(
    engine: Engine,
    queue: Queue,
    parts: list[Message],
    request: GetRequest,
    unit: UnitOfWork | None,
    now: float,
) -> list[Message]:
    if unit is not None or len(parts) == 1:
        return [getting.take(engine, queue, part, request, unit, now) for part in parts]
    # several removals outside a unit: a unit of their own makes them one step for a crash
    if len(parts) > engine.uncommitted_max:
        raise error(
            mq.MQRC_SYNCPOINT_LIMIT_REACHED, f"{len(parts)} segments, MAXUMSGS is {engine.uncommitted_max}"
        )
    own = engine.new_unit(None, now)
    taken = [getting.take(engine, queue, part, request, own, now) for part in parts]
    engine.commit(own, now)
    return taken
