"""Proxy subscriptions: what a relation is asked to hold for us, and what is held here for a relation.

The same for both kinds of relations, hierarchies and clusters. Changes are collected and sent as differences;
the last message of a set carries the sum of all that the other side should hold by then. Where the sums
differ (a restored backup, a removed member), the whole set is asked for again. A proxy is a SUB of
SUBTYPE(PROXY), as durable as the message that made it. Called by `neighbours`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.message import NO_ID
from penstock.qmgr import definitions
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.pubsub.relation import (
    ACTIVE,
    MEMBER,
    PUBS,
    Patterns,
    Relation,
    Wanted,
    proxy_name,
)
from penstock.qmgr.pubsub.stale_retained import StaleRetained
from penstock.qmgr.pubsub.subscription import PROXY
from penstock.qmgr.pubsub.topic_string import parse_pattern

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.neighbours import Neighbours

PATTERNS_MAX = 500  # of one control message
LOOKED_AT_MAX = 20_000  # patterns in one call; the next one goes on
RETRY_SECONDS = 10.0  # between attempts to reach a relation
COMPARE_SECONDS = 3600.0  # between two comparisons of the sums
ANSWER_SECONDS = 30.0  # a relation that has sent nothing by then is asked


class Proxies:
    """The proxies of all relations of one queue manager."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._engine = neighbours.engine
        self._demand = neighbours.demand
        self._gone: set[Wanted] = set()  # what some relation need not hold any more

    # -- what others hold for us -----------------------------------------------------------

    def send_changes(self, relations: list[Relation], now: float) -> None:
        """Send each relation what has changed, at most some thousand patterns in one call."""
        changed, self._demand.changed = self._demand.changed, set()
        looked_at = 0
        for relation in relations:
            if relation.sent is not None:
                relation.pending |= changed
        for relation in relations:
            if relation.status != ACTIVE or 0 < relation.blocked_until - now <= RETRY_SECONDS:
                continue
            if looked_at < LOOKED_AT_MAX and (relation.sent is None or relation.pending):
                looked_at += self._send(relation, now)
            elif relation.sent is not None and not 0 <= now - relation.compared < COMPARE_SECONDS:
                self._send_parts(relation, [], False, relation.sent, now)
            if not relation.heard and not 0 <= now - relation.asked < ANSWER_SECONDS:
                relation.heard = True  # once; the comparison of sums repairs the rest
                self._ask(relation, now)
        if self._gone:
            pubsub, gone = self._engine.pubsub, sorted(self._gone)
            pubsub.left.append(StaleRetained(pubsub, gone))
            self._gone.clear()

    def _send(self, relation: Relation, now: float) -> int:
        """Send what changed, or everything; return how many patterns were looked at."""
        known, whole = relation.sent, relation.sent is None
        candidates = self._demand.everything() if known is None else relation.pending
        wanted = {each for each in candidates if self._wants(relation, each)}
        sent = Patterns() if known is None else known
        changes = [(True, each) for each in sorted(wanted - sent)]
        gone = sorted((candidates & sent) - wanted)
        changes += [(False, each) for each in gone]
        relation.sent, relation.pending = sent, set()
        for added, each in changes:
            (sent.add if added else sent.remove)(each)
        if changes or whole:
            self._send_parts(relation, changes, whole, sent, now)
        self._gone.update(gone)
        return len(candidates)

    def _wants(self, relation: Relation, wanted: Wanted) -> bool:
        if not self._demand.from_relation(relation, wanted):
            return False
        return relation.kind != MEMBER or self._neighbours.links.concerns(relation, wanted)

    def _send_parts(
        self,
        relation: Relation,
        changes: list[tuple[bool, Wanted]],
        whole: bool,
        sent: Patterns,
        now: float,
    ) -> None:
        unit, arrives = self._engine.new_unit(None, now), True
        starts = range(0, max(len(changes), 1), PATTERNS_MAX)
        for start in starts:
            facts: dict[str, Any] = {"changes": changes[start : start + PATTERNS_MAX]}
            if whole:
                facts["all"] = "begins" if not start else "goes on"
            if start == starts[-1]:
                facts["sum"] = sent.sum
            arrives = arrives and self._neighbours.send(relation, "PROXIES", unit, now, **facts)
        if not arrives:
            relation.again()
            relation.blocked_until = now + RETRY_SECONDS
        relation.compared = now
        self._engine.commit(unit, now)

    def _ask(self, relation: Relation, now: float) -> None:
        """Ask a relation for the whole set that it wants from us."""
        relation.asked = now
        self._neighbours.send(relation, "AGAIN", None, now)

    # -- what we hold for others -----------------------------------------------------------

    def take(self, relation: Relation, facts: dict[str, Any], now: float) -> None:
        """Hold the proxies that a relation asks for; a whole set replaces the one before."""
        changes = [(bool(added), (str(text), str(scheme))) for added, (text, scheme) in facts["changes"]]
        for _, (text, scheme) in changes:
            parse_pattern(text, scheme)  # before anything is changed
        relation.heard = True
        if facts.get("all") == "begins":
            relation.arriving = set()
        for added, wanted in changes:
            self._hold(relation, wanted, now) if added else self._let_go(relation, wanted)
            if relation.arriving is not None and added:
                relation.arriving.add(wanted)
        if "sum" in facts:
            self._completed(relation, facts, now)

    def _completed(self, relation: Relation, facts: dict[str, Any], now: float) -> None:
        if facts.get("all") and relation.arriving is not None:
            for wanted in set(self.held_for(relation)) - relation.arriving:
                self._let_go(relation, wanted)
        relation.arriving = None
        differs = self._demand.sums.get(relation.key, 0) != facts["sum"]
        if differs and not 0 <= now - relation.asked < RETRY_SECONDS:
            self._ask(relation, now)

    def held_for(self, relation: Relation) -> list[Wanted]:
        """Return what is held for a relation."""
        return list(self._demand.held.get(relation.key, ()))

    def forget(self, key: str) -> None:
        """Delete the proxies that are held for a relation, by its key."""
        for subscription in list(self._demand.held.get(key, {}).values()):
            definitions.delete_unchecked(self._engine, subscription.definition)

    def _let_go(self, relation: Relation, wanted: Wanted) -> None:
        subscription = self._demand.held.get(relation.key, {}).get(wanted)
        if subscription is not None:
            definitions.delete_unchecked(self._engine, subscription.definition)

    def _hold(self, relation: Relation, wanted: Wanted, now: float) -> None:
        pubsub, name = self._engine.pubsub, proxy_name(relation, wanted)
        if name not in pubsub.subscriptions:
            self.define(name, relation, wanted, relation.qmid if relation.kind == MEMBER else "", now)
            pubsub.left.append(pubsub.deliver_to(pubsub.subscriptions[name], now))

    def define(self, name: str, relation: Relation, wanted: Wanted, user_data: str, now: float) -> None:
        """Define the SUB of a proxy, or of the marker of a relation."""
        text, scheme = wanted
        values = defaults("SUB") | {
            "TOPICSTR": text,
            "WSCHEMA": scheme,
            "SUBID": self._engine.ids.next().hex().upper(),
            "SUBUSER": "penstock",
            "SUBTYPE": PROXY,
            "DURABLE": "YES",
            "DESTCLAS": "PROVIDED",
            "DEST": PUBS,
            "DESTQMGR": relation.name,
            "DESTCORL": NO_ID.hex(),
            "USERDATA": user_data,
            "RESOLVED": text,
        }
        definitions.define(self._engine, "SUB", name, values, now, replace=True)
