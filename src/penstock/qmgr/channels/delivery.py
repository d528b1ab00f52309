"""The last step of a message channel: a message that arrived is put where it goes.

The destination is resolved as an MQOPEN with both names would: a queue here, or the next transmission queue
(multi-hop). All context is the original's. What cannot be put goes to the dead-letter queue in the same unit;
an exception report is sent when the message asks for one. Called by room `channel`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import dead_letters, reports
from penstock.qmgr.name_resolution import resolve

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.model.onward import Onward
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork


def deliver(
    engine: Engine,
    onward: Onward,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
    uses_dead_letters: bool = True,
) -> int:
    """Put a message that arrived; return 0, or the reason why it went to the dead-letter queue.

    Raises that reason when the dead-letter queue does not take it either, or must not be used.
    """
    try:
        put(engine, onward, message, unit, now)
    except MQError as failure:
        report = reports.report_for(message, "EXCEPTION", now, engine.ids.next, engine.name, failure.reason)
        if report is not None:
            engine.effects.send_report(report, unit, now)
            if reports.discards(message):
                return failure.reason
        if not uses_dead_letters or not dead_letters.send(
            engine, message, failure.reason, onward.queue, onward.qmgr, unit, now
        ):
            raise
        return failure.reason
    return 0


def put(engine: Engine, onward: Onward, message: Message, unit: UnitOfWork | None, now: float) -> None:
    """Put a message to its queue here, or on the way to the next queue manager."""
    route = resolve(engine, onward.queue, onward.qmgr)
    inhibited = route.put_inhibited_by()
    if inhibited is not None:
        raise error(mq.MQRC_PUT_INHIBITED, f"{inhibited} is PUT(DISABLED)", object=inhibited)
    if route.topic is not None:
        topic = str(route.topic.attributes["TOPICSTR"])
        engine.pubsub.publish(None, topic, message, 0, unit, now)
        return
    engine.effects.moment = now
    try:
        engine.put_message(route, message, unit, now, onward.hops + 1)
        if not route.remote and reports.confirms_arrival(message):
            engine.effects.report(message, "COA", unit, now)
    finally:
        engine.effects.moment = 0.0
