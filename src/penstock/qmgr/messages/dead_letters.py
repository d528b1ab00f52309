"""Dead letters: messages that could not go where they should, kept with the reason.

The dead-letter queue is the queue manager's DEADQ. A message gets an MQDLH in front of its body;
ids, persistence and the rest stay, so that it can be sent on as it was. Used by the engine for
reports, triggers, backouts and publications, and by channels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8
from penstock.model.descriptor_format import format_put_time
from penstock.model.errors import MQError
from penstock.model.headers import DeadLetterHeader

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.unit_of_work import UnitOfWork


def send(
    engine: Engine,
    message: Message,
    reason: int,
    queue: str,
    qmgr: str,
    unit: UnitOfWork | None,
    now: float,
    channel: str = "",
) -> bool:
    """Put a message to the dead-letter queue; False when there is none or it takes no more.

    The header names the channel that gave the message up, or this queue manager.
    """
    target = engine.queues.get(str(engine.definition.attributes["DEADQ"]))
    if target is None:
        return False
    letter = wrap(channel or engine.name, message, reason, queue, qmgr, now, bool(channel))
    try:
        engine.check_put(target, letter, None)  # dead letters do not count for MAXUMSGS
        engine.enqueue(target, letter, unit)
    except MQError:
        return False
    return True


def wrap(
    owner: str, message: Message, reason: int, queue: str, qmgr: str, now: float, by_channel: bool = False
) -> Message:
    """Return a copy of a message with a dead-letter header that names its writer, `owner`.

    As in MQ, the copy's descriptor gives the encoding and CCSID of the header, the header those of the body.
    """
    descriptor = message.descriptor
    date, moment = format_put_time(now)
    header = DeadLetterHeader(
        reason=reason,
        queue=queue,
        qmgr=qmgr,
        encoding=descriptor.encoding,
        ccsid=descriptor.ccsid,
        format=descriptor.format,
        put_appl_type=mq.MQAT_DQM if by_channel else mq.MQAT_QMGR,
        put_appl_name=owner,
        put_date=date,
        put_time=moment,
    )
    return message.with_contents(
        header.pack(mq.MQENC_NATIVE, UTF8) + (message.body or b""),
        descriptor.replace(format=mq.MQFMT_DEAD_LETTER_HEADER, encoding=mq.MQENC_NATIVE, ccsid=UTF8),
        message.properties,
    )
