"""`qm.peek` of a shared queue: rows of the facility as the rows that a private queue gives.

A person sees one order: lane 9 is delivered first. In the facility it is lane 0. Called by `GroupMembership`,
without the gate. Invariant: the same places lead on at every member.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.model.peeked import LAST
from penstock.qmgr.searching import peeking
from penstock.qmgr.sharing.shared_queue import HIGHEST
from penstock.qmgr.sharing.sharing import message_of
from penstock.share.peeking import Wanted, look

if TYPE_CHECKING:
    from penstock.model.peeked import Peeked
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.share.facility import Facility

BODY_BYTES_MAX = 1 << 30  # no body is longer


def peek(
    facility: Facility,
    queue: SharedQueue,
    start: tuple[int, int],
    count: int,
    body_bytes: int,
    backwards: bool,
) -> list[Peeked]:
    """Return messages of a shared queue behind a lane's place, also those that any member holds."""
    lane = HIGHEST - max(LAST[0], min(start[0], HIGHEST))
    body_bytes = min(body_bytes, BODY_BYTES_MAX)
    wanted = Wanted(queue.number, lane, start[1], count, body_bytes, peeking.BYTES_MAX, backwards)
    now = time.time()
    return [
        peeking.shown_row(
            message_of(each.row), HIGHEST - each.row.lane, each.length, each.holder, body_bytes, now
        )
        for each in look(facility, wanted)
    ]
