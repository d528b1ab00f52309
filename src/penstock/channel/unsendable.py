"""Messages that a sending end cannot send: reported, discarded, or put to the dead-letter queue of this side.

A message is unsendable if it is too long for the channel, has no header, or cannot be converted. If none of
these ways is open (USEDLQ(NO), no dead-letter queue), the reason is raised and the message stays: the channel
ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model.errors import MQError, error
from penstock.model.onward import shown
from penstock.qmgr.messages import dead_letters, reports

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class Handling:
    """The channel, and what its definition says about such messages."""

    channel: str
    uses_dead_letters: bool  # USEDLQ


def remove(
    engine: Engine,
    queue: Queue,
    message: Message,
    inner: Message | None,
    failure: MQError,
    how: Handling,
    now: float,
) -> str:
    """Remove a message that cannot be sent from the transmission queue; return what became of it.

    Raises the reason if it must stay. An exception report is sent if the message requests one; with
    MQRO_DISCARD_MSG nothing else happens.
    """
    unit = engine.new_unit(None, now)
    reported = inner is not None and engine.effects.exception(inner, failure.reason, unit, now)
    text = f"message {message.msg_id.hex().upper()} of {queue.name} cannot be sent: {failure.detail}"
    if reported and inner is not None and reports.discards(inner):
        text += ". It was discarded as it asks for"
    else:
        _to_dead_letters(engine, queue, message, failure, text, unit, how, now)
        text += ". It is on the dead-letter queue now"
    engine.wishes.notices.append(("AMQ9544W", f"Channel {how.channel}: {text}."))
    engine.remove(queue, message, unit, now)
    engine.commit(unit, now)
    return text


def discard(engine: Engine, queue: Queue, message: Message, now: float) -> None:
    """Remove a message that has asked for that."""
    unit = engine.new_unit(None, now)
    engine.remove(queue, message, unit, now)
    engine.commit(unit, now)


def _to_dead_letters(
    engine: Engine,
    queue: Queue,
    message: Message,
    failure: MQError,
    text: str,
    unit: UnitOfWork,
    how: Handling,
    now: float,
) -> None:
    letter = shown(message.snapshot())
    if not how.uses_dead_letters or not dead_letters.send(
        engine, letter, failure.reason, queue.name, engine.name, unit, now, how.channel
    ):
        engine.backout(unit, now)
        raise error(failure.reason, text, channel=how.channel)
