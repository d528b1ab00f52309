"""Which messages of a shared queue a get has fetched before it is made again.

A get without conditions, by an id or by a token claims the first message that fits, in the facility. One with
other conditions (a selector, a group) looks at messages in delivery order, and claims the one that fits. The
wish that was fetched for a call comes back to it in `Step.answer`; it holds how far the call has got. Called
by `sharing`. No I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.sharing.wishes import Claim, Look

if TYPE_CHECKING:
    from penstock.qmgr.core import Core
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.waiters import Match

LOOK_COUNT = 100  # messages that one look brings in
NO_LANE = -1


def wished(core: Core, queue: SharedQueue, match: Match | None, now: float) -> bool:
    """Have the caller fetch what the get needs; False when it has, and there is nothing."""
    answer = answered(core, queue)
    if match is None or _by_id(match) or _by_token(match):
        if answer is not None and not answer.found and answer.wakes == queue.wakes:
            return False
        wish: Any = _claim(queue, match)
    else:
        wish = _search(queue, match, answer)
        if wish is None:
            return False
    wish.wakes = queue.wakes
    if isinstance(wish, Claim):
        queue.shared.tags.under_way.add(wish)
    core.step.load([wish])
    return True


def answered(core: Core, queue: SharedQueue) -> Any:
    """Return the wish for this queue that was fetched for the call which is being made again."""
    answer = core.step.answer
    return answer[0] if answer and getattr(answer[0], "queue", None) is queue else None


def _by_id(match: Match) -> bool:
    return match.token is None and not _by_content(match)


def _by_token(match: Match) -> bool:
    return match.msg_id is None and match.correl_id is None and not _by_content(match)


def _by_content(match: Match) -> bool:
    other = match.group_id is not None or match.selector is not None
    return other or match.seq_number >= 0 or match.offset >= 0


def _claim(queue: SharedQueue, match: Match | None) -> Claim:
    if match is None:
        return Claim(queue)
    if match.token is not None:
        return Claim(queue, seqs=[place_of(match.token)])
    wish = Claim(queue, msg_id=match.msg_id, correl_id=match.correl_id)
    if queue.index_type == "MSGID":
        wish.key, wish.msg_id = wish.msg_id, None
    elif queue.index_type == "CORRELID":
        wish.key, wish.correl_id = wish.correl_id, None
    return wish


def place_of(token: bytes) -> int:
    """Return the number of the message that a token names, or a number that no message has.

    >>> place_of(bytes([0] * 7 + [5]) * 2), place_of(bytes(16))
    (5, -1)
    """
    place, seq = int.from_bytes(token[:8], "big"), int.from_bytes(token[8:], "big")
    return seq if 0 < place == seq < 1 << 63 else -1


def _search(queue: SharedQueue, match: Match, answer: Any) -> Claim | Look | None:
    """Return what to fetch next on the way to the first message that fits; None at the end of the queue."""
    if answer is None:
        return Look(queue, [], NO_LANE, 0, LOOK_COUNT)
    look: Look = answer.look if isinstance(answer, Claim) and answer.look is not None else answer
    while look.view:
        row, message = look.view.pop(0)
        if match.accepts(message):
            return Claim(queue, seqs=[row.seq], look=look)
    if look.found < LOOK_COUNT:
        for row in look.unread:  # it may be the one that is meant
            assert row.failure is not None
            raise row.failure
        return None
    lane, seq = look.last
    return Look(queue, [], lane, seq, LOOK_COUNT, unread=look.unread)
