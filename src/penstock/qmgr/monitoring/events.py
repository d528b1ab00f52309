"""Events: PCF messages that the queue manager sends to its administrator.

An `Event` has its facts and its event queue; `event_message` makes the
message. `DepthEvents` and `ServiceInterval` watch one queue and are asked on each put and get, so
a queue has them only while PERFMEV and one of its own events are on. Nothing is put here; the
caller knows whether INHIBTEV, LOCALEV, REMOTEEV, STRSTPEV or AUTHOREV is on. Invariant: an event
that fired does not fire again before its opposite did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.constants import (
    MQ_OBJECT_NAME_LENGTH,
    MQAT_QMGR,
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
    MQIA_HIGH_Q_DEPTH,
    MQIA_MSG_DEQ_COUNT,
    MQIA_MSG_ENQ_COUNT,
    MQIA_Q_TYPE,
    MQIA_TIME_SINCE_RESET,
    MQIACF_COMMAND,
    MQIACF_OPEN_OPTIONS,
    MQIACF_REASON_QUALIFIER,
    MQRQ_CLOSE_NOT_AUTHORIZED,
    MQRQ_CMD_NOT_AUTHORIZED,
    MQRQ_CONN_NOT_AUTHORIZED,
    MQRQ_OPEN_NOT_AUTHORIZED,
    MQRQ_Q_MGR_QUIESCING,
    MQRQ_Q_MGR_STOPPING,
)
from penstock.model.limits import APPLICATION_NAME_LENGTH, USER_ID_LENGTH
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.model.pcf import Pcf, encode_pcf
from penstock.model.pcf_parameters import Integer, Parameter, String

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

OFF = -1.0  # the service timer does not run
QMGR_EVENTS = "SYSTEM.ADMIN.QMGR.EVENT"
PERFORMANCE_EVENTS = "SYSTEM.ADMIN.PERFM.EVENT"

# Reasons of failed opens by the queue manager attribute that enables events about them.
LOCAL_REASONS = frozenset(
    (mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR, mq.MQRC_UNKNOWN_ALIAS_BASE_Q, mq.MQRC_UNKNOWN_OBJECT_NAME)
)
REMOTE_REASONS = frozenset(
    (
        mq.MQRC_Q_TYPE_ERROR,
        mq.MQRC_UNKNOWN_REMOTE_Q_MGR,
        mq.MQRC_XMIT_Q_TYPE_ERROR,
        mq.MQRC_XMIT_Q_USAGE_ERROR,
        mq.MQRC_REMOTE_Q_NAME_ERROR,
        mq.MQRC_UNKNOWN_XMIT_Q,
        mq.MQRC_UNKNOWN_DEF_XMIT_Q,
        mq.MQRC_DEF_XMIT_Q_TYPE_ERROR,
        mq.MQRC_DEF_XMIT_Q_USAGE_ERROR,
    )
)


@dataclass(frozen=True, slots=True)
class Event:
    """An event: its queue, the command and reason of its MQCFH, and its parameters."""

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
        name = self.appl_name[:APPLICATION_NAME_LENGTH].ljust(APPLICATION_NAME_LENGTH)
        return Integer(MQIA_APPL_TYPE, self.appl_type), String(MQCACF_APPL_NAME, name)


NOBODY = Culprit()


def culprit(context: Descriptor, user: str) -> Culprit:
    """Return the program that puts with a context, run by a user."""
    return Culprit(context.put_appl_type, context.put_appl_name, user)


def event_message(
    event: Event,
    qmgr_name: str,
    now: float,
    new_id: Callable[[], bytes],
    priority: int = 0,
    persistent: bool = False,
) -> Message:
    """Return the message of an event; priority and persistence are the event queue's defaults."""
    named = (String(MQCA_Q_MGR_NAME, _name(qmgr_name)), *event.parameters)
    body = encode_pcf(Pcf(event.command, named, comp_code=MQCC_WARNING, reason=event.reason))
    descriptor = Descriptor(
        format=MQFMT_EVENT, put_appl_type=MQAT_QMGR, put_appl_name=qmgr_name[:APPLICATION_NAME_LENGTH]
    )
    return Message(body, new_id(), NO_ID, persistent, priority, now, NEVER, descriptor)


