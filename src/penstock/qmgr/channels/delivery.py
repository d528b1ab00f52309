"""The last step of a message channel: a message that arrived is put where it goes.

The destination is resolved as an MQOPEN with both names would: a queue here, or the next transmission queue
(multi-hop). All context is the original's. `Delivery` says with whose authority messages are put, and whether
the dead-letter queue may be used. What cannot be put goes there in the same unit; an exception report is sent
when the message asks for one. Called by room `channel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import authorization, dead_letters, reports
from penstock.qmgr.name_resolution import resolve

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.model.onward import Onward
    from penstock.qmgr.authorization import Permissions
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.name_resolution import Route
    from penstock.qmgr.unit_of_work import UnitOfWork

# Reasons that may be gone in a moment: the receiving end waits (MRRTY, MRTMR) before it gives a message up.
PASSING = frozenset(
    (mq.MQRC_PUT_INHIBITED, mq.MQRC_Q_FULL, mq.MQRC_Q_SPACE_NOT_AVAILABLE, mq.MQRC_OBJECT_IN_USE)
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a channel puts what arrives; without permissions it may put everywhere."""

    permissions: Permissions | None = None  # of the user that the channel runs as
    by_context: bool = False  # PUTAUT(CTX): the user that the message names counts instead
    uses_dead_letters: bool = True  # USEDLQ
    channel: str = ""  # its name, for dead letters


EVERYWHERE = Delivery()


def give_up(
    engine: Engine,
    onward: Onward,
    message: Message,
    failure: MQError,
    unit: UnitOfWork | None,
    now: float,
    how: Delivery = EVERYWHERE,
) -> str:
    """Do with a message what is left when it cannot be put, and say what that was.

    Raises the reason when the dead-letter queue does not take it, or must not be used.
    """
    name = f"message {message.msg_id.hex().upper()} for queue {onward.queue} at {onward.qmgr or engine.name}"
    reported = engine.effects.exception(message, failure.reason, unit, now)
    if reported and reports.discards(message):
        return f"{name} was discarded as it asks for: {failure}"
    if not how.uses_dead_letters or not dead_letters.send(
        engine, message, failure.reason, onward.queue, onward.qmgr, unit, now, how.channel
    ):
        raise error(failure.reason, f"{name} cannot be put: {failure.detail}")
    return f"{name} is on the dead-letter queue: {failure}"


def put(
    engine: Engine,
    onward: Onward,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
    how: Delivery = EVERYWHERE,
) -> None:
    """Put a message to its queue here, or on the way to the next queue manager."""
    route = resolve(engine, onward.queue, onward.qmgr)
    if how.permissions is not None:
        _check(engine, how, how.permissions, route, message)
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


def _check(engine: Engine, how: Delivery, permissions: Permissions, route: Route, message: Message) -> None:
    """Raise 2035 when the channel's user, or with PUTAUT(CTX) the message's, may not put here."""
    whose = permissions
    if how.by_context:
        why = permissions.refusal(*authorization.QMGR, ("ALTUSR",))
        whose = permissions.of(message.descriptor.user_id.rstrip(" "))
        why = why or authorization.queue_refusal(engine, None, whose, route, ("PUT",))
    else:
        why = authorization.queue_refusal(engine, None, permissions, route, ("PUT", "SETALL"))
    if why:
        raise authorization.refused(why, whose.user, route.first.name if route.first is not None else "")
