"""The members of clusters, and the channels to them: by hand, from their records, or both.

A member's CLUSRCVR is in its record; the sender to it is defined automatically from that, with the same
name. A CLUSSDR that was defined by hand leads to a repository that need not be known yet; once it is known,
its record has the attributes of the channel (DEFTYPE CLUSSDRB).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.clusters import own_objects
from penstock.qmgr.clusters.record import MEMBER, TOPIC, Key
from penstock.qmgr.objects import Definition

if TYPE_CHECKING:
    from penstock.qmgr.clusters.clusters import Clusters

REPOSITORIES = 2  # full repositories that a partial one deals with, for each cluster
DOWN = ("RETRYING", "STOPPED", "PAUSED")


@dataclass(frozen=True, slots=True)
class Member:
    """One CLUSRCVR of one queue manager in one cluster."""

    cluster: str
    qmid: str
    qmgr: str
    channel: str
    attributes: dict[str, Any]
    is_full: bool
    suspended: bool
    local: bool
    version: str  # of its queue manager; empty when an older one has not said it


class Members:
    """Questions about members and channels; changes nothing."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.repository = clusters.state.repository
        # members that were removed and still send: they can be answered
        self.guests: dict[str, tuple[Key, dict[str, Any]]] = {}
        self._made: dict[str, tuple[Any, Definition]] = {}  # auto-defined channels, while nothing changed

    # -- members ---------------------------------------------------------------------------

    def member(self, key: Key, body: dict[str, Any]) -> Member:
        """Return a record as a member."""
        local = key.owner == self.clusters.qmid
        attributes = body.get("attributes") or {}
        return Member(
            key.cluster,
            key.owner,
            str(body.get("qmgr", "")),
            key.name,
            attributes,
            bool(body.get("repos")),
            bool(body.get("suspended")),
            local,
            str(body.get("version", "")),
        )

    def all(self, cluster: str = "") -> list[Member]:
        """Return the known members, ourselves too."""
        names = [cluster] if cluster else list(self.clusters.inside)
        return [self.member(*each) for name in names for each in self.repository.members(name)]

    def named(self, qmgr: str) -> list[Member]:
        """Return the members of a name, the most recent first."""
        found = [each for each in self.all() if each.qmgr == qmgr]
        records = self.repository.records
        return sorted(
            found, key=lambda each: -records[Key(each.cluster, MEMBER, each.channel, each.qmid)].version
        )

    def is_direct(self, cluster: str) -> bool:
        """Return whether everybody in a cluster has to know everybody: a topic of it has CLROUTE(DIRECT)."""
        for name in self.repository.names(TOPIC):
            for key, body in self.repository.live(self.repository.named(TOPIC, name)):
                if key.cluster == cluster and body.get("attributes", {}).get("CLROUTE") != "TOPICHOST":
                    return True
        return False

    # -- channels --------------------------------------------------------------------------

    def manual(self, cluster: str = "") -> dict[str, Definition]:
        """Return the CLUSSDR definitions, or those of a cluster."""
        engine = self.clusters.engine
        return {
            each.name: each
            for each in own_objects.channels(engine, "CLUSSDR")
            if str(each.attributes["CONNAME"]).strip() and _in(own_objects.clusters_of(engine, each), cluster)
        }

    def channel_to(self, cluster: str, qmid: str) -> str:
        """Return the channel to a member; empty if it is not known."""
        found = [key.name for key, _ in self.repository.members(cluster) if key.owner == qmid]
        guests = [key.name for key, _ in self.guests.values() if (key.cluster, key.owner) == (cluster, qmid)]
        return min(found or guests, default="")

    def repository_channels(self, cluster: str) -> list[str]:
        """Return the channels by which own records go to full repositories.

        To two of them, or from a full repository to all others. Channels defined by hand come first; those
        that lead to a queue manager that is not known yet are used until enough are known.
        """
        manual = self.manual(cluster)
        fulls: dict[str, str] = {}
        known = set()
        for key, body in self.repository.members(cluster):
            known.add(key.name)
            if body.get("repos") and key.owner != self.clusters.qmid:
                fulls.setdefault(key.owner, key.name)
        names = list(fulls.values())
        unknown = [name for name in manual if name not in known]
        if self.clusters.is_full(cluster):
            return [*names, *unknown]
        names.sort(
            key=lambda name: (self.clusters.channel_state(name) in DOWN, name not in manual, self._mix(name))
        )
        return [*names, *unknown][:REPOSITORIES]

    def _mix(self, name: str) -> bytes:
        """Return a number by which the members spread over the full repositories."""
        return blake2b(f"{self.clusters.qmid}\0{name}".encode(), digest_size=8).digest()

    def owner_of(self, channel: str) -> tuple[Key, dict[str, Any]] | None:
        """Return the record of a CLUSRCVR of this name at another queue manager."""
        found = [
            (key, body)
            for key, body in self.repository.live(self.repository.named(MEMBER, channel))
            if key.owner != self.clusters.qmid
        ]
        return max(
            found, key=lambda each: self.repository.records[each[0]].born, default=self.guests.get(channel)
        )

    def deftype(self, channel: str) -> str:
        """Return how a sender came about: CLUSSDR by hand, CLUSSDRA automatically, CLUSSDRB both."""
        manual, known = channel in self.manual(), self.owner_of(channel) is not None
        return "CLUSSDRB" if manual and known else ("CLUSSDR" if manual else "CLUSSDRA")

    def definition(self, channel: str) -> Definition | None:
        """Return the definition of a cluster sender channel, with its transmission queue."""
        manual = self.manual().get(channel)
        found = self.owner_of(channel)
        if manual is None and found is None:
            return None
        xmitq = self.clusters.transmission.queue_of(channel)
        stamp = (manual, found[1] if found is not None else None, xmitq)
        made = self._made.get(channel)
        if made is not None and made[0] == stamp:
            return made[1]
        values = dict(manual.attributes) if manual is not None else defaults("CHANNEL", "CLUSSDR")
        if found is not None:
            key, body = found
            given = body.get("attributes") or {}
            keys = values.keys() & given.keys()
            values.update({each: _value(given[each]) for each in keys})
            if manual is None:
                values["CLUSTER"] = key.cluster
            else:  # who may be on the other side is decided here
                values.update({each: manual.attributes[each] for each in ("LOCLADDR", "SSLPEER")})
        values.update(CHLTYPE="CLUSSDR", XMITQ=xmitq)
        definition = Definition("CHANNEL", channel, values)
        self._made[channel] = (stamp, definition)
        return definition

    def senders(self) -> list[str]:
        """Return the names of all cluster sender channels: defined by hand, and automatically."""
        found = dict.fromkeys(self.manual())
        for cluster in self.clusters.inside:
            for key, _ in self.repository.members(cluster):
                if key.owner != self.clusters.qmid:
                    found[key.name] = None
        return list(found)


def _in(names: list[str], cluster: str) -> bool:
    return cluster in names if cluster else bool(names)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
