"""MQOPEN of a topic for output: an object's name, a topic string, or both, to a handle that publishes.

The handle's route carries the topic's resolved defaults, so that a put by it is a put like any other until
`putting` hands the message to publish/subscribe. The topic's node knows its open publishers: they keep
it from the scavenger, and DISPLAY TPSTATUS TYPE(PUB) shows them. Called by `opening` and `engine`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.connections import Handle
from penstock.qmgr.names.name_resolution import Route
from penstock.qmgr.objects import Definition
from penstock.qmgr.pubsub.topic_string import check_topic, join

if TYPE_CHECKING:
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine


def open_topic(
    engine: Engine, connection: Connection, name: str, object_string: str, options: int, now: float
) -> Handle:
    """Return a handle on the topic that a name and a string mean; 2051 when it takes no publications."""
    name = name.rstrip(" ")
    topic = topic_named(engine, name, object_string)
    route = topic_route(engine, name, topic)
    if not engine.pubsub.tree.settings_at(topic).pub_enabled:
        raise error(mq.MQRC_PUT_INHIBITED, f"topic {topic} is PUB(DISABLED)", topic=topic)
    handle = Handle(connection, 0, name or topic, options, route.first, route)
    handle.topic = topic
    return handle


def topic_named(engine: Engine, object_name: str, rest: str) -> str:
    """Return the topic string of an object's name and what goes on from it; 2085 for an unknown one."""
    base = ""
    if object_name:
        found = engine.objects.find("TOPIC", object_name) or engine.pubsub.neighbours.links.named(object_name)
        if found is None:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME, f"topic {object_name} is not defined", object=object_name
            )
        base = str(found.attributes.get("TOPICSTR", ""))
    return check_topic(join(base, rest))


def topic_route(engine: Engine, name: str, topic: str) -> Route:
    """Return the route of puts to a topic: nothing but the defaults that the topic resolves to."""
    settings = engine.pubsub.tree.settings_at(topic)
    resolved = Definition("TOPIC", name, {**settings.values, "TOPICSTR": topic})
    any_topic = engine.dependencies.on("TOPIC")  # the settings come from every object above
    return Route(
        None, name or topic, engine.name, resolved, (resolved,), topic=resolved, dependencies=(any_topic,)
    )


def reroute(engine: Engine, handle: Handle, route: Route) -> Route:
    """Return a handle's route after definitions have changed."""
    return topic_route(engine, route.path[0].name, handle.topic)


def enter(engine: Engine, handle: Handle, now: float) -> None:
    """Let a topic know a new handle that publishes to it."""
    if handle.topic:
        node = engine.pubsub.tree.node(handle.topic, now)
        if node.publishers is None:
            node.publishers = {}
        node.publishers[id(handle)] = handle


def close(engine: Engine, handle: Handle) -> None:
    """Remove a handle from its topic."""
    node = engine.pubsub.tree.find(handle.topic)
    if node is not None and node.publishers is not None:
        node.publishers.pop(id(handle), None)
        if not node.publishers:
            node.publishers = None
