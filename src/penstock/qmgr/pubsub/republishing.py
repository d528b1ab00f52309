"""Publications between queue managers, and publications that wait: what a copy carries, and how it arrives.

A copy for another queue manager has its path (a fingerprint of each queue manager that it has passed), the
clusters that it has been distributed in, and whether it is retained. One that arrives is republished in the
unit of its channel, never to where it came from, and never in a cluster a second time. One that finds its
own fingerprint in its path raises 2541. What the queue manager publishes itself (for streams, channels,
batches) waits on SYSTEM.INTER.QMGR.PUBS too when selectors take long: no caller is there that could have
them evaluated and come again. `SystemReader` republishes it. Called by `publication_forms`,
`channels.delivery`, `streaming`. Compiled through `republishing.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.pubsub.cluster_links import HOST_KEY
from penstock.qmgr.pubsub.relation import FINGERPRINT_BYTES, MEMBER, PUBS, fingerprint
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.pubsub.neighbours import Neighbours
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_settings import TopicSettings
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

# Properties of publications between queue managers.
PATH, RETAIN, CLUSTERS = "PSKPath", "PSKRetain", "PSKClusters"
STREAMED = "PSKStreamed"  # of a publication that waits: a copy for a stream, which is not streamed again
NEW, KEPT = 1, 2  # values of RETAIN: just published, or the answer to a new proxy
HOPS_MAX = 64
UNIT_COPIES_MAX = 10_000  # in a channel's unit: further publications wait on their queue


class Republisher:
    """What leaves this queue manager, and what arrives."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._engine = neighbours.engine
        self.retaining = False  # the publication that is being made is retained
        self.origin = b""  # of the publication that is being republished
        self._path = b""
        self._served: frozenset[str] = frozenset()  # clusters that it was distributed in
        self._evaluates = False  # selectors first, if they take long

    def state(self) -> tuple[bool, bytes, bytes, frozenset[str]]:
        """Return what copies of the publication that is being made carry, for `become`."""
        return self.retaining, self.origin, self._path, self._served

    def become(self, state: tuple[bool, bytes, bytes, frozenset[str]]) -> None:
        """Go on with a publication that takes several steps, or with what came between."""
        self.retaining, self.origin, self._path, self._served = state

    def leave(self, copy: Message, subscription: Subscription, settings: TopicSettings) -> None:
        """Prepare a copy for its way; the host of a topic has still to distribute it in its cluster.

        Plain publications made here on one topic share their properties, so their copies do too.
        """
        given, sent = copy.properties, subscription.sent
        if (
            sent is not None
            and sent[0] is given
            and sent[1] is settings
            and not (self._path or self.retaining)
        ):
            copy.properties = sent[2]
            return
        properties = dict(given or {})
        properties[PATH] = self._path + fingerprint(self._neighbours.qmid)
        served = self._served
        if settings.cluster_topic and not subscription.neighbour.startswith(HOST_KEY):
            served |= {settings.values["CLUSTER"]}
        if served:
            properties[CLUSTERS] = " ".join(sorted(served))
        if properties.pop("MQIsRetained", False):
            properties[RETAIN] = KEPT
        elif self.retaining:
            properties[RETAIN] = NEW
        elif not self._path:
            subscription.sent = given, settings, properties
        copy.properties = properties

    def takes(self) -> bool:
        """Return whether an arriving publication is for here; otherwise it is put as any message."""
        return self._neighbours.running and self._engine.pubsub.publisher.enabled

    def arrived(self, message: Message, unit: UnitOfWork | None, now: float) -> None:
        """Republish what a channel has brought, in its unit: at once, or later if others must not wait."""
        topic = (message.properties or {}).get("MQTopicString")
        full = unit is not None and len(unit.puts) >= UNIT_COPIES_MAX
        if full or self._is_behind() or (isinstance(topic, str) and self._asks_long(topic, message, now)):
            self._engine.place(self.waiting_room(), message, unit)
        else:
            self.republish(message, unit, now)

    def publish_own(
        self, topic: str, message: Message, unit: UnitOfWork | None, now: float, *, streamed: bool = False
    ) -> None:
        """Publish for the queue manager itself: at once, or later if selectors take long."""
        if unit is not None:
            self._engine._check_unit(unit)
        if self.must_wait(self._engine.pubsub.node_for(topic, now), message):
            waiting = self.marked(message, topic, streamed=streamed)
            self._engine.place(self.waiting_room(), waiting, unit)
            return
        effects = self._engine.effects
        before, effects.publishing_copy = effects.publishing_copy, streamed or effects.publishing_copy
        try:
            self._engine.pubsub.publish(None, topic, message, 0, unit, now)
        finally:
            effects.publishing_copy = before

    def must_wait(self, node: TopicNode, message: Message) -> bool:
        """Return whether a publication of the queue manager itself waits, for selectors or behind another."""
        publisher = self._engine.pubsub.publisher
        if publisher.evaluations is None or not self._neighbours.running:
            return False
        return self._is_behind() or publisher.asks_long(node, message)

    def marked(
        self, message: Message, topic: str, *, retain: bool = False, streamed: bool = False
    ) -> Message:
        """Give a publication that will wait what `republish` needs to know, and return it."""
        properties = dict(message.properties or {})
        for name in (PATH, RETAIN, CLUSTERS, STREAMED, "MQPubLevel"):
            properties.pop(name, None)
        properties["MQTopicString"] = topic
        if retain:
            properties[RETAIN] = NEW
        if streamed:
            properties[STREAMED] = True
        message.properties = properties
        return message

    def waiting_room(self) -> Queue:
        """Return the queue of publications that wait; 2051, 2053 or 2085 if it takes none."""
        queue = self._engine.queues.get(PUBS)
        if queue is None:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"there is no queue {PUBS}", object=PUBS)
        if not queue.put_enabled or queue.depth >= queue.depth_max:
            reason = mq.MQRC_Q_FULL if queue.put_enabled else mq.MQRC_PUT_INHIBITED
            raise error(reason, f"{PUBS} takes no publications that must wait", queue=PUBS)
        return queue

    def _is_behind(self) -> bool:
        """Return whether publications wait: others must not overtake them."""
        queue = self._engine.queues.get(PUBS)
        return (queue is not None and queue.depth > 0) or self._neighbours.publications.is_busy

    def _asks_long(self, topic: str, message: Message, now: float) -> bool:
        pubsub = self._engine.pubsub
        if pubsub.publisher.evaluations is None:
            return False
        return pubsub.publisher.asks_long(pubsub.tree.ready(topic, now), message)

    def publish_waiting(self, message: Message, unit: UnitOfWork | None, now: float) -> None:
        """Republish what has waited; MustEvaluate, with nothing changed, if selectors come first."""
        effects = self._engine.effects
        before, effects.publishing_copy = effects.publishing_copy, STREAMED in (message.properties or {})
        self._evaluates = True
        try:
            self.republish(message.snapshot(), unit, now)
        finally:
            effects.publishing_copy, self._evaluates = before, False

    def republish(self, message: Message, unit: UnitOfWork | None, now: float) -> None:
        """Publish here what another queue manager has sent; 2541 if it has been here before."""
        properties = dict(message.properties or {})
        properties.pop(STREAMED, None)
        path, topic = properties.pop(PATH, b""), properties.pop("MQTopicString", "")
        level, retained = properties.pop("MQPubLevel", LEVEL_MAX), properties.pop(RETAIN, 0)
        served = properties.pop(CLUSTERS, "")
        if (
            not isinstance(path, bytes)
            or not isinstance(topic, str)
            or not topic
            or not isinstance(level, int)
            or not isinstance(served, str)
        ):
            raise error(mq.MQRC_PUBLICATION_FAILURE, "it is no publication of another queue manager")
        marks = [path[at : at + FINGERPRINT_BYTES] for at in range(0, len(path), FINGERPRINT_BYTES)]
        if fingerprint(self._neighbours.qmid) in marks or len(marks) > HOPS_MAX:
            raise error(
                mq.MQRC_LOOPING_PUBLICATION, f"a publication on {topic} came back: its path is a loop"
            )
        message.properties = properties or None
        if self._evaluates:
            self._engine.pubsub.evaluate_first(topic, message.snapshot(), level, now)
        if retained and self._is_known(topic, message, retained, now):
            return
        self._path, self._served = path, frozenset(served.split())
        self.origin = marks[-1] if marks else b""
        options = mq.MQPMO_RETAIN if retained else 0

        def skips(each: Subscription) -> bool:
            return each.proxy and self._has_had(each, marks, topic)

        try:
            self._engine.pubsub.publish(
                None, topic, message, options, unit, now, level, skips, may_come_again=self._evaluates
            )
        except MQError as failure:
            if failure.reason == mq.MQRC_PUT_INHIBITED:  # the topic's: waiting would hold up the channel
                raise error(mq.MQRC_PUBLICATION_FAILURE, failure.detail) from failure
            raise
        finally:
            self._path, self._served, self.origin = b"", frozenset(), b""

    def _has_had(self, proxy: Subscription, marks: list[bytes], topic: str) -> bool:
        """Return whether the queue manager of a proxy has had a publication that arrived here."""
        cluster = str(self._engine.pubsub.tree.settings_at(topic).values["CLUSTER"])
        if proxy.neighbour.startswith(HOST_KEY):
            return cluster in self._served
        relation = self._neighbours.find(proxy.neighbour)
        if relation is None:
            return True
        if relation.kind == MEMBER:
            return cluster in self._served or relation.mark in marks
        return relation.mark == self.origin

    def _is_known(self, topic: str, message: Message, retained: object, now: float) -> bool:
        """Return whether a retained publication is here already, or the answer to a proxy is an older one."""
        held = self._engine.pubsub.tree.node(topic, now).retained
        if held is None:
            return False
        return held.msg_id == message.msg_id or (retained == KEPT and held.put_time >= message.put_time)
