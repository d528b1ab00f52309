"""What statistics and accounting messages share: their heads, their groups, and how they are put.

A message has at most 100 groups. One that its queue does not take is dropped: monitoring never fails work.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.model.pcf import Pcf, encode_pcf
from penstock.model.pcf_parameters import Integer, String
from penstock.qmgr.catalogue.queue_manager import COMMAND_LEVEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.model.pcf_parameters import Group, Parameter
    from penstock.qmgr.engine import Engine

GROUPS_MAX = 100  # in one message
VERSION = 3  # of MQCFH


def name(text: str) -> str:
    """Return a name padded as MQ sends it."""
    return text.ljust(mq.MQ_OBJECT_NAME_LENGTH)


def moment(when: float) -> tuple[str, str]:
    """Return date and time as these messages have them."""
    at = time.localtime(when)
    return time.strftime("%Y-%m-%d", at), time.strftime("%H.%M.%S", at)


def interval(engine: Engine, began: float, ended: float) -> tuple[Parameter, ...]:
    """Return what every message begins with: the queue manager and the interval."""
    (start_date, start_time), (end_date, end_time) = moment(began), moment(ended)
    return (
        String(mq.MQCA_Q_MGR_NAME, name(engine.name)),
        String(mq.MQCAMO_START_DATE, start_date.ljust(12)),
        String(mq.MQCAMO_START_TIME, start_time),
        String(mq.MQCAMO_END_DATE, end_date.ljust(12)),
        String(mq.MQCAMO_END_TIME, end_time),
        Integer(mq.MQIA_COMMAND_LEVEL, COMMAND_LEVEL),
    )


def groups_in_messages(
    about: Sequence[Parameter], groups: Sequence[Group]
) -> Iterator[tuple[Parameter, ...]]:
    """Yield the parameters of as many messages as the groups need."""
    for start in range(0, len(groups), GROUPS_MAX):
        part = groups[start : start + GROUPS_MAX]
        yield (*about, Integer(mq.MQIAMO_OBJECT_COUNT, len(part)), *part)


def send(
    engine: Engine, target: str, kind: int, command: int, parameters: tuple[Parameter, ...], now: float
) -> None:
    """Put a monitoring message, as the queue manager itself."""
    queue = engine.queues.get(target)
    if queue is None:
        return
    body = encode_pcf(Pcf(command, parameters, type=kind, version=VERSION))
    descriptor = Descriptor(
        format=mq.MQFMT_ADMIN,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=engine.name[:APPLICATION_NAME_LENGTH],
    )
    message = Message(
        body,
        engine.ids.next(),
        NO_ID,
        queue.default_persistent,
        queue.default_priority,
        now,
        NEVER,
        descriptor,
    )
    with suppress(MQError):  # a full queue loses statistics, not work
        engine.check_put(queue, message, None)
        engine.enqueue(queue, message, None)
