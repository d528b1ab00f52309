"""MQPUT and MQPUT1 in full: options, descriptor rules, context, groups, remote queues.

`put` turns an application's request into messages and hands them to the core. The order of the
checks follows MQ: handle, inhibited path, options and descriptor, length, depth, unit of work.
Nothing is changed before every check has passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.limits import OBJECT_NAME_LENGTH
from penstock.model.message import NO_ID, Message, Receipt, plain_message
from penstock.model.onward import HEADER_BYTES_MAX, HOPS_MAX, Onward, header_bytes, shown
from penstock.qmgr.clusters.cluster_names import COMMAND, forbidden
from penstock.qmgr.clusters.record import QUEUE
from penstock.qmgr.groups.logical_order import LogicalPut, check_physical, split
from penstock.qmgr.messages.new_message import build
from penstock.qmgr.messages.reports import confirms_arrival
from penstock.qmgr.monitoring import activities
from penstock.qmgr.sharing import intra_group

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.qmgr.connections import Connection, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

CONTEXT = (
    mq.MQPMO_NO_CONTEXT
    | mq.MQPMO_DEFAULT_CONTEXT
    | mq.MQPMO_PASS_IDENTITY_CONTEXT
    | mq.MQPMO_PASS_ALL_CONTEXT
    | mq.MQPMO_SET_IDENTITY_CONTEXT
    | mq.MQPMO_SET_ALL_CONTEXT
)
# A put option, the open options of which one is required, and the reason code without it.
CONTEXT_NEEDS = (
    (mq.MQPMO_PASS_ALL_CONTEXT, mq.MQOO_PASS_ALL_CONTEXT, mq.MQRC_NOT_OPEN_FOR_PASS_ALL),
    (
        mq.MQPMO_PASS_IDENTITY_CONTEXT,
        mq.MQOO_PASS_IDENTITY_CONTEXT | mq.MQOO_PASS_ALL_CONTEXT,
        mq.MQRC_NOT_OPEN_FOR_PASS_IDENT,
    ),
    (mq.MQPMO_SET_ALL_CONTEXT, mq.MQOO_SET_ALL_CONTEXT, mq.MQRC_NOT_OPEN_FOR_SET_ALL),
    (
        mq.MQPMO_SET_IDENTITY_CONTEXT,
        mq.MQOO_SET_IDENTITY_CONTEXT | mq.MQOO_SET_ALL_CONTEXT,
        mq.MQRC_NOT_OPEN_FOR_SET_IDENT,
    ),
)
KNOWN = (
    CONTEXT
    | mq.MQPMO_SYNCPOINT
    | mq.MQPMO_NO_SYNCPOINT
    | mq.MQPMO_NEW_MSG_ID
    | mq.MQPMO_NEW_CORREL_ID
    | mq.MQPMO_LOGICAL_ORDER
    | mq.MQPMO_ALTERNATE_USER_AUTHORITY
    | mq.MQPMO_FAIL_IF_QUIESCING
    | mq.MQPMO_ASYNC_RESPONSE
    | mq.MQPMO_SYNC_RESPONSE
    | mq.MQPMO_RESOLVE_LOCAL_Q
    | mq.MQPMO_WARN_IF_NO_SUBS_MATCHED
    | mq.MQPMO_RETAIN
    | mq.MQPMO_MD_FOR_OUTPUT_ONLY
    | mq.MQPMO_SCOPE_QMGR
    | mq.MQPMO_SUPPRESS_REPLYTO
    | mq.MQPMO_NOT_OWN_SUBS
)


@dataclass(slots=True)
class PutRequest:
    """The request of one put; None means MQ's default."""

    body: bytes
    options: int = 0
    msg_id: bytes | None = None
    correl_id: bytes | None = None
    persistent: bool | None = None
    priority: int | None = None
    expiry: float | None = None
    fields: dict[str, Any] = field(default_factory=dict)  # other Descriptor fields
    properties: Mapping[str, Any] | None = None
    put_time: float | None = None  # only with MQPMO_SET_ALL_CONTEXT
    level: int = 9  # of a publication
    context_from: Handle | None = None


