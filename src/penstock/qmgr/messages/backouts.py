"""Moving messages that were backed out too often, for queues whose CUSTOM holds BACKOUT(MOVE).

MQ leaves this to applications: it only counts (BOTHRESH and BOQNAME are for them to read). As an
option the queue manager does it: to BOQNAME, else to the dead-letter queue, in one step each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.onward import shown
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue


def move(engine: Engine, queue: Queue, messages: list[Message], now: float) -> None:
    """Move those that reached BOTHRESH off the queue; one that cannot go anywhere stays."""
    threshold = int(str(queue.definition.attributes["BOTHRESH"]))
    if threshold <= 0:
        return
    for message in messages:
        if message.queue is queue and message.state == AVAILABLE and message.backout_count >= threshold:
            if message.body is not None:
                _move_one(engine, queue, message, now)


def _move_one(engine: Engine, queue: Queue, message: Message, now: float) -> None:
    unit = engine.new_unit(None, now)
    target = str(queue.definition.attributes["BOQNAME"])
    moved = shown(message).snapshot()
    moved.seq = moved.place = moved.backout_count = 0
    done = False
    if target:
        try:
            engine.put_message(engine.resolve(target), moved, unit, now)
            done = True
        except MQError:
            done = False
    if not done:
        done = dead_letters.send(
            engine, moved, mq.MQRC_BACKOUT_THRESHOLD_REACHED, queue.name, engine.name, unit, now
        )
    if done:
        message.reports = False  # it was moved, not delivered
        engine.remove(queue, message, unit, now)
        engine.commit(unit, now)
