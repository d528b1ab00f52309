"""What DISPLAY TPSTATUS, SBSTATUS and PUBSUB are answered from.

Rows are made one at a time. A caller may release the engine between two of them: topics are walked by
their slots, which stay what they are while topics come and go, so a display of a million topics starts
at once and needs no memory of its own. Reads the engine and changes nothing. Rows are `model/status`'s.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.model.status import (
    PubsubStatus,
    SubscriptionFigures,
    SubscriptionStatus,
    TopicFigures,
    TopicPublisherStatus,
    TopicStatus,
    TopicSubscriberStatus,
)
from penstock.qmgr.monitoring.status import connection_id
from penstock.qmgr.pubsub.topic_string import Pattern, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_tree import TopicNode

MODES = {"ENABLED": "ACTIVE", "COMPAT": "COMPAT", "DISABLED": "INACTIVE"}
NOBODY = "0" * 48
_FIELDS = TopicStatus.__struct_fields__
RESOLVED = tuple(_FIELDS[_FIELDS.index("mdurmdl") : _FIELDS.index("retained")])  # what a topic inherits
COUNTED_MAX = 1000  # topics and subscriptions whose counts are shown one by one


def nodes(pubsub: PublishSubscribe, name: str) -> Iterator[TopicNode | None]:
    """Yield the topics of a name: a topic string, a pattern with # and +, or a beginning and an asterisk.

    None means a topic that does not match, so that the caller can pause.
    """
    tree = pubsub.tree
    exact = tree.find(name)
    if exact is not None:
        yield exact
        return
    if not name or name in ("*", "#"):
        wanted = None
    elif name.endswith("*"):
        wanted = parse_pattern(name.replace("%", "%%").replace("?", "%?"), "CHAR")
    else:
        wanted = parse_pattern(name)
        if wanted.literal is not None:
            return
    yield from _by_slot(pubsub, wanted)


def _by_slot(pubsub: PublishSubscribe, wanted: Pattern | None) -> Iterator[TopicNode | None]:
    slots = pubsub.tree.slots
    place = 0
    while place < len(slots):
        node = slots[place]
        place += 1
        yield node if node is not None and (wanted is None or wanted.fits(node.text)) else None


def topic_row(pubsub: PublishSubscribe, node: TopicNode, now: float) -> TopicStatus:
    """Return a topic with its inherited settings."""
    tree = pubsub.tree
    settings = tree.settings_of(node).values
    admin = tree.object_at(node.text)
    date, moment = _moment(node.last_published)
    kept = node.retained is not None and pubsub.retained.current(node, now) is not None
    return TopicStatus(
        topicstr=node.text,
        admin="" if admin is None else admin.name,
        retained="YES" if kept else "NO",
        pubcount=0 if node.publishers is None else len(node.publishers),
        subcount=0 if node.subscriptions is None else len(node.subscriptions),
        lpubdate=date,
        lpubtime=moment,
        nummsgs=node.delivered,
        numpubs=node.published,
        **{name: settings[name.upper()] for name in RESOLVED},
    )


def subscriber_rows(pubsub: PublishSubscribe, text: str) -> list[TopicSubscriberStatus]:
    """Return the subscriptions that match a topic string, those with wildcards too; it need not be in use."""
    return [
        TopicSubscriberStatus(topicstr=text, subtopic=each.pattern.text, **_subscriber(each))
        for each in matching(pubsub, text)
    ]


def matching(pubsub: PublishSubscribe, text: str) -> list[Subscription]:
    """Return the subscriptions that match a topic string, by level, highest first."""
    tree = pubsub.tree
    node = tree.find(text)
    found = list(node.subscriptions.values()) if node is not None and node.subscriptions is not None else []
    settings = tree.settings_at(text)
    wild = tree.matcher.find(text)
    found += [each for each in wild if each.pattern.fixed_levels >= settings.blocked_levels]
    if settings.stays_here:
        found = [each for each in found if not each.proxy]
    elif tree.refine is not None:
        found = [each for each in tree.refine(settings, found) if each.name in pubsub.subscriptions]
    return sorted(found, key=lambda each: -each.level)


def publisher_rows(pubsub: PublishSubscribe, node: TopicNode) -> list[TopicPublisherStatus]:
    """Return who has a topic open to publish."""
    rows = []
    for handle in list((node.publishers or {}).values()):
        date, moment = _moment(handle.extra.get("published_at", 0.0))
        rows.append(
            TopicPublisherStatus(
                topicstr=node.text,
                actconn=_connection(handle.connection),
                lpubdate=date,
                lpubtime=moment,
                numpubs=handle.extra.get("published", 0),
            )
        )
    return rows


def topic_figures(pubsub: PublishSubscribe) -> list[TopicFigures]:
    """Return the counts of the topics that have a TOPIC object. The gate need not be held."""
    found = (pubsub.tree.find(text) for text in list(pubsub.tree.objects))
    return [
        TopicFigures(topic=node.text, published=node.published, delivered=node.delivered)
        for node in islice(found, COUNTED_MAX)
        if node is not None and node.text and not node.text.startswith("SYSTEM")
    ]


def subscription_figures(pubsub: PublishSubscribe) -> list[SubscriptionFigures]:
    """Return the counts of durable subscriptions; others come and go with programs. Without the gate."""
    durable = (each for each in list(pubsub.subscriptions.values()) if each.durable and not each.proxy)
    return [
        SubscriptionFigures(
            subscription=each.name.partition("\x1f")[0], topic=each.pattern.text, delivered=each.count
        )
        for each in islice(durable, COUNTED_MAX)
        if not each.name.startswith("SYSTEM.")
    ]


def subscription_row(subscription: Subscription) -> SubscriptionStatus:
    """Return the status of a subscription."""
    return SubscriptionStatus(**_subscriber(subscription))


def pubsub_row(pubsub: PublishSubscribe) -> PubsubStatus:
    """Return how publish/subscribe is."""
    engine = pubsub.engine
    return PubsubStatus(
        qmname=engine.name,
        status=MODES[str(engine.definition.attributes.get("PSMODE", "ENABLED"))],
        subcount=len(pubsub.subscriptions),
        tpcount=len(pubsub.tree.nodes),
    )


def relation_rows(pubsub: PublishSubscribe) -> list[PubsubStatus]:
    """Return the parent and the children, with the proxies that are held for each."""
    return [
        PubsubStatus(
            qmname=each.name,
            type=each.kind,
            status=each.status,
            subcount=len(pubsub.neighbours.proxies.held_for(each)),
        )
        for each in pubsub.neighbours.relations.values()
    ]


def _subscriber(subscription: Subscription) -> dict[str, Any]:
    attributes = subscription.definition.attributes
    resumed_date, resumed_time = _moment(subscription.resumed)
    date, moment = _moment(subscription.last_message)
    return {
        "sub": subscription.name.partition("\x1f")[0],
        "subid": subscription.id.hex().upper(),
        "subuser": attributes["SUBUSER"],
        "resmdate": resumed_date,
        "resmtime": resumed_time,
        "lmsgdate": date,
        "lmsgtime": moment,
        "actconn": _connection(subscription.connection),
        "durable": "YES" if subscription.durable else "NO",
        "subtype": attributes.get("SUBTYPE", "ADMIN"),
        "nummsgs": subscription.count,
    }


def _connection(connection: Any) -> str:
    return NOBODY if connection is None else connection_id(connection).rjust(48, "0")


def _moment(when: float) -> tuple[str, str]:
    if not when:
        return "", ""
    at = time.localtime(when)
    return time.strftime("%Y-%m-%d", at), time.strftime("%H:%M:%S", at)
