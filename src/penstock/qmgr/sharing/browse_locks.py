"""Locks of browses on shared queues: a message that only one handle of the group sees.

A lock is a claim of this member that belongs to no unit: it goes with its handle, with its member, and with
the connection to the facility. Called by `browsing` and, for UNLOCK, by `qmgr.browsing`. No I/O.
Invariant: a locked message is in no lane, so no get of another handle finds it.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.qmgr.sharing.wishes import Claim, Release

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.sharing.wishes import Look, Mark, Row


def queue_of(handle: Handle) -> SharedQueue:
    """Return the shared queue of a handle."""
    queue: SharedQueue = handle.queue  # type: ignore[assignment]
    return queue


def has(handle: Handle, row: Row) -> bool:
    """Return whether a handle has locked a message."""
    locked = queue_of(handle).locks.get(handle)
    return locked is not None and locked[0].seq == row.seq


def took(handle: Handle, answer: Claim | Mark, row: Row) -> bool:
    """Lock the message that was claimed for a handle; False if another get here was quicker."""
    if not isinstance(answer, Claim):
        return True
    queue = queue_of(handle)
    for message, (claimed, _) in queue.claimed.items():
        if claimed.seq == row.seq:
            release(handle)
            del queue.claimed[message]
            queue.unlink(message)
            queue.locks[handle] = claimed, message
            return True
    return False


def own_behind(handle: Handle, place: tuple[int, int]) -> tuple[Row, Message] | None:
    """Return the message that a handle has locked, if it is behind a place."""
    locked = queue_of(handle).locks.get(handle)
    return locked if locked is not None and (locked[0].lane, locked[0].seq) > place else None


def show_own(handle: Handle, look: Look) -> None:
    """Put the message that a handle has locked among those that a look has found: it still sees it."""
    own = look.own
    if own is None or queue_of(handle).locks.get(handle) is not own:
        return
    if look.found < look.count or (own[0].lane, own[0].seq) < look.last:
        look.view = sorted([*look.view, own], key=lambda found: (found[0].lane, found[0].seq))
        look.own = None


def leave(handle: Handle, message: Message) -> None:
    """Prepare to take the message under the cursor: if it is locked, it becomes one that was claimed."""
    queue = queue_of(handle)
    locked = queue.locks.get(handle)
    if locked is not None and locked[1] is message:
        del queue.locks[handle]
        queue.take_in(message, locked[0], time.time())


def release(handle: Handle) -> bool:
    """Give back what a handle has locked; False if there is nothing."""
    queue = queue_of(handle)
    locked = queue.locks.pop(handle, None)
    if locked is not None and queue.shared.connected:
        queue.shared.submit(Release([locked[0]], False, queue.shared.loose_ticket()))
    return locked is not None
