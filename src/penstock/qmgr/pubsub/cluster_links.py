"""Relations with the members of publish/subscribe clusters, and the way of a publication to them.

As soon as a cluster has a topic, its members are relations: all of them with CLROUTE(DIRECT), the queue
managers that define the topic with CLROUTE(TOPICHOST). Topics that others define are put into the topic tree
here. `refine` decides which proxies get a publication: with TOPICHOST a queue manager that is no host sends
it to one host, chosen by the workload rules for each publication; hosts, and with DIRECT everybody, send it
to the members that have asked. Follows the records of `qmgr.clusters`; knows no messages.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.clusters.workload import NOT_FIXED
from penstock.qmgr.names.name_resolution import Route, resolve
from penstock.qmgr.objects import Definition
from penstock.qmgr.pubsub import cluster_topics
from penstock.qmgr.pubsub.cluster_topics import DIRECT, TOPIC_HOST, VALID, ClusterTopic
from penstock.qmgr.pubsub.relation import ACTIVE, MEMBER, MEMBER_KEY, PUBS, Relation, Wanted
from penstock.qmgr.pubsub.subscription import PROXY, Subscription
from penstock.qmgr.pubsub.topic_scope import reaches
from penstock.qmgr.pubsub.topic_string import Pattern, stored_pattern

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.clusters.record import Key
    from penstock.qmgr.pubsub.neighbours import Neighbours
    from penstock.qmgr.pubsub.topic_settings import TopicSettings

HOST_KEY = "HOST "  # of the target that stands for a host of a topic


class ClusterLinks:
    """The members of clusters that this queue manager exchanges publications with."""

    def __init__(self, neighbours: Neighbours) -> None:
        self._neighbours = neighbours
        self._engine = neighbours.engine
        self.relations: dict[str, Relation] = {}
        self.topics: dict[tuple[str, str], ClusterTopic] = {}  # by cluster and topic string
        self.stale = True
        self._invalid: set[Key] = set()  # records that are in conflict with others
        self._hosts: dict[str, tuple[Subscription, ClusterTopic]] = {}  # targets, by their key

    # -- what is known of clusters -----------------------------------------------------------

    def cluster_changed(self, cluster: str, kind: str, name: str, owner: str, now: float) -> None:
        """Note a changed record of a cluster."""
        if kind == "Q":
            return
        self.stale = True
        if kind == "M" and not self._engine.clusters.state.repository.owned(owner):
            self._neighbours.proxies.forget(MEMBER_KEY + owner)  # no record for 90 days

    def member_started(self, qmid: str, now: float) -> None:
        """Note that a channel with a member runs: compare the proxies."""
        relation = self.relations.get(MEMBER_KEY + qmid)
        if relation is not None:
            relation.compared = 0.0

    @property
    def enabled(self) -> bool:
        """Whether the queue manager takes part (PSCLUS)."""
        return bool(self._engine.definition.attributes.get("PSCLUS") != "DISABLED")

    def follow(self, now: float) -> None:
        """Compare topics and relations with the records of the clusters, if these have changed."""
        if not self.stale:
            return
        self.stale = False
        self.restore(now)
        self._warn()
        clusters = self._engine.clusters
        for topic in self.topics.values():
            if topic.route == DIRECT or clusters.qmid in topic.hosts:
                clusters.want_members(topic.cluster, now)  # whose proxies it will hold
        self._drop_proxies()

    def _warn(self) -> None:
        """Write to the error log which definitions are in conflict with others, once."""
        clusters = self._engine.clusters
        found = {key for key, state in cluster_topics.states(clusters).items() if state != VALID}
        for key in sorted(found - self._invalid):
            clusters.warn(
                f"Topic {key.name} of {key.owner} in cluster {key.cluster} is not used: its CLROUTE conflicts"
                " with another definition at, above or below its topic string, see DISPLAY TCLUSTER"
            )
        self._invalid = found

    def restore(self, now: float) -> None:
        """Find topics and relations in what is known of the clusters."""
        clusters = self._engine.clusters
        before, self.topics = self.topics, cluster_topics.all_topics(clusters) if self.enabled else {}
        self._hosts.clear()
        if before or self.topics:
            self._share(now)
        self._find_members(now)

    def _share(self, now: float) -> None:
        """Put the topics of others into the topic tree, and have all matches made again."""
        pubsub, own = self._engine.pubsub, self._engine.clusters.qmid
        shared = {
            topic.text: topic.definition
            for topic in self.topics.values()
            if topic.definition is not None and own not in topic.hosts
        }
        pubsub.tree.share(shared, now)
        pubsub.tree.refine = self.refine
        self._neighbours.demand.stale = True
        for definition in shared.values():
            self._engine.dependencies.changed(definition)  # open handles look again

    def _find_members(self, now: float) -> None:
        clusters, found = self._engine.clusters, dict[str, Relation]()
        active = {cluster for cluster, _ in self.topics}
        for member in clusters.members() if self.enabled else []:
            if member.cluster in active and not member.local:
                key = MEMBER_KEY + member.qmid
                relation = found.get(key) or self.relations.get(key)
                if relation is None:
                    relation = Relation(member.qmgr, MEMBER, member.qmid, ACTIVE, compared=now, asked=now)
                if key not in found:
                    relation.clusters = ()
                relation.clusters = tuple(sorted({*relation.clusters, member.cluster}))
                found[key] = relation
        self.relations = found
        everything = self._neighbours.demand.everything()
        for relation in found.values():
            if relation.sent is not None:
                relation.pending |= everything | relation.sent

    def _drop_proxies(self) -> None:
        """Drop the proxies of queue managers that have left."""
        members = self._engine.clusters.members() if self.enabled else []
        keys = {MEMBER_KEY + member.qmid for member in members}
        for key in list(self._neighbours.demand.held):
            if key.startswith(MEMBER_KEY) and key not in keys and self._has_left(key):
                self._neighbours.proxies.forget(key)

    def _has_left(self, key: str) -> bool:
        """Return whether a member is known to be none any more; one that is not known yet has not left."""
        repository = self._engine.clusters.state.repository
        records = [each for each in repository.owned(key.removeprefix(MEMBER_KEY)) if each.kind == "M"]
        return bool(records) or not self.enabled or not self._engine.clusters.inside

    def of_member(self, qmid: str, name: str, clusters: tuple[str, ...]) -> Relation | None:
        """Return the relation with a member that has sent a message by a channel of some clusters.

        It may know a topic that is not known here yet: its proxies are kept.
        """
        found = self.relations.get(MEMBER_KEY + qmid)
        if found is None and self.enabled and set(clusters) & set(self._engine.clusters.inside):
            found = Relation(name, MEMBER, qmid)
        return found

    def named(self, name: str) -> Definition | None:
        """Return the TOPIC object of a name that another member of a cluster has."""
        definitions = self._engine.pubsub.tree.cluster_objects.values()
        return next((each for each in definitions if each.name == name), None)

    # -- proxies ---------------------------------------------------------------------------

    def concerns(self, relation: Relation, wanted: Wanted) -> bool:
        """Return whether a member has to hold a proxy: it may send something that fits."""
        pattern = _pattern(*wanted)
        return any(
            topic.cluster in relation.clusters
            and (topic.route == DIRECT or relation.qmid in topic.hosts)
            and reaches(pattern, topic.text, topic.blocks)
            for topic in self.topics.values()
        )

    def refine(self, settings: TopicSettings, found: list[Subscription]) -> list[Subscription]:
        """Return the subscriptions that a publication may go to: one proxy for each queue manager."""
        topic = self._topic(settings)
        own = self._engine.clusters.qmid
        spreads = topic is not None and (topic.route == DIRECT or own in topic.hosts)
        kept = [each for each in found if not each.proxy]
        served: set[str] = set()
        proxies = [each for each in found if each.proxy]
        for each in sorted(proxies, key=lambda each: not each.neighbour.startswith(MEMBER_KEY)):
            relation = self._neighbours.find(each.neighbour)
            of_member = each.neighbour.startswith(MEMBER_KEY)
            whom = each.neighbour if relation is None else relation.qmid
            if whom in served or (of_member and relation is None):
                continue
            if relation is None or not of_member or (spreads and _shares(topic, relation)):
                served.add(whom)
                kept.append(each)
        if topic is not None and not spreads:
            kept.append(self._host_target(topic))
        return kept

    def _topic(self, settings: TopicSettings) -> ClusterTopic | None:
        return self.topics.get((settings.values["CLUSTER"], settings.cluster_topic))

    def _host_target(self, topic: ClusterTopic) -> Subscription:
        """Return the target that means whichever host gets the next publication."""
        key = f"{HOST_KEY}{topic.cluster} {topic.text}"
        if key not in self._hosts:
            values = defaults("SUB") | {"SUBTYPE": PROXY, "DEST": PUBS, "TOPICSTR": topic.text}
            pattern = Pattern(topic.text, "TOPIC", (), topic.text)
            made = Subscription(Definition("SUB", key, values), pattern, key.encode())
            made.proxy, made.neighbour = True, key
            self._hosts[key] = made, topic
        return self._hosts[key][0]

    # -- ways ------------------------------------------------------------------------------

    def route_of(self, subscription: Subscription) -> Route:
        """Return the way to the queue manager of a proxy, or to a host of the topic."""
        if subscription.neighbour.startswith(HOST_KEY):
            return self._host_route(self._hosts[subscription.neighbour][1])
        engine = self._engine
        stamp = engine.dependencies.changes, engine.clusters.workload.stamp
        kept = subscription.route
        if kept is None or kept[0] != stamp:
            relation = self.relations.get(subscription.neighbour)
            if relation is not None:
                route = engine.clusters.route_to_member(relation.qmid, PUBS)
            else:
                route = resolve(engine, PUBS, str(subscription.definition.attributes["DESTQMGR"]))
            kept = subscription.route = stamp, route
        found: Route = kept[1]
        return found

    def _host_route(self, topic: ClusterTopic) -> Route:
        clusters = self._engine.clusters
        hosts = cluster_topics.hosts_for(clusters, topic)
        if not hosts.instances or hosts.instances[0].local:
            raise error(
                mq.MQRC_NO_DESTINATIONS_AVAILABLE,
                f"no host of topic {topic.text} in cluster {topic.cluster} takes publications",
                topic=topic.text,
            )
        chosen = clusters.workload.chooser.choose(hosts)
        if chosen.route is None:
            chosen.route = clusters.transmission.route(chosen.channel, PUBS, chosen.qmgr, bind=NOT_FIXED)
        found: Route = chosen.route
        return found

    def another_host(self, message: Message) -> Route | None:
        """Return the way to a host for a publication whose host cannot be reached; None if it has none."""
        text: Any = (message.properties or {}).get("MQTopicString", "")
        topic = self._topic(self._engine.pubsub.tree.settings_at(str(text)))
        return self._host_route(topic) if topic is not None and topic.route == TOPIC_HOST else None


def _shares(topic: ClusterTopic | None, relation: Relation) -> bool:
    return topic is not None and topic.cluster in relation.clusters


@functools.lru_cache(maxsize=10_000)
def _pattern(text: str, scheme: str) -> Pattern:
    return stored_pattern(text, scheme)
