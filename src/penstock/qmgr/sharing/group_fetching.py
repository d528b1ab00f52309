"""Gets of shared queues that know groups and segments: logical order, complete messages, complete groups.

The facility is asked for all messages of the queue that nobody holds, part by part; a book of groups is made
of them, `group_getting` chooses, and the messages of the choice are claimed together or not at all. What
another member takes meanwhile makes the search begin anew. Called by `getting`; browses are in
`group_looking`. No I/O.
Invariant: the segments of one message are claimed together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.qmgr.groups import group_choice, group_getting
from penstock.qmgr.groups.group_book import GroupBook
from penstock.qmgr.groups.logical_order import LogicalGet
from penstock.qmgr.sharing.fetching import NO_LANE, answered
from penstock.qmgr.sharing.group_looking import LOOK_COUNT, check_index
from penstock.qmgr.sharing.wishes import Claim, Look

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.getting import GetRequest
    from penstock.qmgr.sharing.shared_queue import SharedQueue
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
    """Get the next message in the order of the options; None, with a wish if the facility is asked first."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    queue.shared.check_connected()
    check_index(queue, "gets")
    state = handle.logical_get = handle.logical_get or LogicalGet()
    warning = state.check(bool(request.options & mq.MQGMO_LOGICAL_ORDER), unit)
    answer = answered(engine, queue)
    if isinstance(answer, Claim) and answer.found and answer.seqs is not None:
        by_seq = {message.seq: message for message in queue.claimed}
        parts = [by_seq[seq] for seq in answer.seqs if seq in by_seq]
        if len(parts) == len(answer.seqs):
            return group_getting.hand_over(engine, handle, request, parts, warning, unit, now)
    if not isinstance(answer, Look):
        wish: Claim | Look | None = Look(queue, [], NO_LANE, 0, LOOK_COUNT)
    elif answer.found >= answer.count:
        wish = Look(queue, [], *answer.last, LOOK_COUNT, seen=[*answer.seen, *answer.view])
    else:
        wish = _chosen(queue, [*answer.seen, *answer.view], state, request.options, match)
    if wish is not None:
        wish.wakes = queue.wakes
        engine.step.load([wish])
    return None


def _chosen(
    queue: SharedQueue,
    found: list[tuple[object, Message]],
    state: LogicalGet,
    options: int,
    match: Match | None,
) -> Claim | None:
    messages = [message for _, message in found]
    book = GroupBook()
    for message in messages:
        book.add(message)
    chosen = group_getting.choose(messages, book, state, options, match)
    if chosen is None:
        return None
    parts = group_choice.parts_of(book, chosen, options)
    return Claim(queue, seqs=[part.seq for part in parts])
