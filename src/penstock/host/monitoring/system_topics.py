"""What the queue manager publishes about itself below $SYS/MQ: to whom, and as what messages.

Nobody subscribes most of the time: then a look costs one dictionary access. Subscriptions are found by exact
topic strings; wildcards below $SYS/MQ get what others have asked for. Called with the gate held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.model.pcf import Pcf, encode_pcf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.pcf_parameters import Parameter
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.topic_tree import TopicNode

VERSION = 3  # of MQCFH


def root_of(engine: Engine) -> str:
    """Return the topic that a queue manager publishes about itself below."""
    return f"$SYS/MQ/INFO/QMGR/{engine.name}"


def wanted_below(engine: Engine, topic: str) -> Iterator[TopicNode]:
    """Yield the topics below one that somebody subscribes to."""
    top = engine.pubsub.tree.find(topic)
    waiting = [top] if top is not None else []
    while waiting:
        node = waiting.pop()
        if node.subscriptions:
            yield node
        waiting += (node.children or {}).values()


def publish(
    engine: Engine, topic: str, kind: int, command: int, parameters: tuple[Parameter, ...], now: float
) -> None:
    """Publish a PCF message, as the queue manager itself."""
    body = encode_pcf(Pcf(command, parameters, type=kind, version=VERSION))
    descriptor = Descriptor(
        format=mq.MQFMT_ADMIN,
        put_appl_type=mq.MQAT_QMGR,
        put_appl_name=engine.name[:APPLICATION_NAME_LENGTH],
    )
    message = Message(body, engine.ids.next(), NO_ID, False, 0, now, NEVER, descriptor)
    engine.pubsub.neighbours.republisher.publish_own(topic, message, None, now)
