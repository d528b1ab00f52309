"""Which subscriptions to pass to other queue managers: SUBSCOPE, MQSO_SCOPE_QMGR and PROXYSUB.

A queue manager that publications are to come from holds a proxy subscription here: a SUB of SUBTYPE(PROXY)
that `publishing` treats as any other, except that PUBSCOPE(QMGR) and MQPMO_SCOPE_QMGR leave it out. This
module says the other half: what our neighbours have to hold for us. Reads the engine, changes nothing;
`demand` asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.pubsub.topic_string import BY_TOPIC, MANY, Pattern, join

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


def forced(pubsub: PublishSubscribe) -> set[tuple[str, str]]:
    """Return everything below the topics with PROXYSUB(FORCE): it is wanted, subscribed to or not."""
    tree, found = pubsub.tree, set()
    for text in (*tree.objects, *tree.cluster_objects):
        definition = tree.object_at(text)
        if definition is not None and definition.attributes.get("PROXYSUB") == "FORCE":
            if tree.settings_at(text).values["SUBSCOPE"] == EVERYWHERE:
                found.add((join(text, MANY), BY_TOPIC))
    return found


def reaches(pattern: Pattern, text: str, blocks: bool) -> bool:
    """Return whether a topic at or below a topic string may match a pattern; `blocks` is WILDCARD(BLOCK).

    For a pattern by character that starts above the string, it may be True where nothing matches.
    """
    if pattern.fixed == text or pattern.fixed.startswith(f"{text}/"):
        return True
    if pattern.literal is not None or blocks:
        return False
    if not pattern.levels:
        return not pattern.fixed or text.startswith(f"{pattern.fixed}/")
    for at, level in enumerate(text.split("/")):
        if at >= len(pattern.levels):
            return False
        if pattern.levels[at] == MANY:
            return True
        if pattern.levels[at] not in ("+", level):
            return False
    return True
