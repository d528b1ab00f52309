"""Events: what the queue manager tells its administrator, as PCF messages.

An `Event` says what happened and on which event queue that is told; `event_message` makes the
message. Depth and service-interval events need memory and live in `performance_events`. Nothing is
put here and no attribute is asked: the caller knows whether INHIBTEV, LOCALEV, REMOTEEV, STRSTPEV,
AUTHOREV or PERFMEV is on. Called by the engine when a call fails, and at start and end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model.constants import (
    MQ_OBJECT_NAME_LENGTH,
    MQAT_QMGR,
    MQCA_ALIAS_Q_NAME,
    MQCA_BASE_Q_NAME,
    MQCA_PROCESS_NAME,
    MQCA_Q_MGR_NAME,
    MQCA_Q_NAME,
    MQCA_TOPIC_STRING,
    MQCA_XMIT_Q_NAME,
    MQCACF_APPL_NAME,
    MQCACF_OBJECT_Q_MGR_NAME,
    MQCACF_USER_IDENTIFIER,
    MQCC_WARNING,
    MQCMD_PERFM_EVENT,
    MQCMD_Q_MGR_EVENT,
    MQFMT_EVENT,
    MQIA_APPL_TYPE,
    MQIA_Q_TYPE,
    MQIACF_COMMAND,
    MQIACF_OPEN_OPTIONS,
    MQIACF_REASON_QUALIFIER,
    MQRC_GET_INHIBITED,
    MQRC_NOT_AUTHORIZED,
    MQRC_PUT_INHIBITED,
    MQRC_Q_MGR_ACTIVE,
    MQRC_Q_MGR_NOT_ACTIVE,
    MQRQ_CLOSE_NOT_AUTHORIZED,
    MQRQ_CMD_NOT_AUTHORIZED,
    MQRQ_CONN_NOT_AUTHORIZED,
    MQRQ_OPEN_NOT_AUTHORIZED,
    MQRQ_Q_MGR_QUIESCING,
    MQRQ_Q_MGR_STOPPING,
)
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.model.pcf import Pcf, encode_pcf
from penstock.model.pcf_parameters import Integer, Parameter, String

if TYPE_CHECKING:
    from collections.abc import Callable

QMGR_EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"
PERFORMANCE_EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"
APPL_NAME_LENGTH = 28
USER_ID_LENGTH = 12

# Reasons of failed opens by the queue manager attribute that asks for events about them.
LOCAL_REASONS = frozenset((2001, 2082, 2085))
REMOTE_REASONS = frozenset((2057, 2087, 2091, 2092, 2184, 2196, 2197, 2198, 2199))
INHIBIT_REASONS = frozenset((MQRC_PUT_INHIBITED, MQRC_GET_INHIBITED))


@dataclass(frozen=True, slots=True)
class Event:
    """Something to tell: the event queue, the command and reason of its MQCFH, and its parameters."""

    queue: str
    command: int
    reason: int
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Culprit:
    """The program behind an event."""

    appl_type: int = 0
    appl_name: str = ""
    user_id: str = ""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """How an event names it."""
        name = self.appl_name[:APPL_NAME_LENGTH].ljust(APPL_NAME_LENGTH)
        return Integer(MQIA_APPL_TYPE, self.appl_type), String(MQCACF_APPL_NAME, name)


NOBODY = Culprit()


def event_message(
    event: Event, qmgr_name: str, now: float, new_id: Callable[[], bytes], priority: int = 0, persistent: bool = False
) -> Message:
    """Return the message of an event; priority and persistence are the event queue's defaults."""
    named = (String(MQCA_Q_MGR_NAME, _name(qmgr_name)), *event.parameters)
    body = encode_pcf(Pcf(event.command, named, comp_code=MQCC_WARNING, reason=event.reason))
    descriptor = Descriptor(format=MQFMT_EVENT, put_appl_type=MQAT_QMGR, put_appl_name=qmgr_name[:APPL_NAME_LENGTH])
    return Message(body, new_id(), NO_ID, persistent, priority, now, NEVER, descriptor)


def performance_event(
    reason: int, queue: str, time_since_reset: int, high_depth: int, messages_in: int, messages_out: int
) -> Event:
    """Return a queue depth or service interval event with the queue's statistics."""
    from penstock.model.constants import (
        MQIA_HIGH_Q_DEPTH,
        MQIA_MSG_DEQ_COUNT,
        MQIA_MSG_ENQ_COUNT,
        MQIA_TIME_SINCE_RESET,
    )

    parameters = (
        String(MQCA_BASE_Q_NAME, _name(queue)),
        Integer(MQIA_TIME_SINCE_RESET, time_since_reset),
        Integer(MQIA_HIGH_Q_DEPTH, high_depth),
        Integer(MQIA_MSG_ENQ_COUNT, messages_in),
        Integer(MQIA_MSG_DEQ_COUNT, messages_out),
    )
    return Event(PERFORMANCE_EVENTS, MQCMD_PERFM_EVENT, reason, parameters)