def put(engine: Engine, handle: Handle, request: PutRequest, unit: UnitOfWork | None, now: float) -> Receipt:
    """Put a message to an open object."""
    handle.check()
    if not handle.has(mq.MQOO_OUTPUT):
        raise error(mq.MQRC_NOT_OPEN_FOR_OUTPUT, f"{handle.name} is not open for output", object=handle.name)
    if handle.queue is not None and handle.queue.deleted:
        raise error(mq.MQRC_Q_DELETED, f"queue {handle.name} was deleted", object=handle.name)
    route = handle.route
    if route is None:
        raise error(mq.MQRC_NOT_OPEN_FOR_OUTPUT, f"{handle.name} is not a queue", object=handle.name)
    if not route.is_current():
        route = handle.route = engine.reroute(handle)
    return put_to(engine, handle.connection, route, request, unit, now, handle)


def put_to(
    engine: Engine,
    connection: Connection,
    route: Route,
    request: PutRequest,
    unit: UnitOfWork | None,
    now: float,
    handle: Handle | None = None,
) -> Receipt:
    """Put a message along a resolved route (MQPUT1 when there is no handle)."""
    if route.queue is not None and route.queue.name == COMMAND:
        raise forbidden("here")
    _check_inhibited(engine, connection, route, now, handle is None)
    _check_options(request.options, handle)
    message, warning = build(engine, connection, route, request, now)
    if route.topic is not None:
        topic = handle.topic if handle is not None else ""
        topic = topic or str(route.topic.attributes["TOPICSTR"])
        engine.pubsub.evaluate_first(topic, message, request.level, now)
        published = engine.pubsub.publish(
            connection, topic, message, request.options, unit, now, request.level, may_come_again=True
        )
        warning = published or warning
        if handle is not None:
            handle.extra["published"] = handle.extra.get("published", 0) + 1
            handle.extra["published_at"] = now
        return Receipt(message, warning, route.resolved_queue, route.resolved_qmgr)
    warning = _check_group(engine, handle, request, message, unit) or warning
    if route.choice is not None:
        route = engine.clusters.workload.for_put(handle, route, message)
    queue = route.first.name if route.first is not None else route.resolved_queue
    if message.reports and not activities.comes_to(engine, message, route, queue, unit, now):
        return Receipt(message, warning, route.resolved_queue, route.resolved_qmgr)
    try:
        _put_parts(engine, route, _parts(engine, route, message), unit, now)
    except MQError:
        if handle is not None and handle.logical_put is not None:
            handle.logical_put.undo()
        raise
    return Receipt(message, warning, route.resolved_queue, route.resolved_qmgr)


def _put_parts(
    engine: Engine, route: Route, parts: list[Message], unit: UnitOfWork | None, now: float
) -> None:
    """Put what belongs together: segments of one message, and the report on their arrival.

    All of them or none: several messages are put in a unit of work.
    """
    queue = route.queue
    assert queue is not None
    if len(parts) > 1:
        _check_room(engine, queue, len(parts), unit)
    confirmed = any(confirms_arrival(part) for part in parts) and not route.remote
    own = None
    if unit is None and (len(parts) > 1 or (confirmed and parts[0].persistent)):
        unit = own = engine.new_unit(None, now)
    try:
        engine.effects.moment = now
        for part in parts:
            engine.put_message(route, part, unit, now)
            if confirmed:
                engine.effects.report(part, "COA", unit, now)
    except MQError:
        if own is not None:
            engine.backout(own, now)
        raise
    finally:
        engine.effects.moment = 0.0
    queue.last_put = now
    if own is not None:
        engine.commit(own, now)


def _check_room(engine: Engine, queue: Queue, count: int, unit: UnitOfWork | None) -> None:
    if queue.depth + count > queue.depth_max:
        engine.effects.queue_full(queue, queue.last_put)
        raise error(mq.MQRC_Q_FULL, f"queue {queue.name} has no room for {count} segments", queue=queue.name)
    if queue.stream is not None:
        engine.effects.check_stream_room(queue, count)
    if unit is not None and unit.count + count > engine.uncommitted_max:
        raise error(mq.MQRC_SYNCPOINT_LIMIT_REACHED, f"MAXUMSGS is {engine.uncommitted_max}")


def _check_inhibited(engine: Engine, connection: Connection, route: Route, now: float, may_ask: bool) -> None:
    inhibited = route.put_inhibited_by()
    if inhibited is not None:
        if may_ask:
            engine.clusters.interest.await_answer((QUEUE, inhibited))
        engine.effects.put_inhibited(inhibited, now, connection)
        raise error(mq.MQRC_PUT_INHIBITED, f"{inhibited} is PUT(DISABLED)", object=inhibited)