def performance_event(
    reason: int, queue: str, time_since_reset: int, high_depth: int, messages_in: int, messages_out: int
) -> Event:
    """Return a queue depth or service interval event with the queue's statistics."""
    parameters = (
        String(MQCA_BASE_Q_NAME, _name(queue)),
        Integer(MQIA_TIME_SINCE_RESET, time_since_reset),
        Integer(MQIA_HIGH_Q_DEPTH, high_depth),
        Integer(MQIA_MSG_ENQ_COUNT, messages_in),
        Integer(MQIA_MSG_DEQ_COUNT, messages_out),
    )
    return Event(PERFORMANCE_EVENTS, MQCMD_PERFM_EVENT, reason, parameters)


class QueueStatistics:
    """Counts of one queue since they were last reset, by an event or by RESET QSTATS."""

    __slots__ = ("high_depth", "messages_in", "messages_out", "reset_at")

    def __init__(self, now: float, depth: int = 0) -> None:
        self.high_depth = depth
        self.messages_in = 0
        self.messages_out = 0
        self.reset_at = now

    def put(self, depth: int) -> None:
        """Count a message that came; `depth` is the depth with it."""
        self.messages_in += 1
        if depth > self.high_depth:
            self.high_depth = depth

    def got(self) -> None:
        """Count a message that left."""
        self.messages_out += 1

    def reset(self, now: float, depth: int) -> dict[str, int]:
        """Start again; return the values until now under the names that RESET QSTATS shows."""
        seen = {
            "HIQDEPTH": self.high_depth,
            "MSGSIN": self.messages_in,
            "MSGSOUT": self.messages_out,
            "TIMESINCERESET": max(0, int(now - self.reset_at)),
        }
        self.high_depth, self.messages_in, self.messages_out, self.reset_at = depth, 0, 0, now
        return seen

    def event(self, reason: int, queue: str, depth: int, now: float) -> Event:
        """Return a performance event with these counts, which start again with it."""
        seen = self.reset(now, depth)
        return performance_event(
            reason, queue, seen["TIMESINCERESET"], seen["HIQDEPTH"], seen["MSGSIN"], seen["MSGSOUT"]
        )


