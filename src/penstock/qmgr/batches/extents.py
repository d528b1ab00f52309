"""A queue in ranges, for several readers that browse it together: nothing is taken or held.

Messages have places on their queue, in the order in which they came. An extent gives the first and last place
of each they go now; each reader has a range of them and reads it piece by piece, by priority and place. What
comes later is in no range, what goes meanwhile is not seen. Places start again after a restart, so an earlier
reader gets an error and must begin again. Called by `host.batches`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.onward import shown
from penstock.qmgr.batches.private_queues import check_private
from penstock.qmgr.deep.window import stop_at
from penstock.qmgr.states import AVAILABLE, GOT, LOCKED, PACKED, RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

PIECE_MAX = 5_000
PIECE_BYTES_MAX = 4 << 20  # of bodies; one message in any case


def extent(engine: Engine, name: str) -> dict[str, Any]:
    """Return where the messages of a queue are: the first and the last place, and since when that counts."""
    queue = _queue(engine, name)
    oldest = [lane.oldest.place for lane in queue.lanes if lane.oldest is not None]
    return {
        "queue": name,
        "started": engine.started,
        "first": min(oldest, default=queue.next_place),
        "last": queue.next_place - 1,
    }


def read(
    engine: Engine,
    name: str,
    started: float,
    first: int,
    last: int,
    after: tuple[int, int],
    now: float,
    held: bool = False,
) -> list[tuple[Any, ...]]:
    """Return a piece of the messages from `first` to `last`, with priority and place of each.

    With `held` those that a flow, a unit of work or a browse lock holds are among them, each with its holder.
    `after` is priority and place of the last one of the piece before. When bodies are in message files the
    answer is empty and `engine.step.to_load` holds the bodies to read before the next call; Packed if
    messages are.
    """
    if started != engine.started:
        raise error(
            mq.PSRC_RESERVATION_UNKNOWN,
            f"the queue manager was restarted while {name} was read: read it again",
        )
    seen = (each for each in _behind(_queue(engine, name), first, last, *after) if _is_seen(each, now, held))
    found = _piece(seen)
    if spilled := [message for message in found if message.body is None]:
        engine.step.load(spilled)
        return []
    rows = [(message.lane, message.place, _copy(message, now)) for message in found]
    if not held:
        return rows
    flows = engine.reservations.names()
    return [(*row, holder_of(message, flows)) for row, message in zip(rows, found, strict=True)]


def _piece(seen: Iterator[Message]) -> list[Message]:
    found: list[Message] = []
    size = 0
    for message in islice(seen, PIECE_MAX):
        size += message.length
        if found and size > PIECE_BYTES_MAX:
            break
        found.append(message)
    return found


def _copy(message: Message, now: float) -> Message:
    copy = message.snapshot()
    if message.expires_at:
        copy.remaining = message.expires_at - now
    return shown(copy)


def _is_seen(message: Message, now: float, held: bool) -> bool:
    if message.state == AVAILABLE:
        return not 0 < message.expires_at <= now
    return held and message.state in (GOT, LOCKED, RESERVED)


def holder_of(message: Message, flows: dict[int, str]) -> str:
    """Return who holds a message, given flow names by reservation id; "" if it is free."""
    if message.state == RESERVED:
        return f"flow {flows.get(id(message.owner), '')}, batch {message.owner.n}"
    return {GOT: "a unit of work", LOCKED: "a browse lock"}.get(message.state, "")


def _behind(queue: Queue, first: int, last: int, lane: int, place: int) -> Iterator[Message]:
    """Yield the linked messages of a range after a lane's place, highest priority first."""
    for number in range(min(lane, len(queue.lanes) - 1), -1, -1):
        start = max(first - 1, place) if number == lane else first - 1
        message = queue.lanes[number].oldest
        while message is not None and message.place <= last:
            if message.state == PACKED:
                stop_at(queue, message, start)
            elif message.place > start:
                yield message
            message = message.newer


def _queue(engine: Engine, name: str) -> Queue:
    route = engine.resolve(name)
    check_private(route.queue)
    if route.queue is None or route.remote:
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, f"{name} is not a local queue", object=name)
    return route.queue
