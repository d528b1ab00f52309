# cython: nonecheck=True
"""The quick way of plain messages through both ends: from a queue to a frame, and from a frame to a queue.

What is not plain is left to the ends: the first message of a frame, the last of a batch, one that is too
long, was put with an MQXQH of its own, wants reports, or cannot be put. Both functions stop there, and
what they have done is done. Nothing is decided here: a message takes the same steps as on the slow way.
Compiled through `carrying.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.channel.moves import FRAME_BYTES
from penstock.model.errors import MQError
from penstock.model.onward import original

if TYPE_CHECKING:
    from penstock.channel.moves import Moves, Reader
    from penstock.model.message import Message
    from penstock.qmgr.channels.delivery import Destinations
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match


def load(
    engine: Engine,
    queue: Queue,
    filled: Moves,
    unit: UnitOfWork | None,
    fast: bool,
    room: int,
    bytes_max: int,
    length_max: int,
    level: int,
    now: float,
    match: Match | None = None,
) -> int:
    """Get plain messages into a frame that has one already; return how many bytes their bodies have.

    Without a unit these are fast ones. `fast` says that messages that are not persistent are. At most
    `room` messages, and none that makes more than `bytes_max` of the bytes; only those that match.
    """
    loaded = 0
    while room > 0 and filled.size < FRAME_BYTES:
        message = engine.select(queue, match, None, now)
        if message is None or message.onward is None or message.length > length_max:
            break
        if (unit is None) != (fast and not message.persistent) or loaded + message.length > bytes_max:
            break
        alike = filled.is_alike(message)
        if not alike:
            onward, inner = original(message, now)
            if inner.reports:
                break
        if unit is None:
            engine.remove(queue, message, None, now)
        else:
            engine.hold(queue, message, unit)
        if alike:
            filled.add_alike(message)
        else:
            filled.add(onward, inner, now, level)
        loaded += message.length
        room -= 1
    engine.step.take_load()  # the caller asks again before it continues
    return loaded


def unload(
    engine: Engine,
    reader: Reader,
    destinations: Destinations,
    unit: UnitOfWork | None,
    room: int,
    length_max: int,
    now: float,
) -> Message | None:
    """Put plain messages of a frame; return the first one that is not plain, read already, or None.

    At most `room` messages; `reader.taken` counts them.
    """
    onward, queue = None, None
    engine.effects.moment = now
    try:
        while room > 0 and reader.more():
            message = reader.next(now)
            if message.reports or message.length > length_max:
                return message
            try:
                if reader.onward is not onward:
                    queue = destinations.plain_queue(reader.onward, message)
                    onward = reader.onward
                if queue is None:
                    return message
                engine.check_put(queue, message, unit)
            except MQError:
                return message  # the slow way fails with the same error
            engine.enqueue(queue, message, unit)
            reader.taken += 1
            room -= 1
    finally:
        engine.effects.moment = 0.0
    return None
