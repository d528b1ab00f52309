"""Publications of a batch: an output that is named `topic:price/fruit` becomes a copy for each subscriber.

Who subscribes is looked up when the output is prepared; the copies appear with the commit, like any other
output. If selectors take long, the publication waits on a queue after the commit (`republishing`).
`retain:price/fruit` also keeps the publication for later subscribers: one more copy, on the queue of retained
publications, which takes the place of the one before when it appears. A subscriber whose queue is not here
cannot be served. Called by `batch_outputs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.qmgr.pubsub import retained
from penstock.qmgr.pubsub.publishing import refusal
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX
from penstock.qmgr.states import UNCOMMITTED

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork

TOPIC = "topic:"  # a colon is in no queue's name
RETAIN = "retain:"  # the same, and the publication is retained


def is_topic(name: str) -> bool:
    """Return whether an output's name is that of a topic."""
    return name.startswith((TOPIC, RETAIN))


def topic_of(engine: Engine, name: str, now: float) -> TopicNode:
    """Return the topic that an output names; 2051 if publishing is inhibited there."""
    return engine.pubsub.node_for(name.partition(":")[2], now)


def copies(engine: Engine, name: str, message: Message, now: float) -> list[tuple[Queue, Message]]:
    """Return a copy for each subscriber, with its queue; or one for the queue of publications that wait."""
    node = topic_of(engine, name, now)
    retains = name.startswith(RETAIN)
    publication = message.snapshot()
    publication.seq = publication.place = publication.backout_count = 0
    if publication.msg_id == NO_ID:
        publication.msg_id = engine.ids.next()
    publication.put_time = publication.put_time or now
    life = node.settings.life
    if life and (not publication.expires_at or publication.expires_at > now + life):
        publication.expires_at = now + life
    republisher = engine.pubsub.neighbours.republisher
    if republisher.must_wait(node, publication):
        publication.state = UNCOMMITTED
        return [(republisher.waiting_room(), republisher.marked(publication, node.text, retain=retains))]
    own = publication.properties or {}
    publication.properties = {**own, "MQTopicString": node.text, "MQPubLevel": LEVEL_MAX}
    made = _fanned_out(engine, node, publication, now)
    return [*made, _kept(engine, publication)] if retains else made


def _kept(engine: Engine, publication: Message) -> tuple[Queue, Message]:
    """Return the copy that is to be the topic's retained publication, with its queue."""
    queue = engine.queues.get(retained.QUEUE)
    if queue is None or refusal(queue, publication) not in (0, mq.MQRC_Q_FULL):
        raise error(mq.MQRC_PUBLICATION_FAILURE, "the queue of retained publications takes no more")
    copy = publication.snapshot()
    copy.state = UNCOMMITTED
    return queue, copy


def keep_retained(engine: Engine, unit: UnitOfWork, now: float) -> None:
    """Make the retained publications of a batch those of their topics when the unit has ended."""
    store = engine.pubsub.retained
    for message in unit.puts:
        if message.queue.name == retained.QUEUE:
            topic = str((message.properties or {}).get("MQTopicString", ""))
            keeper = retained.Keeper(store, store.tree.node(topic, now), message, message.queue)
            unit.when_ended(keeper.ended)


def _fanned_out(
    engine: Engine, node: TopicNode, publication: Message, now: float
) -> list[tuple[Queue, Message]]:
    publisher = engine.pubsub.publisher
    made = []
    for subscription in node.targets:
        if not subscription.plain and not subscription.wants(publication, now):
            continue
        queue = subscription.queue
        if (
            queue is None
            or queue.deleted
            or (not subscription.plain and publisher.forms.special(subscription))
        ):
            raise error(
                mq.PSRC_NOT_IMPLEMENTED,
                f"subscription {subscription.name} cannot be served from a batch",
                topic=node.text,
            )
        reason = refusal(queue, publication)
        if reason not in (0, mq.MQRC_Q_FULL):
            raise error(reason, f"{queue.name} cannot take a publication to {node.text}", queue=queue.name)
        copy = publisher.copy_for(subscription, queue, publication)
        if subscription.dressed or subscription.user != publication.descriptor.user_id:
            publisher.forms.dress(copy, subscription, publication)
        copy.state = UNCOMMITTED
        made.append((queue, copy))
    return made
