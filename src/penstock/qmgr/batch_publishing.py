"""Publications of a batch: an output that is named `topic:price/fruit` becomes a copy for each subscriber.

Who subscribes is looked up when the output is prepared; the copies appear with the commit, like any other
output. Nothing is retained, and a subscriber whose queue is not here cannot be served. Called by
`batch_outputs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.qmgr.publishing import refusal
from penstock.qmgr.states import UNCOMMITTED
from penstock.qmgr.topic_tree import LEVEL_MAX

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.topic_tree import TopicNode

TOPIC = "topic:"  # a colon is in no queue's name
NOT_YET = 8041
QUEUE_FULL = 2053  # the commit looks at that


def topic_of(engine: Engine, name: str, now: float) -> TopicNode:
    """Return the topic that an output names; 2051 when nobody may publish there."""
    topic = name.removeprefix(TOPIC)
    engine.pubsub.check_enabled()
    node = engine.pubsub.tree.ready(topic, now)
    if not node.settings.pub_enabled:
        raise error(2051, f"topic {topic} is PUB(DISABLED)", topic=topic)
    return node


def copies(engine: Engine, name: str, message: Message, now: float) -> list[tuple[Queue, Message]]:
    """Return a copy for each subscriber, with its queue; none when nobody subscribes."""
    node = topic_of(engine, name, now)
    publication = message.snapshot()
    publication.seq = publication.place = publication.backout_count = 0
    if publication.msg_id == NO_ID:
        publication.msg_id = engine.ids.next()
    publication.put_time = publication.put_time or now
    life = node.settings.life
    if life and (not publication.expires_at or publication.expires_at > now + life):
        publication.expires_at = now + life
    own = publication.properties or {}
    publication.properties = {**own, "MQTopicString": node.text, "MQPubLevel": LEVEL_MAX}
    return _fanned_out(engine, node, publication, now)


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
                NOT_YET, f"subscription {subscription.name} cannot be served from a batch", topic=node.text
            )
        reason = refusal(queue, publication)
        if reason not in (0, QUEUE_FULL):
            raise error(reason, f"{queue.name} cannot take a publication to {node.text}", queue=queue.name)
        copy = publisher.copy_for(subscription, queue, publication)
        if subscription.dressed or subscription.user != publication.descriptor.user_id:
            publisher.forms.dress(copy, subscription, publication)
        copy.state = UNCOMMITTED
        made.append((queue, copy))
    return made
