"""The route of a message through queue managers: sends a trace-route message and collects what comes back.

Each activity comes as a report as soon as it is done, or all come in one reply at the end (`collect`). A
route is complete when a message was discarded, or put to a queue where it stays; what does not come back in
time is missing, and the route is not complete. Works over any connection.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.embedded_pcf import unpack_embedded
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.pcf_parameters import Group
from penstock.model.trace_route import TraceRoute, TraceRouteMessage, read_trace_route

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message
    from penstock.model.pcf_parameters import Parameter

MODEL = "SYSTEM.DEFAULT.MODEL.QUEUE"
EXPIRY_SECONDS = 60.0  # of the message and its reports, so that none stays anywhere
LOOK_SECONDS = 0.5  # a wait that an interrupt ends
REPORTS = mq.MQRO_DISCARD_MSG | mq.MQRO_PASS_DISCARD_AND_EXPIRY
OPERATIONS = {
    mq.MQOPER_BROWSE: "browse",
    mq.MQOPER_DISCARD: "discard",
    mq.MQOPER_GET: "get",
    mq.MQOPER_PUT: "put",
    mq.MQOPER_RECEIVE: "receive",
    mq.MQOPER_SEND: "send",
    mq.MQOPER_TRANSFORM: "transform",
    mq.MQOPER_PUBLISH: "publish",
}
FACTS = {
    "qmgr": mq.MQCA_Q_MGR_NAME,
    "queue": mq.MQCA_Q_NAME,
    "resolved_queue": mq.MQCACF_RESOLVED_Q_NAME,
    "remote_queue": mq.MQCA_REMOTE_Q_NAME,
    "remote_qmgr": mq.MQCA_REMOTE_Q_MGR_NAME,
    "channel": mq.MQCACH_CHANNEL_NAME,
    "transmission_queue": mq.MQCACH_XMIT_Q_NAME,
    "date": mq.MQCACF_OPERATION_DATE,
    "time": mq.MQCACF_OPERATION_TIME,
    "feedback": mq.MQIACF_FEEDBACK,
}


@dataclass(frozen=True)
class Request:
    """What is traced, and how."""

    queue: str
    qmgr: str = ""  # the queue manager that the queue is at
    deliver: bool = False  # put the message to the queue at the end
    collect: bool = False  # one reply instead of a report for each activity
    persistent: bool = False  # and so are its reports, which a temporary queue does not take
    reply_to: str = ""  # the queue for reports; else a temporary one
    activities_max: int = 0  # 0 for no limit
    wait_seconds: float = 10.0


@dataclass
class TracedRoute:
    """What was found out: the operations in their order."""

    msg_id: bytes
    operations: list[dict[str, Any]] = field(default_factory=list)
    is_complete: bool = False


def trace_route(qm: BlockingQueueManager, request: Request) -> TracedRoute:
    """Send a trace-route message, and wait for what comes back."""
    options = mq.MQOO_INPUT_SHARED if request.reply_to else mq.MQOO_INPUT_EXCLUSIVE
    with qm.open(request.reply_to or MODEL, options) as replies:
        receipt = _send(qm, request, replies.name)
        here = receipt.resolved_qmgr in ("", qm.name)
        first = {"operation": "put", "qmgr": qm.name, "queue": request.queue}
        if here:
            first["resolved_queue"] = receipt.resolved_queue
        else:
            first |= {"remote_queue": receipt.resolved_queue, "remote_qmgr": receipt.resolved_qmgr}
        if here and request.deliver and not request.collect:
            return TracedRoute(receipt.msg_id, [first], is_complete=True)
        route = TracedRoute(receipt.msg_id, [first])
        activities: dict[int, list[dict[str, Any]]] = {}
        until = time.monotonic() + request.wait_seconds
        while not route.is_complete and (left := until - time.monotonic()) > 0:
            message = replies.get(wait=min(left, LOOK_SECONDS), correl_id=receipt.msg_id, quiet=True)
            if message is not None:
                activities.update(_activities(message, len(activities)))
                found = [each for _, own in sorted(activities.items()) for each in own]
                route.operations = [first, *found]
                route.is_complete = _is_end(message, found)
    return route


def _send(qm: BlockingQueueManager, request: Request, reply_to: str) -> Any:
    """Put the trace-route message."""
    asked = mq.MQROUTE_ACCUMULATE_AND_REPLY if request.collect else mq.MQROUTE_ACCUMULATE_NONE
    group = TraceRoute(
        activities_max=request.activities_max,
        accumulate=asked,
        deliver=mq.MQROUTE_DELIVER_YES if request.deliver else mq.MQROUTE_DELIVER_NO,
    )
    described = Descriptor(format=mq.MQFMT_ADMIN)
    fields: dict[str, Any] = {"qmgr": request.qmgr} if request.qmgr else {}
    return qm.put(
        request.queue,
        TraceRouteMessage(group).body(described),
        format=mq.MQFMT_ADMIN,
        msg_type=mq.MQMT_REQUEST if request.collect else mq.MQMT_DATAGRAM,
        report=REPORTS if request.collect else REPORTS | mq.MQRO_ACTIVITY,
        reply_to=reply_to,
        persistent=request.persistent,
        expiry=EXPIRY_SECONDS,
        **fields,
    )


def _activities(message: Message, known: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield the activities of a report or a reply with their place on the route."""
    body, described = message.body or b"", message.descriptor
    if described.format == mq.MQFMT_EMBEDDED_PCF:
        for activity in _groups(_pcf_of(message), mq.MQGACF_ACTIVITY):
            counted = next(_groups(activity.parameters, mq.MQGACF_TRACE_ROUTE), None)
            number = known + 1 if counted is None else TraceRoute.of_group(counted).recorded
            yield number, _operations(activity)
        return
    traced = read_trace_route(body, described.replace(msg_type=mq.MQMT_DATAGRAM))
    collected = () if traced is None else _groups(traced.others, mq.MQGACF_ACTIVITY)
    yield from ((number, _operations(each)) for number, each in enumerate(collected, 1))


def _pcf_of(message: Message) -> tuple[Parameter, ...]:
    try:
        described = message.descriptor
        return unpack_embedded(message.body or b"", described.encoding, described.ccsid).pcf.parameters
    except MQError:
        return ()  # another program's message with the same correlation id


def _operations(activity: Group) -> list[dict[str, Any]]:
    """Return what was done, with the facts that are known of it."""
    found = []
    for group in _groups(activity.parameters, mq.MQGACF_OPERATION):
        values: dict[int, Any] = {
            each.id: getattr(each, "value", None) for each in group.parameters if not isinstance(each, Group)
        }
        kind = values.get(mq.MQIACF_OPERATION_TYPE, 0)
        facts: dict[str, Any] = {"operation": OPERATIONS.get(kind, f"operation {kind}")}
        for key, id in FACTS.items():
            if id in values:
                value = values[id]
                facts[key] = value.rstrip(" \0") if isinstance(value, str) else value
        found.append(facts)
    return found


def _groups(parameters: Iterable[Parameter], id: int) -> Iterator[Group]:
    return (each for each in parameters if isinstance(each, Group) and each.id == id)


def _is_end(message: Message, operations: list[dict[str, Any]]) -> bool:
    """Return whether nothing else will come."""
    if message.descriptor.msg_type == mq.MQMT_REPLY:
        return True
    return any(
        each["operation"] == "discard" or (each["operation"] == "put" and "remote_qmgr" not in each)
        for each in operations
    )
