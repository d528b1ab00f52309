"""The last step of a message channel: a message that arrived is put where it goes.

The destination is resolved as an MQOPEN with both names would: a queue here, or the next transmission queue
(multi-hop). All context is the original's. `Delivery` specifies with whose authority messages are put, and
whether the dead-letter queue may be used. What cannot be put goes there in the same unit; an exception report
is sent when the message asks for one. Called by room `channel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import authorization
from penstock.qmgr.clusters import sender_proof
from penstock.qmgr.clusters.cluster_names import COMMAND
from penstock.qmgr.messages import dead_letters, reports
from penstock.qmgr.monitoring import activities
from penstock.qmgr.names.dependencies import SECURITY
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.pubsub.neighbours import CONTROL, PUBS

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.model.onward import Onward
    from penstock.qmgr.authorization import Permissions
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

# Reasons that may pass: the receiving end waits (MRRTY, MRTMR) before it stops trying a message.
PASSING = frozenset(
    (
        mq.MQRC_PUT_INHIBITED,
        mq.MQRC_Q_FULL,
        mq.MQRC_Q_SPACE_NOT_AVAILABLE,
        mq.MQRC_OBJECT_IN_USE,
        mq.MQRC_CLUSTER_RESOLUTION_ERROR,
    )
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a channel puts what arrives; without permissions it may put everywhere."""

    permissions: Permissions | None = None  # of the user that the channel runs as
    by_context: bool = False  # PUTAUT(CTX): the user that the message names counts instead
    uses_dead_letters: bool = True  # USEDLQ
    channel: str = ""  # its name, for dead letters
    clusters: tuple[str, ...] = ()  # of a CLUSRCVR: messages of its partner may be for the repository
    kind: str = "RCVR"  # its type


EVERYWHERE = Delivery()
SPECIAL = (PUBS, COMMAND, CONTROL)  # queues whose messages are not simply put
DESTINATIONS_KEPT = 1000


def give_up(
    engine: Engine,
    onward: Onward,
    message: Message,
    failure: MQError,
    unit: UnitOfWork | None,
    now: float,
    how: Delivery = EVERYWHERE,
) -> str:
    """Handle a message that cannot be put (report, dead letter, discard), and return what was done.

    Raises the reason when the dead-letter queue does not take it, or must not be used.
    """
    name = f"message {message.msg_id.hex().upper()} for queue {onward.queue} at {onward.qmgr or engine.name}"
    engine.effects.exception(message, failure.reason, unit, now)
    discarded = reports.discards(message)
    if message.reports and activities.are_recorded(message):
        activities.given_up(engine, message, onward.queue, failure.reason, discarded, unit, now)
    if discarded:
        return f"{name} was discarded as it asks for: {failure}"
    if not how.uses_dead_letters or not dead_letters.send(
        engine, message, failure.reason, onward.queue, onward.qmgr, unit, now, how.channel
    ):
        why = "no dead-letter queue takes it" if how.uses_dead_letters else "USEDLQ is NO"
        raise error(failure.reason, f"{name} cannot be put: {failure.detail}; {why}")
    return f"{name} is on the dead-letter queue: {failure}"


