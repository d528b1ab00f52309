"""Chooses the messages of a batch: the next available ones, whole groups only.

Order is delivery order; the members of a group are together, in logical order, at the place of the
first one found. Messages that a unit holds, another flow has reserved or a browse has locked are skipped, and
so are incomplete groups; expired messages are discarded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from penstock.qmgr.deep.window import Window
from penstock.qmgr.groups.group_book import GROUPED
from penstock.qmgr.groups.group_choice import book_of
from penstock.qmgr.searching.pauses import Packed
from penstock.qmgr.states import AVAILABLE, PACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

ROWS_MAX = 100_000  # messages of one reservation
WINDOW_ROWS = 4096  # packed ones that one read brings in for it


def choose(engine: Engine, queue: Queue, rows_max: int, bytes_max: int, now: float) -> list[list[Message]]:
    """Return the contents of the next reservation: one list for each message or group.

    Limits of 0 mean as much as a reservation may hold. A single group larger than the limits is taken
    whole if it is the first, so that it cannot block the queue. Packed where messages must be read: the
    caller keeps what was read until it has its reservation.
    """
    rows_left = min(rows_max or ROWS_MAX, ROWS_MAX)
    bytes_left = bytes_max
    chosen: list[list[Message]] = []
    groups: set[bytes] = set()
    for message in _available(queue):
        if message.expires_at and message.expires_at <= now:
            engine.effects.expired(queue, message, now)
            continue
        whole = _whole(queue, message, groups, now)
        if not whole:
            continue
        size = sum(part.length for part in whole)
        if chosen and (len(whole) > rows_left or (bytes_max and size > bytes_left)):
            break
        chosen.append(whole)
        rows_left -= len(whole)
        bytes_left -= size
        if rows_left <= 0 or (bytes_max and bytes_left <= 0):
            break
    return chosen


def _available(queue: Queue) -> Iterator[Message]:
    """Yield available messages in delivery order; the one yielded may be unlinked. Packed at one on disk."""
    for lane in reversed(queue.lanes):
        message = lane.free
        while message is not None:
            following = message.newer
            if message.state == PACKED:
                raise Packed(Window(queue, message.lane, message.place - 1, count=WINDOW_ROWS))
            if message.state == AVAILABLE:
                yield message
            message = following


def _whole(queue: Queue, message: Message, groups: set[bytes], now: float) -> list[Message]:
    """Return the message, or its complete group; nothing when that is incomplete or taken already."""
    descriptor = message.descriptor
    if not descriptor.flags & GROUPED:
        return [message]
    if descriptor.group_id in groups:
        return []
    book = book_of(queue)
    if not book.group_complete(descriptor.group_id):
        return []
    parts: list[Message] = []
    number = 1 if descriptor.flags & MQMF_MSG_IN_GROUP else descriptor.seq_number
    while True:
        segments = book.segments(descriptor.group_id, number)
        parts += segments
        flags = segments[-1].descriptor.flags
        if flags & MQMF_LAST_MSG_IN_GROUP or not flags & MQMF_MSG_IN_GROUP:
            break
        number += 1
    if any(part.expires_at and part.expires_at <= now for part in parts):
        return []
    groups.add(descriptor.group_id)
    return parts
