"""Cluster topics: what the records of a cluster say about topics, and which definitions are in conflict.

Every member holds all topic records of its clusters. Records of one topic string are one `ClusterTopic`, with
the queue managers that define it (its hosts). Where definitions disagree in CLROUTE, at one topic string or
above and below, those of the owner with the smallest QMID count, and the others are INVALID: every member
comes to the same result without asking. Attributes are those of the first one, too, but a host with
PUB(DISABLED) among others stops only itself. Reads records and changes nothing; `cluster_links` asks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.clusters.choice import Candidates, eligible
from penstock.qmgr.clusters.record import MEMBER, Key
from penstock.qmgr.objects import Definition
from penstock.qmgr.pubsub.topic_settings import BASE_TOPIC

if TYPE_CHECKING:
    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.engine import Engine

DIRECT, TOPIC_HOST = "DIRECT", "TOPICHOST"
VALID, INVALID = "ACTIVE", "INVALID"

Content = dict[str, Any]


@dataclass(slots=True)
class ClusterTopic:
    """A topic string of a cluster, as all its valid definitions have it."""

    cluster: str
    text: str
    route: str
    hosts: dict[str, Key] = field(default_factory=dict)  # records by QMID
    definition: Definition | None = None  # for the topic tree of members that do not define it
    stamp: int = -1  # of `reachable`
    reachable: Candidates = field(default_factory=lambda: Candidates([], 1))

    @property
    def blocks(self) -> bool:
        """Whether wildcards from above stop here."""
        return self.definition is not None and self.definition.attributes.get("WILDCARD") == "BLOCK"


def route_of(attributes: Content) -> str:
    """Return the CLROUTE of a definition."""
    return str(attributes.get("CLROUTE") or DIRECT)


def states(clusters: Clusters) -> dict[Key, str]:
    """Return all topic records of our clusters: ACTIVE, or INVALID if another one contradicts it."""
    found: dict[Key, str] = {}
    valid: dict[tuple[str, str], str] = {}  # cluster and topic string -> route
    records = [each for each in clusters.topics() if each[0].cluster in clusters.inside]
    for key, body in sorted(records, key=lambda each: (each[0].owner, each[0].cluster, each[0].name)):
        text, route = _text(body), route_of(body.get("attributes") or {})
        other = _contradiction(valid, key.cluster, text, route)
        found[key] = INVALID if other or not text else VALID
        if found[key] == VALID:
            valid[key.cluster, text] = route
    return found


def _contradiction(valid: dict[tuple[str, str], str], cluster: str, text: str, route: str) -> str:
    """Return the topic string of a definition with another route at, above or below one."""
    for (own, other), known in valid.items():
        if (
            own == cluster
            and known != route
            and (other == text or _below(other, text) or _below(text, other))
        ):
            return other
    return ""


def _below(text: str, top: str) -> bool:
    return text.startswith(f"{top}/")


def _text(body: Content) -> str:
    return str((body.get("attributes") or {}).get("TOPICSTR", ""))


def all_topics(clusters: Clusters) -> dict[tuple[str, str], ClusterTopic]:
    """Return the valid cluster topics, by cluster and topic string."""
    found: dict[tuple[str, str], ClusterTopic] = {}
    contents = dict(clusters.topics())
    for key, state in states(clusters).items():
        if state != VALID:
            continue
        body = contents[key]
        attributes = {**(body.get("attributes") or {}), "CLUSTER": key.cluster}
        text = _text(body)
        topic = found.setdefault((key.cluster, text), ClusterTopic(key.cluster, text, route_of(attributes)))
        topic.hosts.setdefault(key.owner, key)
        known = topic.definition
        if known is None or (known.attributes["PUB"] == "DISABLED" != attributes.get("PUB")):
            topic.definition = Definition("TOPIC", key.name, {"PUB": "ASPARENT", **attributes})
    return found


def hosts_for(clusters: Clusters, topic: ClusterTopic) -> Candidates:
    """Return the hosts that the workload rules allow for a publication now; none with PUB(DISABLED)."""
    workload = clusters.workload
    if topic.stamp != workload.stamp:
        repository, found = clusters.state.repository, []
        for key in topic.hosts.values():
            record = repository.find(key)
            attributes = (record.body or {}).get("attributes") or {} if record is not None else {}
            if record is None or record.removed or attributes.get("PUB") == "DISABLED":
                continue
            for member in repository.owned(key.owner, key.cluster):
                if member.kind == MEMBER and not repository.records[member].removed:
                    found.append(workload.instance(key, {}, member))
        topic.reachable = Candidates(eligible(found, True), workload.recent_max)
        topic.stamp = workload.stamp
    return topic.reachable


def check(engine: Engine, definition: Definition, before: Definition | None) -> None:
    """Refuse a TOPIC that cannot be a cluster topic: 3359, 3367, 3368, or 2425 without a topic string."""
    values: Content = dict(definition.attributes)
    cluster, text = str(values.get("CLUSTER") or ""), str(values.get("TOPICSTR") or "")
    if not cluster:
        return
    if engine.definition.attributes.get("PSCLUS") == "DISABLED":
        raise error(
            mq.MQRCCF_PSCLUS_DISABLED_TOPDEF,
            f"topic {definition.name} has CLUSTER({cluster}), and the queue manager is PSCLUS(DISABLED)",
            object=definition.name,
        )
    if definition.name == BASE_TOPIC:
        raise error(mq.MQRC_TOPIC_STRING_ERROR, f"{BASE_TOPIC} cannot be a cluster topic", object=BASE_TOPIC)
    route = route_of(values)
    known: Content = dict(before.attributes) if before is not None else {}
    if known.get("CLUSTER") and route_of(known) != route:
        raise error(
            mq.MQRCCF_CLROUTE_NOT_ALTERABLE,
            f"topic {definition.name} is in cluster {known['CLUSTER']}: set CLUSTER(' ') before CLROUTE",
            object=definition.name,
        )
    for key, body in engine.clusters.topics(cluster):
        own = key.owner == engine.clusters.qmid and key.name == definition.name
        found = {(cluster, _text(body)): route_of(body.get("attributes") or {})}
        if not own and text and _contradiction(found, cluster, text, route):
            raise error(
                mq.MQRCCF_CLUSTER_TOPIC_CONFLICT,
                f"topic {key.name} of {body.get('qmgr')} has CLROUTE({found[cluster, _text(body)]}) at"
                f" {_text(body)} in cluster {cluster}",
                object=key.name,
            )


def check_disabling(engine: Engine, changes: Content) -> None:
    """Refuse PSCLUS(DISABLED) while cluster topics are known: 3360."""
    now = engine.definition.attributes.get("PSCLUS")
    if changes.get("PSCLUS") != "DISABLED" or now == "DISABLED":
        return
    own = [each.name for each in engine.objects.all("TOPIC") if each.attributes.get("CLUSTER")]
    names = own or [key.name for key, _ in engine.clusters.topics()]
    if names:
        raise error(mq.MQRCCF_PSCLUS_TOPIC_EXISTS, f"cluster topic {names[0]} exists", object=names[0])