class Destinations:
    """Where messages of a channel go, and that they may: looked up again when either changes."""

    def __init__(self, engine: Engine, how: Delivery = EVERYWHERE) -> None:
        self._engine = engine
        self._how = how
        self._known: dict[tuple[str, str], Route] = {}
        self._security = engine.dependencies.on(SECURITY)
        self._changes = engine.dependencies.changes
        self._last: Onward | None = None  # what `plain_queue` was asked for, and its answer
        self._last_queue: Queue | None = None
        self.partner = ""  # QMID of the sending queue manager
        self.partner_name = ""

    @property
    def passage(self) -> activities.Passage:
        """The channel that messages come by."""
        return activities.Passage(self._how.channel, self._how.kind, self.partner_name)

    def find(self, onward: Onward, message: Message) -> Route:
        """Return the route of a message; the reason why it has none, or may not be put there."""
        dependencies = self._engine.dependencies
        if dependencies.changes != self._changes or len(self._known) > DESTINATIONS_KEPT:
            self._known.clear()
            self._security = dependencies.on(SECURITY)
            self._changes = dependencies.changes
        route = self._known.get((onward.queue, onward.qmgr))
        if route is None:
            route = self._find(onward)
        if self._how.by_context:
            _check_context(self._engine, self._how, route, message)
        return route

    def plain_queue(self, onward: Onward, message: Message) -> Queue | None:
        """Return the queue here that messages for a destination are put to.

        None for topics, instances and hops; and for publications of other queue managers, which are published
        instead, and requests of other queue managers, which are signed.
        """
        if onward is self._last and self._engine.dependencies.changes == self._changes:
            return self._last_queue
        route = self.find(onward, message)
        plain = not route.remote and route.choice is None and route.topic is None
        queue = route.queue if plain else None
        if queue is not None and queue.name in SPECIAL:
            queue = None
        self._last, self._last_queue = onward, queue
        return queue

    def sign(self, onward: Onward, message: Message) -> None:
        """Note on a message for the repository who has sent it.

        2035 if it came by another channel, or by a name that programs may use for the queue.
        """
        if not self._how.clusters or onward.queue != COMMAND:
            channel = self._how.channel
            raise error(
                mq.MQRC_NOT_AUTHORIZED,
                f"only repositories put to {COMMAND}, by cluster channels; {onward.queue} came by {channel}",
                object=COMMAND,
            )
        self.sign_control(message)

    def sign_control(self, message: Message) -> None:
        """Note on a message which member has sent it; nothing if it came by another channel."""
        message.properties = None
        if self._how.clusters:
            sender_proof.sign(
                message, sender_proof.Sender(self.partner, self.partner_name, self._how.channel)
            )

    def _find(self, onward: Onward) -> Route:
        route = resolve(self._engine, onward.queue, onward.qmgr)
        if not self._how.by_context:
            _check(self._engine, self._how, route)
        inhibited = route.put_inhibited_by()
        if inhibited is not None:
            raise error(mq.MQRC_PUT_INHIBITED, f"{inhibited} is PUT(DISABLED)", object=inhibited)
        self._known[onward.queue, onward.qmgr] = route
        return route


def put(
    engine: Engine,
    destinations: Destinations,
    onward: Onward,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
) -> None:
    """Put a message to its queue here, or on the way to the next queue manager."""
    route = destinations.find(onward, message)
    if not message.reports or not activities.are_recorded(message):
        _put_along(engine, destinations, route, onward, message, unit, now)
        return
    activity = activities.arrival(engine, message, route, onward.queue, destinations.passage, now)
    if not activity.discards:
        try:
            _put_along(engine, destinations, route, onward, message, unit, now)
        except MQError:
            activity.undo()
            raise
    activity.tell(unit)


def _put_along(
    engine: Engine,
    destinations: Destinations,
    route: Route,
    onward: Onward,
    message: Message,
    unit: UnitOfWork | None,
    now: float,
) -> None:
    if route.queue is not None and not route.remote:
        if route.queue.name == COMMAND:
            destinations.sign(onward, message)
        elif route.queue.name == CONTROL:
            destinations.sign_control(message)
    if route.topic is not None:
        topic = str(route.topic.attributes["TOPICSTR"])
        engine.pubsub.neighbours.republisher.publish_own(topic, message, unit, now)
        return
    if route.queue is not None and route.queue.name == PUBS and not route.remote:
        if engine.pubsub.neighbours.republisher.takes():
            engine.pubsub.neighbours.republisher.arrived(message, unit, now)
            return
    engine.effects.moment = now
    try:
        engine.put_message(route, message, unit, now, onward.hops + 1)
        if message.reports and not route.remote and reports.confirms_arrival(message):
            engine.effects.report(message, "COA", unit, now)
    finally:
        engine.effects.moment = 0.0


def _check(engine: Engine, how: Delivery, route: Route) -> None:
    """Raise 2035 when the channel's user may not put here."""
    permissions = how.permissions
    if permissions is not None:
        why = authorization.queue_refusal(engine, None, permissions, route, ("PUT", "SETALL"))
        _refuse(why, permissions, route)


def _check_context(engine: Engine, how: Delivery, route: Route, message: Message) -> None:
    """Raise 2035 when the user in a message may not put here (PUTAUT(CTX))."""
    permissions = how.permissions
    assert permissions is not None
    whose = permissions.of(message.descriptor.user_id.rstrip(" "))
    why = permissions.refusal(*authorization.QMGR, ("ALTUSR",))
    _refuse(why or authorization.queue_refusal(engine, None, whose, route, ("PUT",)), whose, route)


def _refuse(why: str, whose: Permissions, route: Route) -> None:
    if why:
        raise authorization.refused(why, whose.user, route.first.name if route.first is not None else "")