def _check_options(options: int, handle: Handle | None) -> None:
    if options & ~KNOWN:
        raise error(mq.MQRC_OPTIONS_ERROR, f"unknown put options {options & ~KNOWN:#x}")
    if options & mq.MQPMO_SYNCPOINT and options & mq.MQPMO_NO_SYNCPOINT:
        raise error(mq.MQRC_OPTIONS_ERROR, "SYNCPOINT and NO_SYNCPOINT exclude each other")
    if (options & CONTEXT).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one context option may be given")
    if options & mq.MQPMO_ASYNC_RESPONSE and options & mq.MQPMO_SYNC_RESPONSE:
        raise error(mq.MQRC_OPTIONS_ERROR, "ASYNC_RESPONSE and SYNC_RESPONSE exclude each other")
    if options & mq.MQPMO_LOGICAL_ORDER and handle is None:
        raise error(mq.MQRC_OPTIONS_ERROR, "LOGICAL_ORDER needs an open handle")
    if handle is not None:
        _check_context_options(options, handle)


def _check_context_options(options: int, handle: Handle) -> None:
    for option, opened, reason in CONTEXT_NEEDS:
        if options & option and not handle.options & opened:
            raise error(reason, f"{handle.name} was not opened with the matching context option")


def _check_group(
    engine: Engine, handle: Handle | None, request: PutRequest, message: Message, unit: UnitOfWork | None
) -> int:
    """Give the message its place in a group; return a warning reason or 0."""
    if request.options & mq.MQPMO_LOGICAL_ORDER and handle is not None:
        if handle.logical_put is None:
            handle.logical_put = LogicalPut(engine.ids.next)
        handle.logical_put.apply(message, unit)
        return 0
    if message.descriptor.flags or message.descriptor.group_id != NO_ID:
        check_physical(message, engine.ids.next)
    if handle is not None and handle.logical_put is not None:
        return handle.logical_put.interrupt(message, unit)
    return 0


def _parts(engine: Engine, route: Route, message: Message) -> list[Message]:
    queue = route.local_queue()
    limit = min(queue.length_max, engine.length_max)
    if message.length > limit and message.descriptor.flags & mq.MQMF_SEGMENTATION_ALLOWED:
        return split(message, limit, engine.ids.next)
    return [message]


def for_transmission(engine: Engine, route: Route, message: Message, now: float, hops: int = 0) -> Message:
    """Return a message as a transmission queue holds it: with an onward part and a new descriptor.

    `hops` is the number of queue managers that have forwarded it. Raises 2030 or 2031 when the message and
    the header that programs see in front of it are too long, 2026 when a text does not fit that header, and
    8070 when too many have forwarded it.
    """
    queue = route.queue
    if queue is not None and not queue.inputs and not route.channel and not route.member:
        engine.effects.sent_away(queue, route.resolved_qmgr)
    if hops > HOPS_MAX:
        raise error(mq.PSRC_TOO_MANY_HOPS, f"{hops} queue managers have forwarded the message", hops=hops)
    own = message.descriptor
    onward = Onward(route.resolved_queue, route.resolved_qmgr, own, message.correl_id, message.put_time, hops)
    outer_correl_id = message.msg_id
    if route.channel:
        onward.msg_id, onward.bind = message.msg_id, route.bind
        outer_correl_id = route.key
    elif route.member:
        onward.msg_id, outer_correl_id = message.msg_id, intra_group.key_of(route.member)
    descriptor = engine.effects.outer_descriptor(own)
    outer = plain_message(
        message.body or b"",
        engine.ids.next(),
        outer_correl_id,
        message.persistent,
        message.priority,
        now,
        descriptor,
    )
    outer.expires_at = message.expires_at
    outer.properties = message.properties
    outer.reports = descriptor.report != 0
    outer.onward = onward
    _check_header(engine, queue, outer, onward)
    return outer


def _check_header(engine: Engine, queue: Queue | None, message: Message, onward: Onward) -> None:
    """Raise what would keep a program from reading the message with its header."""
    for name in (onward.queue, onward.qmgr):
        if len(name) > OBJECT_NAME_LENGTH or not name.isascii():
            shown(message)
    most = message.length + HEADER_BYTES_MAX
    if most <= engine.length_max and (queue is None or most <= queue.length_max):
        return
    length = message.length + header_bytes(onward)
    if queue is not None and length > queue.length_max:
        detail = f"{length} bytes with MQXQH, MAXMSGL of queue {queue.name} is {queue.length_max}"
        raise error(mq.MQRC_MSG_TOO_BIG_FOR_Q, detail, queue=queue.name)
    if length > engine.length_max:
        raise error(
            mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR,
            f"{length} bytes with MQXQH, MAXMSGL of {engine.name} is {engine.length_max}",
        )
