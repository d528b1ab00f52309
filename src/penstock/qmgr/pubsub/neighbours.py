"""Publish/subscribe with other queue managers: the face of hierarchies, clusters and their proxies.

Each side of a relation sends the other the topics it wants (`demand`, `proxies`); publications that fit
travel to SYSTEM.INTER.QMGR.PUBS there and are republished (`republishing`). Relations are those of a
hierarchy (`hierarchy`) or members of a cluster (`cluster_links`). Requests are messages on
SYSTEM.INTER.QMGR.CONTROL, which this module reads and writes. Time comes in as `now`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Descriptor, Message
from penstock.qmgr.clusters import sender_proof
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.pubsub.cluster_links import ClusterLinks
from penstock.qmgr.pubsub.demand import Demand
from penstock.qmgr.pubsub.hierarchy import Hierarchy
from penstock.qmgr.pubsub.proxies import COMPARE_SECONDS, RETRY_SECONDS, Proxies
from penstock.qmgr.pubsub.relation import CONTROL, MEMBER, PUBS, Relation
from penstock.qmgr.pubsub.republishing import Republisher
from penstock.qmgr.pubsub.system_reader import SystemReader

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.unit_of_work import UnitOfWork

FORMAT = "PSKPUBSB"
VERSION = 1
PRIORITY = 9  # of control messages: they need not wait behind publications
SPACING_SECONDS = 0.02  # between two looks at what changed
SECONDS_PER_SUBSCRIPTION = 1e-5  # all are counted again after a change of topics: not too often


class Neighbours:
    """The relations of one engine."""

    def __init__(self, engine: Engine, pubsub: PublishSubscribe) -> None:
        self.engine = engine
        self.running = False
        self.demand = Demand(pubsub)
        self.proxies = Proxies(self)
        self.hierarchy = Hierarchy(self)
        self.links = ClusterLinks(self)
        self.republisher = Republisher(self)
        self._looked, self._spacing = 0.0, SPACING_SECONDS
        self.publications = SystemReader(engine, PUBS, self.republisher.publish_waiting)
        self._readers = (SystemReader(engine, CONTROL, self._obey), self.publications)

    # -- life ------------------------------------------------------------------------------

    def started(self, now: float) -> None:
        """Find the relations again after a start; each is sent everything once more."""
        self.hierarchy.restore(now)
        self.links.restore(now)
        self.engine.clusters.observers.append(self.links)
        self.running = True

    def tick(self, now: float, reads: bool) -> None:
        """Compare relations and proxies with what they should be; read what waits on the queues."""
        if not self.running:
            return
        for reader in self._readers:
            reader.start(now) if reads else reader.stop()
        self.hierarchy.follow_parent(now)
        self.links.follow(now)
        relations = self.all()
        if not relations:  # nobody to ask: nothing is counted until there is somebody
            self.demand.stale = True
            self.demand.changed.clear()
        if not relations or 0 <= now - self._looked < self._spacing:
            return
        self._looked, self._spacing = now, SPACING_SECONDS
        if self.demand.stale:
            self.demand.count_again()
            self._spacing += len(self.engine.pubsub.subscriptions) * SECONDS_PER_SUBSCRIPTION
        self.proxies.send_changes(relations, now)

    def stop(self) -> None:
        """Read no more."""
        self.running = False
        if self.links in self.engine.clusters.observers:
            self.engine.clusters.observers.remove(self.links)
        for reader in self._readers:
            reader.stop()

    # -- questions -------------------------------------------------------------------------

    @property
    def relations(self) -> dict[str, Relation]:
        """The parent and the children, by name."""
        return self.hierarchy.relations

    def all(self) -> list[Relation]:
        """Return all relations."""
        return [*self.hierarchy.relations.values(), *self.links.relations.values()]

    def find(self, key: str) -> Relation | None:
        """Return the relation of a key."""
        return self.links.relations.get(key) or self.hierarchy.relations.get(key)

    @property
    def qmid(self) -> str:
        """Return our own QMID."""
        return str(self.engine.definition.attributes["QMID"])

    # -- changes ---------------------------------------------------------------------------

    def topics_changed(self) -> None:
        """Note that a TOPIC was defined, altered or deleted: scopes may have changed."""
        self.demand.stale = self.links.stale = True

    def subscription_added(self, subscription: Subscription) -> None:
        """Note a new subscription."""
        self.demand.added(subscription)
        if subscription.proxy:
            self.engine.pubsub.tree.refine = self.links.refine

    def qmgr_altered(self, parent: str) -> None:
        """Take over PARENT and PSCLUS of the queue manager; `tick` does the rest."""
        self.hierarchy.parent = parent
        self.links.stale = True

    def refresh(self) -> None:
        """Send every relation all proxies again (REFRESH QMGR TYPE(PROXYSUB))."""
        for relation in self.all():
            relation.again()
            relation.blocked_until = 0.0

    def cut(self, name: str, kind: str) -> bool:
        """End a relation on this side only (RESET QMGR TYPE(PUBSUB)); False if there is no such relation."""
        relation = self.relations.get(name)
        if relation is None or relation.kind != kind:
            return False
        self.hierarchy.forget(relation)
        return True

    # -- control messages ------------------------------------------------------------------

    def send(self, relation: Relation, kind: str, unit: UnitOfWork | None, now: float, **facts: Any) -> bool:
        """Send a control message; False, with a notice, when there is no way to that queue manager."""
        engine = self.engine
        own: dict[str, Any] = {"version": VERSION, "kind": kind, "from": engine.name, "qmid": self.qmid}
        if relation.kind == MEMBER:
            own["member"] = True
        body = msgspec.msgpack.encode(own | facts)
        message = Message(
            body, engine.ids.next(), NO_ID, True, PRIORITY, now, descriptor=Descriptor(format=FORMAT)
        )
        if kind == "AGAIN" or (kind == "PROXIES" and not facts["changes"] and not facts.get("all")):
            message.expires_at = now + COMPARE_SECONDS  # the next one comes then
        try:
            if relation.kind == MEMBER:
                engine.clusters.put_to_member(relation.qmid, CONTROL, message, unit, now)
            else:
                engine.put_message(resolve(engine, CONTROL, relation.name), message, unit, now)
        except MQError as failure:
            text = f"Publish/subscribe cannot reach {relation.name}: {failure}"
            engine.wishes.notices.append(("AMQ5821W", text))
            return False
        return True

    def _obey(self, message: Message, unit: Any, now: float) -> None:
        """Do what another queue manager asks for."""
        facts = _facts(message)
        name, kind = str(facts["from"]), str(facts["kind"])
        relation = self._member(message, facts) if facts.get("member") else self.relations.get(name)
        if kind not in ("PROXIES", "AGAIN"):
            self.hierarchy.obey(kind, name, facts, unit, now)
        elif relation is None:
            return  # from before RESET, or from a queue manager without a relation
        elif kind == "PROXIES":
            self.proxies.take(relation, facts, now)
        else:
            relation.again()

    def _member(self, message: Message, facts: dict[str, Any]) -> Relation | None:
        """Return the member that has sent a message; 2035 if its channel says otherwise."""
        sender = sender_proof.sender_of(message)
        if sender is None or (sender.qmid, sender.qmgr) != (facts["qmid"], facts["from"]):
            raise error(
                mq.MQRC_NOT_AUTHORIZED,
                f"{facts['from']} has not sent it by a cluster channel",
                object=CONTROL,
            )
        clusters = self.engine.clusters.clusters_of_receiver(sender.channel)
        return self.links.of_member(str(facts["qmid"]), str(facts["from"]), clusters)


def _facts(message: Message) -> dict[str, Any]:
    """Return the contents of a control message; 2110 for one that is none."""
    try:
        facts = msgspec.msgpack.decode(message.body or b"", type=dict[str, Any])
        changes = facts.get("changes", [])
        whole = (
            all(len(each) == 2 and len(each[1]) == 2 for each in changes) and facts["from"] and facts["qmid"]
        )
        if facts.get("kind") == "PROXIES":
            whole = whole and "changes" in facts
    except (msgspec.MsgspecError, KeyError, TypeError) as failure:
        raise error(mq.MQRC_FORMAT_ERROR, f"it is no control message: {failure}", comp=2) from failure
    if message.descriptor.format.strip() != FORMAT or not whole or "kind" not in facts:
        raise error(mq.MQRC_FORMAT_ERROR, "it is no control message", comp=2)
    return facts


__all__ = ["CONTROL", "PUBS", "RETRY_SECONDS", "Neighbours"]
