"""Activities: what is done with a message on its way, in reports and in the message itself.

A message with MQRO_ACTIVITY has a report sent for each activity; a trace-route message counts them and may
collect them (`model.trace_route`). Channels and puts call `leaves`, `arrival` and `comes_to` for messages
that are watched. ACTIVREC and ROUTEREC say where reports and replies go, or that there are none. A program
reports what it does itself, as in MQ. Invariant: a message is discarded only as it asks for, or because it
has had as many activities as it allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8
from penstock.model.embedded_pcf import Embedded, pack_embedded
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.pcf import Pcf
from penstock.model.pcf_parameters import Group, Integer, String
from penstock.model.trace_route import ACCUMULATING, BODY_BYTES_MAX, VERSION, read_trace_route
from penstock.qmgr.messages import reports
from penstock.qmgr.monitoring.activity_groups import message_group
from penstock.qmgr.monitoring.monitoring_messages import moment, name
from penstock.qmgr.monitoring.statistics import CHANNEL_TYPES

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.model.pcf_parameters import Parameter
    from penstock.model.trace_route import TraceRoute, TraceRouteMessage
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.unit_of_work import UnitOfWork

ACTIVITY_QUEUE = "SYSTEM.ADMIN.ACTIVITY.QUEUE"
REPLY_QUEUE = "SYSTEM.ADMIN.TRACE.ROUTE.QUEUE"
PROGRAM = "penstock"
SENDING, RECEIVING, PUTTING = "Sending channel", "Receiving channel", "Put by a program"


class Passage(NamedTuple):
    """The channel that a message passes: its name, its type as in MQSC, and the other queue manager."""

    channel: str
    kind: str
    partner: str

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """How an operation names it."""
        return (
            String(mq.MQCACH_CHANNEL_NAME, self.channel.ljust(mq.MQ_CHANNEL_NAME_LENGTH)),
            Integer(mq.MQIACH_CHANNEL_TYPE, CHANNEL_TYPES.get(self.kind, 0)),
            String(mq.MQCA_REMOTE_Q_MGR_NAME, name(self.partner)),
        )


def are_recorded(message: Message) -> bool:
    """Return whether a message asks for its activities."""
    wanted = message.descriptor.report & mq.MQRO_ACTIVITY
    return bool(wanted) or read_trace_route(message.body, message.descriptor) is not None


def leaves(engine: Engine, message: Message, queue: str, passage: Passage, now: float) -> bool:
    """Record that a channel gets a message of its transmission queue and sends it.

    False when the message must not go on: it is discarded, and that is recorded. The report is in no unit:
    when the link fails before the message is confirmed, it comes again.
    """
    activity = Activity(engine, message, SENDING, mq.MQAT_DQM, now)
    activity.add(mq.MQOPER_GET, _queue(queue), _resolved(queue))
    feedback = activity.feedback_of_leaving()
    if feedback:
        activity.discard(feedback, String(mq.MQCA_REMOTE_Q_MGR_NAME, name(passage.partner)))
    else:
        activity.add(mq.MQOPER_SEND, *passage.parameters, String(mq.MQCACH_XMIT_Q_NAME, name(queue)))
    activity.collect()
    activity.tell(None)
    return not feedback


def arrival(
    engine: Engine, message: Message, route: Route, queue: str, passage: Passage, now: float
) -> Activity:
    """Return the activity of a channel that receives a message and puts it along a route, or discards it."""
    activity = Activity(engine, message, RECEIVING, mq.MQAT_DQM, now)
    activity.add(mq.MQOPER_RECEIVE, *passage.parameters)
    activity.put(route, queue)
    return activity


def comes_to(
    engine: Engine, message: Message, route: Route, queue: str, unit: UnitOfWork | None, now: float
) -> bool:
    """Return whether a program's message is put to its queue here; if not, that is recorded.

    Also sends the reply to a trace-route message that has arrived.
    """
    activity = Activity(engine, message, PUTTING, mq.MQAT_QMGR, now)
    if activity.traced is None:
        return True
    if activity.feedback_of_arriving(route):
        activity.put(route, queue)
        activity.tell(unit)
    elif not route.remote:
        activity.reply(unit)
    return not activity.discards


def given_up(
    engine: Engine,
    message: Message,
    queue: str,
    reason: int,
    discarded: bool,
    unit: UnitOfWork | None,
    now: float,
) -> None:
    """Record that a message could not be put: it goes to the dead-letter queue, or is discarded."""
    activity = Activity(engine, message, RECEIVING, mq.MQAT_DQM, now)
    if discarded:
        activity.discard(reason, _queue(queue))
    else:
        letters = str(engine.definition.attributes["DEADQ"])
        feedback = Integer(mq.MQIACF_FEEDBACK, reason)
        activity.add(mq.MQOPER_PUT, _queue(letters), _resolved(letters), feedback)
        activity.ended = True
    activity.collect()
    activity.tell(unit)


class Activity:
    """One activity on one message, while its operations are collected."""

    def __init__(self, engine: Engine, message: Message, description: str, kind: int, now: float) -> None:
        self._engine = engine
        self._message = message
        self._body = message.body
        self._description = description
        self._kind = kind
        self._now = now
        self._operations: list[Group] = []
        self.traced: TraceRouteMessage | None = read_trace_route(message.body, message.descriptor)
        self.discards = False
        self.ended = False  # no activity of a queue manager follows

    def add(self, operation: int, *details: Parameter) -> None:
        """Add an operation."""
        date, at = moment(self._now)
        parameters: tuple[Parameter, ...] = (
            Integer(mq.MQIACF_OPERATION_TYPE, operation),
            String(mq.MQCACF_OPERATION_DATE, date.ljust(12)),
            String(mq.MQCACF_OPERATION_TIME, at),
            message_group(self._message, self._now),
            String(mq.MQCA_Q_MGR_NAME, name(self._engine.name)),
            *details,
        )
        self._operations.append(Group(mq.MQGACF_OPERATION, parameters))

    def discard(self, feedback: int, *details: Parameter) -> None:
        """Add that the message is discarded."""
        self.add(mq.MQOPER_DISCARD, Integer(mq.MQIACF_FEEDBACK, feedback), *details)
        self.discards = self.ended = True

    def put(self, route: Route, queue: str) -> None:
        """Add a put along a route, or a discard if the message must not be put; the message collects that."""
        feedback = self.feedback_of_arriving(route)
        if feedback:
            self.discard(feedback, _queue(queue))
        else:
            self.add(mq.MQOPER_PUT, *_destination(route, queue))
            self.ended = not route.remote
        self.collect()

    def feedback_of_leaving(self) -> int:
        """Return why a message must not be sent to another queue manager; 0 if it may."""
        if self.traced is None:
            return 0
        route = self.traced.route
        if route.forward & mq.MQROUTE_FORWARD_REJ_UNSUP_MASK:
            return mq.MQFB_UNSUPPORTED_FORWARDING
        return _too_many(route)

    def feedback_of_arriving(self, route: Route) -> int:
        """Return why a message must not be put along a route; 0 if it may."""
        if self.traced is None:
            return 0
        wanted = self.traced.route
        if wanted.deliver & mq.MQROUTE_DELIVER_REJ_UNSUP_MASK:
            return mq.MQFB_UNSUPPORTED_DELIVERY
        if wanted.deliver & mq.MQROUTE_DELIVER_NO and not route.remote:
            return mq.MQFB_NOT_DELIVERED
        return _too_many(wanted)

    def collect(self) -> None:
        """Count the activity in a trace-route message, and add it there if the message collects."""
        if self.traced is None:
            return
        message, route = self._message, self.traced.route
        is_reported = self._is_reported()
        counted = self.traced.counted(is_reported)
        if (
            route.accumulate in ACCUMULATING
            and self._is_detailed()
            and self._setting("ROUTEREC") != "DISABLED"
        ):
            counted = self.traced.counted(True, self._group())
        body = counted.body(message.descriptor)
        if len(body) > BODY_BYTES_MAX:
            counted = self.traced.counted(is_reported)
            body = counted.body(message.descriptor)
        self.traced = counted
        message.body, message.length = body, len(body)

    def undo(self) -> None:
        """Make the message what it was: it could not be put."""
        message, body = self._message, self._body
        if body is not None:
            message.body, message.length = body, len(body)

    def tell(self, unit: UnitOfWork | None) -> None:
        """Send the report on the activity, and the reply if it is the last one."""
        if self._is_reported():
            self._report(unit)
        if self.ended and self.traced is not None:
            self.reply(unit)

    def _is_reported(self) -> bool:
        wanted = (
            self._message.descriptor.report & mq.MQRO_ACTIVITY and self._setting("ACTIVREC") != "DISABLED"
        )
        return bool(wanted) and self._is_detailed()

    def _is_detailed(self) -> bool:
        """Return whether activities of channels are recorded, not only those of programs."""
        return self.traced is None or self.traced.route.detail >= mq.MQROUTE_DETAIL_MEDIUM

    def _group(self, *behind: Parameter) -> Group:
        parameters: tuple[Parameter, ...] = (
            String(mq.MQCACF_APPL_NAME, PROGRAM.ljust(APPLICATION_NAME_LENGTH)),
            Integer(mq.MQIA_APPL_TYPE, self._kind),
            String(mq.MQCACF_ACTIVITY_DESC, self._description),
            *self._operations,
            *behind,
        )
        return Group(mq.MQGACF_ACTIVITY, parameters)

    def _report(self, unit: UnitOfWork | None) -> None:
        engine = self._engine
        behind = () if self.traced is None else (self.traced.route.group,)
        pcf = Pcf(mq.MQCMD_ACTIVITY_MSG, (self._group(*behind),), type=mq.MQCFT_REPORT, version=VERSION)
        body = pack_embedded(Embedded(pcf), mq.MQENC_NATIVE, UTF8)
        made = reports.activity_report(self._message, body, self._now, engine.ids.next, engine.name)
        self._send(made, "ACTIVREC", ACTIVITY_QUEUE, unit)

    def reply(self, unit: UnitOfWork | None) -> None:
        """Send what a trace-route message has collected, if it asks for that."""
        engine, traced = self._engine, self.traced
        assert traced is not None
        if (
            traced.route.accumulate != mq.MQROUTE_ACCUMULATE_AND_REPLY
            or self._setting("ROUTEREC") == "DISABLED"
        ):
            return
        alone = traced._replace(behind=None)
        body = alone.body(self._message.descriptor)
        made = reports.trace_route_reply(self._message, body, self._now, engine.ids.next, engine.name)
        self._send(made, "ROUTEREC", REPLY_QUEUE, unit)

    def _send(self, made: Message, setting: str, own: str, unit: UnitOfWork | None) -> None:
        descriptor = self._message.descriptor
        if self._setting(setting) == "QUEUE":
            report = reports.Report(own, "", made)
        elif descriptor.reply_to:
            report = reports.Report(descriptor.reply_to, descriptor.reply_to_qmgr, made)
        else:
            return
        self._engine.effects.send_report(report, unit, self._now)

    def _setting(self, attribute: str) -> str:
        return str(self._engine.definition.attributes[attribute])


def _too_many(route: TraceRoute) -> int:
    """Return the feedback for a message that has had as many activities as it allows, or 0."""
    return mq.MQFB_MAX_ACTIVITIES if 0 < route.activities_max <= route.recorded else 0


def _queue(queue: str) -> Parameter:
    return String(mq.MQCA_Q_NAME, name(queue))


def _resolved(queue: str) -> Parameter:
    return String(mq.MQCACF_RESOLVED_Q_NAME, name(queue))


def _destination(route: Route, queue: str) -> tuple[Parameter, ...]:
    """Return how an operation names what a message was put to."""
    resolved = route.queue.name if route.queue is not None else route.resolved_queue
    named: tuple[Parameter, ...] = (_queue(queue), _resolved(resolved))
    if not route.remote:
        return named
    return (
        *named,
        String(mq.MQCA_REMOTE_Q_NAME, name(route.resolved_queue)),
        String(mq.MQCA_REMOTE_Q_MGR_NAME, name(route.resolved_qmgr)),
    )
