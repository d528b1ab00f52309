"""Channel events as PCF messages, enabled by CHLEV, CHADEV and SSLEV.

They go to SYSTEM.ADMIN.CHANNEL.EVENT. With CHLEV(EXCEPTION) only failures are reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.pcf_parameters import Integer, Parameter, String
from penstock.qmgr.catalogue.channels import CHANNEL_TYPES
from penstock.qmgr.monitoring.events import Event

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine

CHANNEL_EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
SSL_CIPHER_SPEC_ERROR, SSL_CLIENT_AUTH_ERROR, SSL_PEER_NAME_ERROR = 12, 13, 14  # MQRQ_SSL_...
NAME_LENGTH, CONNECTION_LENGTH, QUEUE_LENGTH = 20, 264, 48


@dataclass(frozen=True, slots=True)
class Subject:
    """The channel that an event is about."""

    channel: str
    connection: str = ""
    xmit_queue: str = ""

    def parameters(self) -> tuple[Parameter, ...]:
        """How an event names it."""
        found: list[Parameter] = [String(mq.MQCACH_CHANNEL_NAME, self.channel.ljust(NAME_LENGTH))]
        if self.xmit_queue:
            found.append(String(mq.MQCACH_XMIT_Q_NAME, self.xmit_queue.ljust(QUEUE_LENGTH)))
        if self.connection:
            found.append(String(mq.MQCACH_CONNECTION_NAME, self.connection.ljust(CONNECTION_LENGTH)))
        return tuple(found)


def started(engine: Engine, subject: Subject, now: float) -> None:
    """A channel runs."""
    _tell(engine, "CHLEV", _event(mq.MQRC_CHANNEL_STARTED, subject), False, now)


def stopped(engine: Engine, subject: Subject, qualifier: int, reason: int, now: float) -> None:
    """A channel has ended: normally, by an error with a retry, or permanently."""
    parameters = (
        Integer(mq.MQIACF_REASON_QUALIFIER, qualifier),
        Integer(mq.MQIACF_ERROR_IDENTIFIER, reason),
    )
    event = _event(mq.MQRC_CHANNEL_STOPPED, subject, *parameters)
    _tell(engine, "CHLEV", event, qualifier != mq.MQRQ_CHANNEL_STOPPED_OK, now)


def stopped_by_user(engine: Engine, subject: Subject, now: float) -> None:
    """STOP CHANNEL has ended a channel."""
    event = _event(
        mq.MQRC_CHANNEL_STOPPED_BY_USER,
        subject,
        Integer(mq.MQIACF_REASON_QUALIFIER, mq.MQRQ_CHANNEL_STOPPED_OK),
    )
    _tell(engine, "CHLEV", event, False, now)


def not_activated(engine: Engine, subject: Subject, now: float) -> None:
    """A channel may not run: there are as many as there may be."""
    _tell(engine, "CHLEV", _event(mq.MQRC_CHANNEL_NOT_ACTIVATED, subject), True, now)


def not_converted(engine: Engine, subject: Subject, reason: int, now: float) -> None:
    """A message could not be converted for the other end (CONVERT)."""
    event = _event(mq.MQRC_CHANNEL_CONV_ERROR, subject, Integer(mq.MQIACF_CONV_REASON_CODE, reason))
    _tell(engine, "CHLEV", event, True, now)


def blocked(engine: Engine, subject: Subject, partner: str, qualifier: int, now: float) -> None:
    """A rule has kept a partner out."""
    event = _event(
        mq.MQRC_CHANNEL_BLOCKED,
        subject,
        Integer(mq.MQIACF_REASON_QUALIFIER, qualifier),
        String(mq.MQCA_REMOTE_Q_MGR_NAME, partner.ljust(QUEUE_LENGTH)),
    )
    _tell(engine, "CHLEV", event, True, now)


def defined_by_itself(engine: Engine, subject: Subject, kind: str, failure: int, now: float) -> None:
    """A channel was defined because a partner dialled it, or could not be (`failure` is a reason code)."""
    reason = mq.MQRC_CHANNEL_AUTO_DEF_ERROR if failure else mq.MQRC_CHANNEL_AUTO_DEF_OK
    told = (Integer(mq.MQIACF_ERROR_IDENTIFIER, failure),) if failure else ()
    event = _event(reason, subject, Integer(mq.MQIACH_CHANNEL_TYPE, CHANNEL_TYPES[kind]), *told)
    _tell(engine, "CHADEV", event, False, now)


def tls_failed(engine: Engine, subject: Subject, qualifier: int, peer: str, now: float) -> None:
    """TLS with a partner failed, or does not meet the channel's requirements."""
    event = _event(
        mq.MQRC_CHANNEL_SSL_ERROR,
        subject,
        Integer(mq.MQIACF_REASON_QUALIFIER, qualifier),
        String(mq.MQCACH_SSL_PEER_NAME, peer),
    )
    _tell(engine, "SSLEV", event, False, now)


def _event(reason: int, subject: Subject, *more: Parameter) -> Event:
    return Event(CHANNEL_EVENTS, mq.MQCMD_CHANNEL_EVENT, reason, (*more, *subject.parameters()))


def _tell(engine: Engine, switch: str, event: Event, exception: bool, now: float) -> None:
    asked = engine.definition.attributes[switch]
    if asked == "ENABLED" or (asked == "EXCEPTION" and exception):
        engine.effects.emit(event, now)
