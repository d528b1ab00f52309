"""Looking at messages without any effect: no cursor, lock, mark or count, and nothing expires.

A browse is a get: it opens the queue, moves a cursor and removes the expired messages it meets. Here messages
are read by their places on the queue, in delivery order or backwards, also those that others hold. Called by
`QueueManager.peek` with the engine held; messages of shared queues are in the facility (`share.peeking`).
Invariant: the queue is the same before and after.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.onward import shown
from penstock.model.peeked import EXPIRED, LAST, Peeked
from penstock.qmgr import authorization
from penstock.qmgr.batches.extents import holder_of
from penstock.qmgr.deep.window import stop_before
from penstock.qmgr.states import AVAILABLE, GOT, LOCKED, PACKED, RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

COUNT_MAX = 5_000
BYTES_MAX = 4 << 20  # of bodies in one answer; one message in any case
SEEN = (AVAILABLE, GOT, LOCKED, RESERVED)


def peek(
    engine: Engine,
    connection: Connection,
    name: str,
    after: tuple[int, int],
    count: int,
    body_bytes: int,
    backwards: bool,
    now: float,
) -> list[Peeked]:
    """Return messages of a private queue behind a lane's place. Needs the authority to browse.

    If bodies are in message files the answer is empty and `engine.step.to_load` holds what to read before
    calling again; Packed if messages are.
    """
    queue = queue_of(engine, connection, name, now)
    walk = _before(queue, *after) if backwards else _behind(queue, *after)
    found = _seen(walk, count, body_bytes)
    if spilled := [message for message in found if message.body is None]:
        engine.step.load(spilled)
        return []
    flows = engine.reservations.names()
    return [
        shown_row(
            message.snapshot(), message.lane, message.length, holder_of(message, flows), body_bytes, now
        )
        for message in found
    ]


def _seen(walk: Iterator[Message], count: int, body_bytes: int) -> list[Message]:
    """Return so many messages of a walk as one answer holds."""
    found: list[Message] = []
    size = 0
    for message in islice((each for each in walk if each.state in SEEN), count):
        size += min(message.length, body_bytes)
        if found and size > BYTES_MAX:
            break
        found.append(message)
    return found


def shown_row(copy: Message, lane: int, length: int, holder: str, body_bytes: int, now: float) -> Peeked:
    """Return a row about a message, of which this is a copy that nobody else has."""
    if copy.expires_at:
        copy.remaining = copy.expires_at - now
    if not holder and 0 < copy.expires_at <= now:
        holder = EXPIRED
    place = copy.place
    copy = shown(copy)
    if copy.body is not None and len(copy.body) > body_bytes:
        copy.body = bytes(copy.body[:body_bytes])
    return Peeked(lane, place, length, holder, copy)


def _behind(queue: Queue, lane: int, place: int) -> Iterator[Message]:
    """Yield what follows a place in delivery order."""
    message = queue.after(min(lane, len(queue.lanes) - 1), place)
    while message is not None:
        yield message
        message = queue.next_linked(message)


def _before(queue: Queue, lane: int, place: int) -> Iterator[Message]:
    """Yield the messages before a place, the last of the queue first."""
    for number in range(max(lane, 0), len(queue.lanes)):
        limit = place if number == lane and (lane, place) != LAST else queue.next_place
        message = queue.lanes[number].newest
        while message is not None:
            if message.state == PACKED:
                stop_before(queue, message, limit)
            elif message.place < limit:
                yield message
            message = message.older


def queue_of(engine: Engine, connection: Connection, name: str, now: float) -> Queue:
    """Return a queue whose messages the connection may look at."""
    route = engine.resolve(name)
    permissions = connection.permissions
    if permissions is not None:
        authorization.check_queue(engine, connection, permissions, route, mq.MQOO_BROWSE, now)
    if route.queue is None or route.remote:
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, f"{name} is not a local queue", object=name)
    return route.queue