def inhibited(reason: int, queue: str, culprit: Culprit = NOBODY, object_qmgr: str = "") -> Event:
    """Return the event of a put (2051) or get (2016) that was refused because it is inhibited."""
    return _qmgr_event(reason, String(MQCA_Q_NAME, _name(queue)), *_at(object_qmgr), *culprit.parameters)


def open_failed(
    reason: int,
    queue: str,
    culprit: Culprit = NOBODY,
    object_qmgr: str = "",
    base_queue: str = "",
    xmit_queue: str = "",
    queue_type: int = 0,
    process: str = "",
    topic: str = "",
) -> Event:
    """Return the event of a name that could not be opened: unknown, of a wrong type, without a route."""
    parameters: list[Parameter] = []
    for id, value in (
        (MQCA_Q_NAME, queue),
        (MQCA_BASE_Q_NAME, base_queue),
        (MQCA_XMIT_Q_NAME, xmit_queue),
        (MQCA_PROCESS_NAME, process),
    ):
        if value:
            parameters.append(String(id, _name(value)))
    if topic:
        parameters.append(String(MQCA_TOPIC_STRING, topic))
    if queue_type:
        parameters.append(Integer(MQIA_Q_TYPE, queue_type))
    return _qmgr_event(reason, *parameters, *culprit.parameters, *_at(object_qmgr))


def started() -> Event:
    """Return the event of a queue manager that became active."""
    return _qmgr_event(MQRC_Q_MGR_ACTIVE)


def stopped(quiesced: bool) -> Event:
    """Return the event of a queue manager that was asked to end, quietly or at once."""
    qualifier = MQRQ_Q_MGR_QUIESCING if quiesced else MQRQ_Q_MGR_STOPPING
    return _qmgr_event(MQRC_Q_MGR_NOT_ACTIVE, Integer(MQIACF_REASON_QUALIFIER, qualifier))


def connect_refused(culprit: Culprit) -> Event:
    """Return the authority event, type 1: a user may not connect."""
    return _not_authorized(MQRQ_CONN_NOT_AUTHORIZED, culprit)


def open_refused(culprit: Culprit, name: str, options: int, object_qmgr: str = "", process: bool = False) -> Event:
    """Return the authority event, type 2: a user may not open an object in this way."""
    what = String(MQCA_PROCESS_NAME if process else MQCA_Q_NAME, _name(name))
    return _not_authorized(
        MQRQ_OPEN_NOT_AUTHORIZED, culprit, Integer(MQIACF_OPEN_OPTIONS, options), *_at(object_qmgr), what
    )


def close_refused(culprit: Culprit, name: str) -> Event:
    """Return the authority event, type 3: a user may not delete a dynamic queue on closing it."""
    return _not_authorized(MQRQ_CLOSE_NOT_AUTHORIZED, culprit, String(MQCA_Q_NAME, _name(name)))


def command_refused(culprit: Culprit, command: int) -> Event:
    """Return the authority event, type 4: a user may not give this command."""
    return _not_authorized(MQRQ_CMD_NOT_AUTHORIZED, culprit, Integer(MQIACF_COMMAND, command))


def alias_failed(reason: int, alias: str, base_queue: str, culprit: Culprit = NOBODY) -> Event:
    """Return the event of an alias whose base is unknown (2082) or of a wrong type (2001)."""
    parameters = (String(MQCA_ALIAS_Q_NAME, _name(alias)), String(MQCA_BASE_Q_NAME, _name(base_queue)))
    return _qmgr_event(reason, *parameters, *culprit.parameters)


def _not_authorized(qualifier: int, culprit: Culprit, *details: Parameter) -> Event:
    who = String(MQCACF_USER_IDENTIFIER, culprit.user_id[:USER_ID_LENGTH].ljust(USER_ID_LENGTH))
    first: tuple[Parameter, ...] = (Integer(MQIACF_REASON_QUALIFIER, qualifier),)
    return _qmgr_event(MQRC_NOT_AUTHORIZED, *first, *details, who, *culprit.parameters)


def _qmgr_event(reason: int, *parameters: Parameter) -> Event:
    return Event(QMGR_EVENTS, MQCMD_Q_MGR_EVENT, reason, parameters)


def _at(object_qmgr: str) -> tuple[Parameter, ...]:
    return (String(MQCACF_OBJECT_Q_MGR_NAME, _name(object_qmgr)),) if object_qmgr else ()


def _name(name: str) -> str:
    """Object names go padded, as MQ sends them."""
    return name.ljust(MQ_OBJECT_NAME_LENGTH)
