"""Removes retained publications that came from another queue manager and are not kept up to date any more.

A copy is current as long as a proxy of ours brings the next one. When the last subscription to its topic
ends, or the relation that it came by, it could be out of date unnoticed: it goes, and the next subscriber
gets the current one from the others. What was published here stays. Some topics per step, as `delivering`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from penstock.qmgr.pubsub.delivering import STEP_NODES
from penstock.qmgr.pubsub.topic_scope import EVERYWHERE, scope_of
from penstock.qmgr.pubsub.topic_string import MANY, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.pubsub.relation import Wanted
    from penstock.qmgr.pubsub.topic_tree import TopicNode

ORIGIN = "PSKOrigin"  # property of a retained copy: the fingerprint of the relation that it came by


class StaleRetained:
    """Copies to look at; call `step` until it returns True.

    Given patterns: those that nobody here wants any more. Given a mark: all that came by that relation.
    """

    def __init__(self, pubsub: PublishSubscribe, patterns: list[Wanted], mark: bytes = b"") -> None:
        self._pubsub = pubsub
        self._mark = mark
        self._nodes = self._candidates(patterns or [(MANY, "TOPIC")])

    def _candidates(self, patterns: list[Wanted]) -> Iterator[TopicNode]:
        for text, scheme in patterns:
            pattern = parse_pattern(text, scheme)
            for node in self._pubsub.retained.candidates(pattern):
                if pattern.fits(node.text):
                    yield node

    def step(self, now: float) -> bool:
        """Look at some topics; True when all were looked at."""
        nodes = list(islice(self._nodes, STEP_NODES))
        for node in nodes:
            message = node.retained
            origin = (message.properties or {}).get(ORIGIN) if message is not None else None
            if origin and (origin == self._mark if self._mark else not self._wanted(node.text)):
                self._pubsub.retained.clear(node.text, now)
        return len(nodes) < STEP_NODES

    def _wanted(self, text: str) -> bool:
        pubsub = self._pubsub
        if any(each.attributes.get("PROXYSUB") == "FORCE" for each in pubsub.tree.objects_above(text)):
            return True
        node = pubsub.tree.find(text)
        exact = list((node.subscriptions or {}).values()) if node is not None else []
        return any(
            each.proxy or scope_of(pubsub, each) == EVERYWHERE
            for each in (*exact, *pubsub.tree.matcher.find(text))
        )
