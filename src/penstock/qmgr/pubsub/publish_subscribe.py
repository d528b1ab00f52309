"""Publish/subscribe of one engine: the topic tree, the subscriptions, and the verbs upon them.

The face of its neighbours, as `Engine` is the face of the room: it wires `topic_tree`, `publishing`,
`retained`, `subscribing` and the scavenger together and holds no logic of its own. Definitions tell it when
TOPIC and SUB objects change; the host calls the verbs, under the engine lock.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.pubsub import subscribing, subscription_definitions
from penstock.qmgr.pubsub.delivering import Delivery
from penstock.qmgr.pubsub.neighbours import Neighbours
from penstock.qmgr.pubsub.publishing import Publisher
from penstock.qmgr.pubsub.queued_pubsub import QueuedPubSub
from penstock.qmgr.pubsub.retained import Retained
from penstock.qmgr.pubsub.topic_scavenger import Scavenger
from penstock.qmgr.pubsub.topic_settings import BASE_TOPIC
from penstock.qmgr.pubsub.topic_string import parse_pattern
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX, TopicTree

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from penstock.model.message import Message
    from penstock.qmgr.connections import Connection, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.pubsub.stale_retained import StaleRetained
    from penstock.qmgr.pubsub.subscribing import SubscribeRequest
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.unit_of_work import UnitOfWork

EXPIRY_SCAN_SECONDS = 1.0


class PublishSubscribe:
    """The topics and subscriptions of one queue manager."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.tree = TopicTree()
        self.subscriptions: dict[str, Subscription] = {}
        self.selectors: dict[str, Any] = {}  # compiled, or why not; see `content_selection`
        self.publisher = Publisher(engine, self.tree)
        self.retained = Retained(engine, self.tree)
        self.scavenger = Scavenger(self.tree)
        self.queued = QueuedPubSub(engine)
        self.neighbours = Neighbours(engine, self)
        self.left: list[Delivery | StaleRetained] = []  # work that nobody waits for, in steps
        self._started = False
        self._expiring: dict[str, Subscription] = {}
        self._next_scan = 0.0
        self._reads_commands = True

    # -- definitions -----------------------------------------------------------------------

    def complete(self, name: str, attributes: dict[str, Any], now: float) -> dict[str, Any]:
        """Return the attributes of a SUB that is being defined or altered, checked and complete."""
        if name == subscribing.MODEL:
            return attributes
        return subscription_definitions.complete(self.engine, name, attributes, now)

    def release_queue(self, subscription: Subscription, now: float) -> None:
        """A subscription was deleted: its managed queue goes too."""
        subscribing.release_queue(self.engine, subscription, now)

    def installed(self, definition: Definition) -> None:
        """A TOPIC or SUB was defined or altered."""
        if definition.kind == "TOPIC":
            self._topic_changed(definition, False)
        elif definition.name != subscribing.MODEL:
            self._subscription_changed(definition)

    def forgotten(self, definition: Definition) -> None:
        """A TOPIC or SUB was deleted."""
        if definition.kind == "TOPIC":
            self._topic_changed(definition, True)
        else:
            self._drop(definition.name)
            self.queued.forgotten(definition)

    def _topic_changed(self, definition: Definition, gone: bool) -> None:
        text = str(definition.attributes.get("TOPICSTR", ""))
        if not text and definition.name != BASE_TOPIC:
            return  # a model, not a place in the tree
        self.tree.object_changed(definition, text, gone)
        self.neighbours.topics_changed()
        if text and not gone:
            self.tree.node(text, definition.altered)

    def _subscription_changed(self, definition: Definition) -> None:
        before = self.subscriptions.get(definition.name)
        subscription = subscription_definitions.build(self.engine, definition)
        if before is not None:
            subscription.handle, subscription.connection = before.handle, before.connection
            subscription.count, subscription.last_message = before.count, before.last_message
            if before.handle is not None:
                before.handle.subscription = subscription
            self._drop(definition.name)
        self.subscriptions[definition.name] = subscription
        self.tree.add(subscription, definition.altered)
        self.neighbours.subscription_added(subscription)
        if subscription.expires_at:
            self._expiring[definition.name] = subscription

    def _drop(self, name: str) -> None:
        subscription = self.subscriptions.pop(name, None)
        if subscription is not None:
            subscription.removed = True
            self._expiring.pop(name, None)
            self.tree.remove(subscription, subscription.resumed)
            self.neighbours.demand.removed(subscription)

    # -- publishing ------------------------------------------------------------------------

    def publish(
        self,
        connection: Connection | None,
        topic: str,
        message: Message,
        options: int,
        unit: UnitOfWork | None,
        now: float,
        level: int = LEVEL_MAX,
        skips: Callable[[Subscription], bool] | None = None,
        *,
        may_come_again: bool = False,
    ) -> int:
        """Publish a finished message, but to subscriptions that are skipped; return a warning reason or 0.

        See `Publisher.publish` for callers that may come again.
        """
        node = self.node_for(topic, now)
        if not 0 <= level <= LEVEL_MAX:
            raise error(mq.MQRC_OPTIONS_ERROR, f"the level of a publication is 0 to {LEVEL_MAX}, not {level}")
        life = node.settings.life
        if life and (not message.expires_at or message.expires_at > now + life):
            message.expires_at = now + life
        self.neighbours.republisher.retaining = bool(options & mq.MQPMO_RETAIN)
        try:
            matched = self.publisher.publish(
                node, message, level, options, connection, unit, now, skips, may_come_again=may_come_again
            )
        finally:
            self.neighbours.republisher.retaining = False
        return mq.MQRC_NO_SUBS_MATCHED if not matched and options & mq.MQPMO_WARN_IF_NO_SUBS_MATCHED else 0

    def evaluate_first(self, topic: str, message: Message, level: int, now: float) -> None:
        """Raise `MustEvaluate` if selectors are to be evaluated before a message can be published."""
        if self.publisher.evaluations is not None:
            self.publisher.evaluate_first(self.tree.ready(topic, now), message, level)

    def node_for(self, topic: str, now: float) -> TopicNode:
        """Return the node that is published on; 2531 or 2051 if that is not allowed."""
        self.check_enabled()
        node = self.tree.ready(topic, now)
        if not node.settings.pub_enabled:
            raise error(mq.MQRC_PUT_INHIBITED, f"topic {topic} is PUB(DISABLED)", topic=topic)
        return node

    def check_enabled(self) -> None:
        """Raise 2531 when the queue manager is PSMODE(DISABLED)."""
        if not self.publisher.enabled:
            raise error(mq.MQRC_PUBSUB_INHIBITED, "the queue manager is PSMODE(DISABLED)")

    # -- subscribing -----------------------------------------------------------------------

    def subscribe(self, connection: Connection, request: SubscribeRequest, now: float) -> tuple[Handle, bool]:
        """Create, alter or resume a subscription; return its handle and whether it is new."""
        self.check_enabled()
        return subscribing.subscribe(self.engine, connection, request, now)

    def alter(self, handle: Handle, request: SubscribeRequest, now: float) -> None:
        """Alter a subscription that a handle has open."""
        if handle.closed:
            raise error(mq.MQRC_HOBJ_ERROR, "the subscription is closed")
        subscription = handle.subscription
        subscribing.check_authority(self.engine, handle.connection, subscription, "SUB", now, request)
        subscribing.alter(self.engine, subscription, request, now)

    def close(self, handle: Handle, options: int, now: float) -> None:
        """Close a subscription's handle."""
        subscribing.close(self.engine, handle, options, now)

    def deliver_retained(self, handle: Handle, now: float) -> Delivery:
        """Return what gives a subscription that a handle has open all that is retained for it, in steps."""
        return Delivery(self.retained, handle.subscription, handle, now)

    def deliver_to(self, subscription: Subscription, now: float) -> Delivery:
        """Return what gives a subscription that is not open all that is retained for it, in steps."""
        return Delivery(self.retained, subscription, None, now)

    def send_retained(self, subscription: Subscription, now: float, unit: UnitOfWork | None) -> int:
        """Give a subscription its retained publications; -1 if `engine.step.to_load` must be read first.

        2526 if the subscription's queue does not take them and the topic's rules do not allow that.
        """
        nodes = self.retained.matching(subscription.pattern, now)
        unread = self.retained.unread(nodes)
        if unread:
            self.engine.step.load(unread)
            return -1
        try:
            return self.retained.send(subscription, nodes, now, unit)
        except MQError as failure:
            if failure.reason != mq.MQRC_PUBLICATION_FAILURE:
                raise
            raise error(
                mq.MQRC_RETAINED_NOT_DELIVERED, failure.detail, subscription=subscription.name
            ) from failure

    def remove(self, connection: Connection, name: str, now: float) -> None:
        """Remove a subscription by name; 2428 if there is none, 2429 if it is open."""
        subscription = self.subscriptions.get(name)
        if subscription is None:
            raise error(mq.MQRC_NO_SUBSCRIPTION, f"there is no subscription {name}", subscription=name)
        if subscription.handle is not None:
            raise error(mq.MQRC_SUBSCRIPTION_IN_USE, f"subscription {name} is in use", subscription=name)
        subscribing.check_authority(self.engine, connection, subscription, "SUB", now)
        subscribing.remove(self.engine, subscription, now)

    def clear_retained(
        self, text: str, now: float, unit: UnitOfWork | None = None
    ) -> Generator[None, None, int]:
        """Remove the retained publications of a topic string or pattern, in steps; return how many."""
        return self.retained.clear_fitting(parse_pattern(text), now, unit)

    def deliver_left(self, now: float) -> None:
        """Take a step of the first delivery that is left; the host calls it while there is any."""
        delivery = self.left[0]
        with suppress(MQError):  # what the subscription's queue refuses is not delivered
            if not delivery.step(now):
                self.engine.wishes.unread += self.engine.step.take_load() or []
                return
        self.left.remove(delivery)

    # -- time ------------------------------------------------------------------------------

    def switch(self, mode: str) -> None:
        """Take over PSMODE: ENABLED, COMPAT (no command messages) or DISABLED."""
        self.publisher.enabled = mode != "DISABLED"
        self._reads_commands = mode == "ENABLED"
        if not self._reads_commands:
            self.queued.stop()

    def started(self, now: float) -> None:
        """The queue manager has started: find retained publications, and process waiting commands."""
        self.retained.restore(now)
        self._started = True
        self.neighbours.started(now)
        self._read_commands(now)

    def _read_commands(self, now: float) -> None:
        if self._started and self._reads_commands:
            self.queued.start(now)

    def tick(self, now: float) -> None:
        """Remove expired subscriptions; process commands again that could not be done."""
        self._read_commands(now)
        self.neighbours.tick(now, self.publisher.enabled)
        if 0 < self._next_scan - now <= EXPIRY_SCAN_SECONDS or not self._expiring:
            return
        self._next_scan = now + EXPIRY_SCAN_SECONDS
        for subscription in [each for each in self._expiring.values() if each.expires_at <= now]:
            subscribing.remove(self.engine, subscription, now)

    def scavenge(self, now: float) -> bool:
        """Remove some topics unused for TREELIFE seconds; return whether more can be removed at once."""
        life: Any = self.engine.definition.attributes.get("TREELIFE", 0)
        return self.scavenger.sweep(now, float(life))

    def dispose(self) -> None:
        """Drop everything, so that memory is returned."""
        self._started = False
        self.queued.stop()
        self.neighbours.stop()
        self.tree.dispose()
        self.subscriptions.clear()
        self._expiring.clear()
