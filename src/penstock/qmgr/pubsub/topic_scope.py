"""Which subscriptions to pass to other queue managers: SUBSCOPE, MQSO_SCOPE_QMGR and PROXYSUB.

A queue manager that publications are to come from holds a proxy subscription here: a SUB of SUBTYPE(PROXY)
that `publishing` treats as any other, except that PUBSCOPE(QMGR) and MQPMO_SCOPE_QMGR leave it out. This
module says the other half: what our neighbours would have to hold for us. Reads the engine, changes
nothing; nobody sends proxies yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.pubsub.topic_string import MANY, join

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.pubsub.subscription import Subscription

EVERYWHERE = "ALL"


def scope_of(pubsub: PublishSubscribe, subscription: Subscription) -> str:
    """Return the scope that is in force: ALL only when the subscription and its topic both say so."""
    own = str(subscription.definition.attributes["SUBSCOPE"])
    if own != EVERYWHERE:
        return own
    return str(pubsub.tree.settings_at(subscription.pattern.fixed).values["SUBSCOPE"])


def wanted_from_others(pubsub: PublishSubscribe) -> set[tuple[str, str]]:
    """Return the topics and patterns, each with its scheme, to request from other queue managers.

    One for each topic string that has a subscription of scope ALL (PROXYSUB(FIRSTUSE)), and
    everything below a TOPIC object that is PROXYSUB(FORCE), subscribed to or not.
    """
    found = {
        (each.pattern.text, each.pattern.scheme)
        for each in pubsub.subscriptions.values()
        if not each.proxy and scope_of(pubsub, each) == EVERYWHERE
    }
    for text in pubsub.tree.objects:
        definition = pubsub.tree.object_at(text)
        if definition is not None and definition.attributes.get("PROXYSUB") == "FORCE":
            if pubsub.tree.settings_at(text).values["SUBSCOPE"] == EVERYWHERE:
                found.add((join(text, MANY), "TOPIC"))
    return found
