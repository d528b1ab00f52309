"""Streaming queues: a message that is put to a queue with STREAMQ is also put to its stream queue.

The copy has the message's ids, persistence, priority, context and properties; it does not expire (unless
CAPEXPRY of the stream queue says so) and asks for no reports. STRMQOS(BESTEF): the message is put although
its copy cannot be. STRMQOS(MUSTDUP): both or neither. Messages and copies go in one unit of work, so a crash
leaves both or neither. The core calls `check` and `enqueue` for queues that have a stream; a copy is never
streamed again. Who may be a stream of whom is in `stream_rules`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.message import NEVER, Message
from penstock.qmgr.batches import batch_publishing
from penstock.qmgr.messages.new_message import expiry_cap
from penstock.qmgr.names.name_resolution import Route, resolve
from penstock.qmgr.pubsub.publishing import refusal
from penstock.qmgr.putting import for_transmission
from penstock.qmgr.states import UNCOMMITTED

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

REPORTS = (
    mq.MQRO_EXCEPTION_WITH_FULL_DATA
    | mq.MQRO_EXPIRATION_WITH_FULL_DATA
    | mq.MQRO_COA_WITH_FULL_DATA
    | mq.MQRO_COD_WITH_FULL_DATA
    | mq.MQRO_ACTIVITY
)


class Stream:
    """Where copies of a queue's messages go, and whether they must."""

    __slots__ = ("_route", "must", "name")

    def __init__(self, name: str, must: bool) -> None:
        self.name = name
        self.must = must
        self._route: Route | None = None

    def route(self, engine: Engine) -> Route:
        """Return the current route to the stream queue, or raise what prevents a put to it."""
        if self._route is None or not self._route.is_current():
            self._route = resolve(engine, self.name)
        inhibited = self._route.put_inhibited_by()
        if inhibited is not None:
            raise error(mq.MQRC_PUT_INHIBITED, f"stream queue {inhibited} is PUT(DISABLED)", object=inhibited)
        if self._route.queue is None and self._route.topic is None:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"stream queue {self.name} is not a local queue",
                object=self.name,
            )
        return self._route


IN_FACILITY = Stream("", False)  # of shared queues without a stream: puts leave the short way


def stream_of(definition: Definition) -> Stream | None:
    """Return the stream of a queue's definition."""
    name = str(definition.attributes.get("STREAMQ", ""))
    return Stream(name, definition.attributes.get("STRMQOS") == "MUSTDUP") if name else None


def check(engine: Engine, queue: Queue, message: Message) -> None:
    """Raise what keeps the copy of a message from a stream that must have it; change nothing."""
    stream: Stream = queue.stream
    if stream.must:
        _prepared(engine, stream, message, engine.effects.now_at(message))


def check_room(engine: Engine, queue: Queue, count: int) -> None:
    """Raise 2053 if a stream queue that must get a copy of each message has no room for them."""
    stream: Stream = queue.stream
    target = stream.route(engine).queue if stream.must else None
    if target is not None and target.depth + count > target.depth_max:
        engine.effects.queue_full(target, target.last_put)
        raise error(
            mq.MQRC_Q_FULL, f"stream queue {target.name} has no room for {count} copies", queue=target.name
        )


