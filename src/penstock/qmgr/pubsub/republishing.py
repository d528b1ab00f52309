"""Publications between queue managers: what a copy carries on its way, and what happens when it arrives.

A copy for another queue manager has its path (a fingerprint of each queue manager that it has passed), the
clusters that it has been distributed in, and whether it is retained. One that arrives is republished in the
unit of its channel, never to where it came from, and never in a cluster a second time. One that finds its
own fingerprint in its path raises 2541. Called by `publication_forms` and `channels.delivery`. Compiled
through `republishing.pxd`.
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
    from penstock.qmgr.unit_of_work import UnitOfWork

# Properties of publications between queue managers.
PATH, RETAIN, CLUSTERS = "PSKPath", "PSKRetain", "PSKClusters"
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

    def takes(self, unit: UnitOfWork | None) -> bool:
        """Return whether an arriving publication is republished at once, in the unit of its channel."""
        if not self._neighbours.running or not self._engine.pubsub.publisher.enabled:
            return False
        queue = self._engine.queues.get(PUBS)
        waiting = queue is not None and queue.depth > 0  # it must not overtake those
        return not waiting and (unit is None or len(unit.puts) < UNIT_COPIES_MAX)

    def republish(self, message: Message, unit: UnitOfWork | None, now: float) -> None:
        """Publish here what another queue manager has sent; 2541 if it has been here before."""
        properties = dict(message.properties or {})
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
        if retained and self._is_known(topic, message, retained, now):
            return
        self._path, self._served = path, frozenset(served.split())
        self.origin = marks[-1] if marks else b""
        options = mq.MQPMO_RETAIN if retained else 0

        def skips(each: Subscription) -> bool:
            return each.proxy and self._has_had(each, marks, topic)

        try:
            self._engine.pubsub.publish(None, topic, message, options, unit, now, level, skips)
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
