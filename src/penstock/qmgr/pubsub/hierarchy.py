"""The relations of a hierarchy: ALTER QMGR PARENT makes one; the child asks, the parent accepts.

Each relation is kept across restarts as a SUB that no publication fits (its marker). A parent that does not
answer is asked again. Proxies and publications are not here: they are the same for hierarchies and clusters.
Invariant: relations are as durable as the message that made them. Called by `neighbours`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr import definitions
from penstock.qmgr.pubsub.proxies import RETRY_SECONDS
from penstock.qmgr.pubsub.relation import (
    ACTIVE,
    CHILD,
    FAILED,
    MARKER,
    PARENT,
    REFUSED,
    RELATIONS_MAX,
    STARTING,
    Relation,
    marker_name,
)
from penstock.qmgr.pubsub.stale_retained import StaleRetained

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.neighbours import Neighbours


class Hierarchy:
    """The parent and the children of one queue manager."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._engine = neighbours.engine
        self.relations: dict[str, Relation] = {}
        self.parent = ""  # as ALTER QMGR says

    def restore(self, now: float) -> None:
        """Find the relations again after a start."""
        for subscription in list(self._engine.pubsub.subscriptions.values()):
            if subscription.proxy and subscription.name.startswith(MARKER):
                kind, qmid, name = subscription.user_data.split(" ", 2)
                status = STARTING if kind == PARENT and not qmid else ACTIVE
                self.relations[name] = Relation(name, kind, qmid, status, compared=now, asked=now)

    def follow_parent(self, now: float) -> None:
        """Make the parent the one that ALTER QMGR says, and ask it until it answers."""
        current = next((each for each in self.relations.values() if each.kind == PARENT), None)
        if current is not None and current.name != self.parent:
            self._neighbours.send(current, "LEAVE", None, now)
            self.forget(current)
            current = None
        if current is None and self.parent and self.parent not in self.relations:
            current = self._remember(Relation(self.parent, PARENT), now)
        if (
            current is not None
            and current.status in (STARTING, FAILED)
            and not 0 <= now - current.tried < RETRY_SECONDS
        ):
            current.tried = now
            current.status = STARTING if self._neighbours.send(current, "JOIN", None, now) else FAILED

    def _remember(self, relation: Relation, now: float) -> Relation:
        relation.compared = relation.asked = now
        self.relations[relation.name] = relation
        facts = f"{relation.kind} {relation.qmid} {relation.name}"
        marker = marker_name(relation.name)
        self._neighbours.proxies.define(marker, relation, (marker, "TOPIC"), facts, now)
        return relation

    def forget(self, relation: Relation) -> None:
        """End a relation: its proxies go, and the retained publications that it brought."""
        pubsub = self._engine.pubsub
        self.relations.pop(relation.name, None)
        self._neighbours.proxies.forget(relation.key)
        marker = pubsub.subscriptions.get(marker_name(relation.name))
        if marker is not None:
            definitions.delete_unchecked(self._engine, marker.definition)
        if relation.qmid:
            pubsub.left.append(StaleRetained(pubsub, [], relation.mark))

    def obey(self, kind: str, name: str, facts: dict[str, Any], unit: Any, now: float) -> None:
        """Do what a control message about relations asks for."""
        relation = self.relations.get(name)
        if kind == "JOIN":
            self._join(name, str(facts["qmid"]), relation, unit, now)
        elif relation is None:
            return  # from before RESET, or from a queue manager without a relation
        elif kind == "ACCEPT" and relation.kind == PARENT:
            relation.qmid, relation.status = str(facts["qmid"]), ACTIVE
            relation.again()
            self._remember(relation, now)
        elif kind == "REFUSE" and relation.kind == PARENT:
            relation.status = REFUSED
            text = f"{name} refused to be the parent: {facts.get('why')}"
            self._engine.wishes.notices.append(("AMQ5822W", text))
        elif kind == "LEAVE":
            self.forget(relation)

    def _join(self, name: str, qmid: str, known: Relation | None, unit: Any, now: float) -> None:
        why = ""
        if name == self.parent:
            why = f"it is the parent of {self._engine.name}"
        elif len(self.relations) >= RELATIONS_MAX and known is None:
            why = f"there are {RELATIONS_MAX} relations already"
        relation = Relation(name, CHILD, qmid, ACTIVE)
        if why:
            self._neighbours.send(relation, "REFUSE", unit, now, why=why)
        elif self._neighbours.send(relation, "ACCEPT", unit, now):  # else the child asks again
            self._remember(relation, now)