def enqueue(engine: Engine, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
    """Accept a message and its copy: both are visible now, when on disk, or at commit."""
    now = engine.effects.now_at(message)
    stream: Stream = queue.stream
    try:
        route, copy = _prepared(engine, stream, message, now)
    except MQError:
        if stream.must:
            raise  # `check` was not called, or a definition has changed since
        place(engine, queue, message, unit)
        return
    alone = unit is None and (message.persistent or queue.shared is not None)
    own = engine.new_unit(None, now) if alone else None
    within = own or unit
    counted = 0 if within is None else within.count + 1
    try:
        if route.topic is not None:
            _publish(engine, stream, route, copy, within, now)
    except MQError:
        if own is not None:
            engine.backout(own, now)
        raise
    place(engine, queue, message, within)
    if route.queue is not None:
        place(engine, route.queue, copy, within)
    if within is not None:
        within.count = counted  # MAXUMSGS does not count copies
    if own is not None:
        engine.commit(own, now)


def copies(engine: Engine, stream: Stream, message: Message, now: float) -> list[tuple[Queue, Message]]:
    """Return the copies of a batch's output, each with its queue: one, or one for each subscriber.

    Raises what forbids them, but for 2053.
    """
    route = stream.route(engine)
    copy = copy_of(message, route, now)
    if route.queue is None:
        return batch_publishing.copies(
            engine, batch_publishing.TOPIC + _topic_of(route), _own(engine, copy), now
        )
    route = engine.clusters.workload.settled(route, copy)
    assert route.queue is not None
    if route.remote:
        copy = for_transmission(engine, route, copy, now)
    reason = refusal(route.queue, copy)
    if reason not in (0, mq.MQRC_Q_FULL):
        raise error(reason, f"stream queue {route.queue.name} does not take a copy", queue=route.queue.name)
    if copy.persistent and route.queue.temporary:
        raise error(
            mq.MQRC_PERSISTENT_NOT_ALLOWED,
            f"stream queue {route.queue.name} is temporary",
            queue=route.queue.name,
        )
    copy.state = UNCOMMITTED
    return [(route.queue, copy)]


def _prepared(engine: Engine, stream: Stream, message: Message, now: float) -> tuple[Route, Message]:
    """Return the route and the copy that goes along it; raise what forbids it."""
    route = stream.route(engine)
    copy = copy_of(message, route, now)
    if route.queue is None:
        _check_topic(engine, route, copy, now)
        return route, copy
    route = engine.clusters.workload.settled(route, copy)
    assert route.queue is not None
    if route.remote:
        copy = for_transmission(engine, route, copy, now)
    engine.check_queue(route.queue, copy)
    return route, copy


def copy_of(message: Message, route: Route, now: float) -> Message:
    """Return the copy of a message for the stream at the end of a route."""
    caps = [cap for cap in map(expiry_cap, route.path) if cap is not None]
    descriptor = message.descriptor
    if descriptor.report & REPORTS:
        descriptor = descriptor.replace(report=descriptor.report & ~REPORTS)
    return Message(
        message.body,
        message.msg_id,
        message.correl_id,
        message.persistent,
        message.priority,
        message.put_time,
        now + min(caps) if caps else NEVER,
        descriptor,
        message.properties,
    )


def _topic_of(route: Route) -> str:
    assert route.topic is not None
    return str(route.topic.attributes["TOPICSTR"])


def _check_topic(engine: Engine, route: Route, copy: Message, now: float) -> None:
    """Raise 2051 or 2502 if a topic will not accept a copy, as far as can be known before the put."""
    topic = _topic_of(route)
    node = engine.pubsub.node_for(topic, now)
    rule = node.settings.values["PMSGDLV" if copy.persistent else "NPMSGDLV"]
    for subscription in node.targets if rule != "ALLAVAIL" else ():
        queue = subscription.queue
        reason = refusal(queue, copy) if queue is not None else 0
        if reason and (rule == "ALL" or subscription.durable):
            detail = f"subscription {subscription.name} could not take the copy (reason {reason})"
            raise error(mq.MQRC_PUBLICATION_FAILURE, detail, topic=topic)


def _own(engine: Engine, copy: Message) -> Message:
    """Make a copy a publication of the queue manager: with a message id of its own."""
    copy.msg_id = engine.ids.next()
    name = engine.name[:APPLICATION_NAME_LENGTH]
    copy.descriptor = copy.descriptor.replace(put_appl_type=mq.MQAT_QMGR, put_appl_name=name)
    return copy


def _publish(
    engine: Engine, stream: Stream, route: Route, copy: Message, unit: UnitOfWork | None, now: float
) -> None:
    republisher = engine.pubsub.neighbours.republisher
    try:
        republisher.publish_own(_topic_of(route), _own(engine, copy), unit, now, streamed=True)
    except MQError:
        if stream.must:
            raise


def place(engine: Engine, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
    """Accept a message on a private or shared queue, and no copy."""
    if queue.shared is None:
        engine.place(queue, message, unit)
    else:
        queue.shared.put(queue, message, unit)