class DepthEvents:
    """Queue depth high, low and full events of one queue, and which of them are armed.

    An event that fires disarms itself. High arms low and full; low arms high and full; full arms
    low. The arms are what the attributes QDPHIEV, QDPLOEV and QDPMAXEV show from then on.
    """

    __slots__ = ("full_armed", "high_armed", "high_at", "low_armed", "low_at", "queue", "statistics")

    def __init__(self, queue: str, statistics: QueueStatistics, attributes: Mapping[str, object]) -> None:
        self.queue = queue
        self.statistics = statistics
        self.alter(attributes)

    def alter(self, attributes: Mapping[str, object]) -> None:
        """Take the queue's attributes, which set the arms."""
        depth_max = _number(attributes["MAXDEPTH"])
        self.high_at = -(-depth_max * _number(attributes["QDEPTHHI"]) // 100)
        self.low_at = depth_max * _number(attributes["QDEPTHLO"]) // 100
        self.high_armed = attributes["QDPHIEV"] == "ENABLED"
        self.low_armed = attributes["QDPLOEV"] == "ENABLED"
        self.full_armed = attributes["QDPMAXEV"] == "ENABLED"

    def armed(self) -> dict[str, str]:
        """Return the arms as attributes."""
        arms = {"QDPHIEV": self.high_armed, "QDPLOEV": self.low_armed, "QDPMAXEV": self.full_armed}
        return {name: "ENABLED" if armed else "DISABLED" for name, armed in arms.items()}

    def put(self, depth: int, now: float) -> Event | None:
        """After a put: `depth` with the new message, already counted in the statistics."""
        if self.high_armed and depth >= self.high_at:
            self.high_armed = False
            self.low_armed = self.full_armed = True
            return self.statistics.event(mq.MQRC_Q_DEPTH_HIGH, self.queue, depth, now)
        return None

    def got(self, depth: int, now: float) -> Event | None:
        """After a get: `depth` without the message, already counted in the statistics."""
        if self.low_armed and depth <= self.low_at:
            self.low_armed = False
            self.high_armed = self.full_armed = True
            return self.statistics.event(mq.MQRC_Q_DEPTH_LOW, self.queue, depth, now)
        return None

    def full(self, depth: int, now: float) -> Event | None:
        """After a put that failed because the queue is full."""
        if self.full_armed:
            self.full_armed = False
            self.low_armed = True
            return self.statistics.event(mq.MQRC_Q_FULL, self.queue, depth, now)
        return None


class ServiceInterval:
    """Queue service interval events of one queue: is it got from often enough?

    The timer starts with a put to the empty queue, starts again with each get that leaves messages
    and stops with one that empties the queue. Only one of high and OK is armed, as QSVCIEV shows.
    """

    __slots__ = ("interval", "kind", "queue", "started", "statistics")

    def __init__(
        self,
        queue: str,
        statistics: QueueStatistics,
        attributes: Mapping[str, object],
        depth: int,
        now: float,
    ) -> None:
        self.queue = queue
        self.statistics = statistics
        self.started = now if depth else OFF
        self.alter(attributes)

    def alter(self, attributes: Mapping[str, object]) -> None:
        """Take over the queue's attributes."""
        self.kind = str(attributes["QSVCIEV"])
        self.interval = _number(attributes["QSVCINT"]) / 1000

    def put(self, depth: int, now: float) -> Event | None:
        """After a put: `depth` with the new message."""
        if depth == 1:
            self.started = now
        elif self.kind == "HIGH" and self.started != OFF and now - self.started > self.interval:
            return self._fire(mq.MQRC_Q_SERVICE_INTERVAL_HIGH, depth, now)
        return None

    def got(self, depth: int, now: float) -> Event | None:
        """After a get: `depth` without the message."""
        started = self.started
        self.started = now if depth else OFF
        if started == OFF:
            return None
        if now - started > self.interval:
            return self._fire(mq.MQRC_Q_SERVICE_INTERVAL_HIGH, depth, now) if self.kind == "HIGH" else None
        return self._fire(mq.MQRC_Q_SERVICE_INTERVAL_OK, depth, now) if self.kind == "OK" else None

    def _fire(self, reason: int, depth: int, now: float) -> Event:
        self.kind = "OK" if self.kind == "HIGH" else "HIGH"
        return self.statistics.event(reason, self.queue, depth, now)


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value


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
    return _qmgr_event(mq.MQRC_Q_MGR_ACTIVE)


def stopped(quiesced: bool) -> Event:
    """Return the event of a queue manager that is stopped, quiesced or at once."""
    qualifier = MQRQ_Q_MGR_QUIESCING if quiesced else MQRQ_Q_MGR_STOPPING
    return _qmgr_event(mq.MQRC_Q_MGR_NOT_ACTIVE, Integer(MQIACF_REASON_QUALIFIER, qualifier))


def connect_refused(culprit: Culprit) -> Event:
    """Return the authority event, type 1: a user may not connect."""
    return _not_authorized(MQRQ_CONN_NOT_AUTHORIZED, culprit)


def open_refused(
    culprit: Culprit, name: str, options: int, object_qmgr: str = "", process: bool = False
) -> Event:
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


def _not_authorized(qualifier: int, culprit: Culprit, *details: Parameter) -> Event:
    who = String(MQCACF_USER_IDENTIFIER, culprit.user_id[:USER_ID_LENGTH].ljust(USER_ID_LENGTH))
    first: tuple[Parameter, ...] = (Integer(MQIACF_REASON_QUALIFIER, qualifier),)
    return _qmgr_event(mq.MQRC_NOT_AUTHORIZED, *first, *details, who, *culprit.parameters)


def _qmgr_event(reason: int, *parameters: Parameter) -> Event:
    return Event(QMGR_EVENTS, MQCMD_Q_MGR_EVENT, reason, parameters)


def _at(object_qmgr: str) -> tuple[Parameter, ...]:
    return (String(MQCACF_OBJECT_Q_MGR_NAME, _name(object_qmgr)),) if object_qmgr else ()


def _name(name: str) -> str:
    """Object names go padded, as MQ sends them."""
    return name.ljust(MQ_OBJECT_NAME_LENGTH)
