"""What queue managers of a cluster tell each other: ADVERT, ASK, TELL, DIGEST, WANT and GONE.

An owner sends changes of its records to two full repositories, a full repository to all others; full
repositories pass them on to each other and to the members that asked for them. Digests are compared when a
channel starts and from time to time; what differs is sent again, so a lost message or a restored backup is
repaired without a command. `Work` has everything that one message causes, in one unit.
Invariants: a record is taken from its owner or from a full repository of its cluster, which must be one of
the channel it came by; an own record is never taken, but replaced by a higher version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters import own_objects, record
from penstock.qmgr.clusters.record import MEMBER, QUEUE, TOPIC, Key, Record
from penstock.qmgr.clusters.state import COUNTER, FORGET, INTEREST, TARGETS
from penstock.qmgr.clusters.work import REFRESHES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.clusters.sender_proof import Sender
    from penstock.qmgr.clusters.state import Name
    from penstock.qmgr.clusters.work import Work

ADVERT, ASK, TELL, DIGEST, WANT, GONE = "ADVERT", "ASK", "TELL", "DIGEST", "WANT", "GONE"
APPS = "APPS"  # of uniform clusters: see `applications`
EVERY_MEMBER: Name = (MEMBER, "*")  # the wish to know all members of the clusters
OVERRIDE_SECONDS = 10.0  # after FORCEREMOVE; until then the member is out
SETTLED_SECONDS = 3600.0  # a record of this age that a full repository does not have does not exist


class Refused(Exception):
    """A message that is not applied, and why."""


class Exchange:
    """The messages between this repository and others."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.state = clusters.state
        self.repository = clusters.state.repository
        self.overrides: dict[Key, float] = {}  # own records that FORCEREMOVE has removed: when they return
        self.stale: dict[Key, None] = {}  # records that a REFRESH CLUSTER has doubts about

    # -- own records -----------------------------------------------------------------------

    def reconcile(self, work: Work, only: tuple[str, str] | None = None) -> None:
        """Make the own records what the definitions say, all of them or those of one object."""
        clusters, engine = self.clusters, self.clusters.engine
        owned = self.repository.owned(clusters.qmid)
        if only is None:
            wanted = self.desired()
        else:
            kind, name = only
            definition = engine.objects.find("TOPIC" if kind == TOPIC else "QUEUE", name)
            found = (
                own_objects.object_records(engine, clusters.qmid, definition, clusters.inside)
                if (definition is not None)
                else ()
            )
            wanted = dict(found)
            owned = [key for key in self.repository.named(kind, name) if key.owner == clusters.qmid]
        changed = []
        for key in dict.fromkeys((*wanted, *owned)):
            known = self.repository.find(key)
            body = wanted.get(key)
            if key not in self.overrides and (known.body if known is not None else None) != body:
                self.renew(work, key, body)
                changed.append(key)
        self.advertise(work, changed)

    def desired(self) -> dict[Key, dict[str, Any]]:
        """Return the own records as the definitions say."""
        clusters = self.clusters
        return own_objects.desired(
            clusters.engine, clusters.qmid, set(self.state.suspended), clusters.listening
        )

    def renew(self, work: Work, key: Key, body: dict[str, Any] | None) -> None:
        """Give an own record a new version."""
        work.note(COUNTER, self.state.counter + 1)
        work.merge(key, Record(self.state.counter, body, work.clock))

    def advertise(self, work: Work, keys: Iterable[Key]) -> None:
        """Send own records to the repositories of their clusters, and on if this is one."""
        by_cluster: dict[str, list[Key]] = {}
        for key in keys:
            by_cluster.setdefault(key.cluster, []).append(key)
        for cluster, own in by_cluster.items():
            for channel in self.clusters.members_part.repository_channels(cluster):
                work.send(channel, ADVERT, cluster, records=self.packed(own, work.clock))
            if self.clusters.is_full(cluster):
                self._tell_interested(work, cluster, own, "")

    def packed(self, keys: Iterable[Key], clock: float) -> list[Any]:
        """Return records for a message."""
        return [record.pack(key, self.repository.records[key], clock) for key in keys]

    def own_members(self, cluster: str) -> list[Key]:
        """Return the keys of the own member records in a cluster."""
        return [key for key in self.repository.owned(self.clusters.qmid, cluster) if key.kind == MEMBER]

    # -- new partners ----------------------------------------------------------------------

    def introduce(self, work: Work) -> None:
        """Send the own records to repositories that have not had them, and forget those that left."""
        clusters = self.clusters
        for cluster in dict.fromkeys((*clusters.inside, *self.state.targets)):
            channels = (
                clusters.members_part.repository_channels(cluster) if cluster in clusters.inside else []
            )
            known = self.state.targets.get(cluster, [])
            if channels != known:
                work.note(TARGETS, cluster, channels)
                self._withdraw(work, cluster, [each for each in known if each not in channels])
            for channel in channels:
                if channel not in known:
                    own = self.repository.owned(clusters.qmid, cluster)
                    work.send(channel, ADVERT, cluster, records=self.packed(own, work.clock))
                    self.send_digest(work, cluster, channel)

    def _withdraw(self, work: Work, cluster: str, channels: list[str]) -> None:
        """End the interest at full repositories that this one deals with no more."""
        fulls = {key.name for key, _ in self.repository.fulls(cluster)}
        if cluster in self.clusters.inside and not self.clusters.is_full(cluster):
            for channel in channels:
                if channel in fulls:
                    self.send_digest(work, cluster, channel, names=[])

    def send_digest(
        self,
        work: Work,
        cluster: str,
        channel: str,
        refresh: bool = False,
        names: list[Name] | None = None,
    ) -> None:
        """Send what this repository has in short, with the names it asks for (or `names`)."""
        clusters = self.clusters
        names = list(self.state.wanted) if names is None else names
        facts: dict[str, Any] = {"me": self.packed(self.own_members(cluster), work.clock)}
        if clusters.is_full(cluster):
            facts["owners"] = self.repository.digests(cluster)
        else:
            facts["own"] = self.repository.digest(cluster, clusters.qmid)
            facts["names"] = [list(name) for name in names]
            held = self.repository.sum_of(self.relevant(cluster, names, clusters.qmid))
            facts["held"] = REFRESHES if refresh else held
        work.send(channel, DIGEST, cluster, **facts)

    def relevant(self, cluster: str, names: Iterable[Name], asker: str) -> list[Key]:
        """Return the live records that a partial repository must have, given the names it asks for."""
        found: dict[Key, None] = {key: None for key, _ in self.repository.fulls(cluster)}
        owners: dict[str, None] = {}
        direct, wanted = False, dict.fromkeys(names).keys()  # in order: what is sent depends on it
        for name in self.repository.names(TOPIC):
            for key, body in self.repository.live(self.repository.named(TOPIC, name)):
                if key.cluster == cluster:
                    found[key] = owners[key.owner] = None
                    direct = direct or body.get("attributes", {}).get("CLROUTE") != "TOPICHOST"
        for _, name in wanted:
            for key, _ in self.repository.live(self.repository.named(QUEUE, name)):
                if key.cluster == cluster:
                    found[key] = owners[key.owner] = None
        direct = direct or EVERY_MEMBER in wanted
        for key, body in self.repository.members(cluster):
            if direct or key.owner in owners or not wanted.isdisjoint(_asked_by(key, body)):
                found[key] = None
        return [key for key in found if key.owner != asker]

    def _tombstones(self, cluster: str, names: Iterable[Name], asker: str) -> list[Key]:
        wanted = set(names)
        return [
            key
            for key in self.repository.in_cluster(cluster)
            if self.repository.records[key].removed
            and key.owner != asker
            and (key.kind != QUEUE or not wanted.isdisjoint(_asked_by(key)))
        ]

    # -- messages that arrive --------------------------------------------------------------

    def take(self, work: Work, facts: Any, partner: Sender, clusters_of_channel: tuple[str, ...]) -> None:
        """Apply a message of a member; Refused when it may not be applied."""
        sender = partner.qmid
        if not isinstance(facts, dict) or facts.get("v") != 1 or not isinstance(facts.get("cluster"), str):
            raise Refused("it cannot be read")
        cluster, kind = facts["cluster"], facts.get("kind")
        if facts.get("from") != sender:
            raise Refused(
                f"it claims to come from {facts.get('from')!r:.50}, the channel's partner is {sender}"
            )
        self._check_name(cluster, facts, partner)
        if cluster not in self.clusters.inside:
            raise Refused(f"it is about cluster {cluster}, which this queue manager is not in")
        if cluster not in clusters_of_channel:
            raise Refused(f"it is about cluster {cluster}, which the channel is not in")
        unknown = not self._members_of(cluster, sender)
        handlers = {
            ADVERT: self._advert,
            ASK: self._ask,
            TELL: self._tell,
            DIGEST: self._digest,
            WANT: self._want,
            GONE: self._gone,
            APPS: self._apps,
        }
        handler = handlers.get(str(kind))
        if handler is None:
            raise Refused(f"it has the unknown kind {kind!r:.20}")
        if kind != ADVERT and isinstance(facts.get("me"), list):
            self._take_records(work, cluster, sender, facts["me"])
        handler(work, cluster, sender, facts, unknown)
        self.introduce(work)

    def _check_name(self, cluster: str, facts: dict[str, Any], partner: Sender) -> None:
        """Refuse a QMID under another name than its own, and a member record with a name of somebody else."""
        known = [body for _, body in self.repository.live(self._members_of(cluster, partner.qmid))]
        for values in (facts.get("me"), facts.get("records")):
            for value in values if isinstance(values, list) else ():
                if isinstance(value, list) and value[1:2] == [MEMBER] and value[3:4] == [partner.qmid]:
                    known += [each for each in value[5:6] if isinstance(each, dict)]
        for body in known:
            if body.get("qmgr") != partner.qmgr:
                name = f"{body.get('qmgr')!r:.50}"
                raise Refused(f"{partner.qmid} is called {name}, the channel's partner is {partner.qmgr}")

    def _members_of(self, cluster: str, qmid: str) -> list[Key]:
        return [key for key in self.repository.owned(qmid, cluster) if key.kind == MEMBER]

    def _channel(self, cluster: str, qmid: str) -> str:
        return self.clusters.members_part.channel_to(cluster, qmid)

    def _is_full(self, cluster: str, qmid: str) -> bool:
        return any(body.get("repos") for _, body in self.repository.live(self._members_of(cluster, qmid)))

    def _was_full(self, cluster: str, qmid: str) -> bool:
        """Return whether a removed member still acts as a full repository.

        It counts only for this queue manager: so two members that removed each other come back.
        """
        guests = self.clusters.members_part.guests.values()
        return any((key.cluster, key.owner) == (cluster, qmid) and body.get("repos") for key, body in guests)

    def _take_records(self, work: Work, cluster: str, sender: str, values: Any) -> dict[Key, Record | None]:
        """Merge records; return those that are new to this repository, with the old ones."""
        if not isinstance(values, list):
            raise Refused("its records are not a list")
        try:
            unpacked = [record.unpack(value, work.clock) for value in values]
        except ValueError as failure:
            raise Refused(str(failure)) from failure
        # the sender's own records first: they say whether it may speak for others; members after queues
        unpacked.sort(key=lambda each: (each[0].owner != sender, each[0].kind == MEMBER))
        news: dict[Key, Record | None] = {}
        outdated: list[Key] = []  # where the sender itself has lost: it was restored, or removed by force
        arriving = {key.owner for key, _ in unpacked if key.kind != MEMBER and self._wants(key)}
        for key, value in unpacked:
            if key.cluster != cluster:
                continue
            if key.owner == self.clusters.qmid:
                if self._is_full(cluster, sender) or self._was_full(cluster, sender):
                    self._about_us(work, key, value)
                continue
            if key.owner != sender and not self._is_full(cluster, sender):
                continue
            if not self.clusters.is_full(cluster) and not self._is_wanted(key, value, arriving):
                continue
            before = self.repository.find(key)
            if before is None and key.owner != sender and _is_stale(value, work.clock):
                continue
            changed = work.merge(key, value)
            after = self.repository.records[key]
            if key.owner == sender and (not after.says_the_same_as(value) or _lost_days(value, after)):
                outdated.append(key)
                if key.kind == MEMBER and after.removed and value.body is not None:
                    self.clusters.members_part.guests[key.name] = (key, value.body)
            if changed:
                news[key] = before
        channel = self._channel(cluster, sender)
        if outdated and channel and self.clusters.is_full(cluster):
            me = self.packed(self.own_members(cluster), work.clock)
            work.send(channel, TELL, cluster, me=me, records=self.packed(outdated, work.clock))
        return news

    def _wants(self, key: Key) -> bool:
        return key.kind == TOPIC or any(name in self.state.wanted for name in _asked_by(key))

    def _is_wanted(self, key: Key, value: Record, arriving: set[str]) -> bool:
        """Return whether a partial repository keeps a record."""
        if key in self.repository.records or self._wants(key):
            return True
        if key.kind != MEMBER:
            return False
        if (value.body or {}).get("repos") or key.owner in arriving or EVERY_MEMBER in self.state.wanted:
            return True
        if any(name in self.state.wanted for name in _asked_by(key, value.body)):
            return True
        return self.clusters.members_part.is_direct(key.cluster)

    def _about_us(self, work: Work, key: Key, value: Record) -> None:
        """Take an own record from another member: replace it unless this queue manager sent it last."""
        known = self.repository.find(key)
        same = known is not None and (known.body, known.forced) == (value.body, value.forced)
        if known is not None and same and value.version == known.version:
            if _lost_days(known, value) and known.body is not None:
                self._renew_all(work, key.cluster)
            return
        if known is not None and value.version < known.version:
            return
        if value.forced and known is not None and value.version == known.version:
            value = value._replace(version=value.version + 1)  # a renewal here had the same number
        work.note(COUNTER, max(self.state.counter, value.version))
        if value.forced:
            work.merge(key, value)
            self.overrides[key] = work.clock + OVERRIDE_SECONDS
            if key.kind == MEMBER:
                self.clusters.warn(
                    f"This queue manager was removed from cluster {key.cluster} by RESET CLUSTER; it returns"
                    f" in {OVERRIDE_SECONDS:.0f} seconds, unless its {key.name} leaves the cluster"
                )
            return
        wanted = self.desired()
        if value.removed and key not in wanted:
            work.merge(key, value)
            return
        self.clusters.warn(
            f"A full repository of cluster {key.cluster} knows {key.name} of this queue manager from a later"
            " time: it was probably restored from a backup. What is defined here now is sent again"
        )
        self.renew(work, key, wanted.get(key))
        self.advertise(work, [key])

    def _renew_all(self, work: Work, cluster: str) -> None:
        """Renew the own records: this queue manager did not run for days that others have counted."""
        own = self.repository.owned(self.clusters.qmid, cluster)
        live = list(self.repository.live(own))
        for key, body in live:
            self.renew(work, key, body)
        self.advertise(work, [key for key, _ in live])

    def _advert(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        news = self._take_records(work, cluster, sender, facts.get("records"))
        if not self.clusters.is_full(cluster):
            if not self._is_full(cluster, sender) and news:
                self.clusters.warn(
                    f"{facts.get('qmgr')!s:.48} has sent its records in cluster {cluster} to this queue"
                    " manager, which is not a full repository: its CLUSSDR should lead to one"
                )
            return
        self._pass_on(work, cluster, sender, news)
        if unknown and not self._is_full(cluster, sender):
            self._tell_all(work, cluster, sender, [])

    def _pass_on(self, work: Work, cluster: str, sender: str, news: dict[Key, Record | None]) -> None:
        """Tell other full repositories, if it comes from the owner, and the members who asked."""
        if not news:
            return
        if not self._is_full(cluster, sender):
            for channel in self.clusters.members_part.repository_channels(cluster):
                if channel != self._channel(cluster, sender):
                    work.send(channel, TELL, cluster, records=self.packed(news, work.clock))
        self._tell_interested(work, cluster, list(news), sender, news)

    def _tell_interested(
        self,
        work: Work,
        cluster: str,
        keys: list[Key],
        sender: str,
        before: dict[Key, Record | None] | None = None,
    ) -> None:
        """Send changed records to the members that have to know them, with the channels of their owners."""
        everybody = self.clusters.members_part.is_direct(cluster)
        by_member: dict[str, dict[Key, None]] = {}
        for key in keys:
            for qmid in self._readers(cluster, key, (before or {}).get(key), everybody):
                if qmid not in (sender, self.clusters.qmid, key.owner):
                    found = by_member.setdefault(qmid, {})
                    found[key] = None
                    if key.kind != MEMBER:
                        found.update(dict.fromkeys(self._members_of(cluster, key.owner)))
        for qmid, wanted in by_member.items():
            channel = self._channel(cluster, qmid)
            if channel:
                work.send(channel, TELL, cluster, records=self.packed(wanted, work.clock))

    def _readers(self, cluster: str, key: Key, before: Record | None, everybody: bool) -> Iterable[str]:
        """Return the QMIDs of partial repositories that have to know a record."""
        partial = [each.owner for each, body in self.repository.members(cluster) if not body.get("repos")]
        if key.kind == TOPIC:
            return partial
        after = self.repository.records[key].body or {}
        names = dict.fromkeys((*_asked_by(key, after), *_asked_by(key, before and before.body)))
        if key.kind == QUEUE:
            return self._asking(cluster, names)
        if everybody or after.get("repos") or ((before and before.body) or {}).get("repos"):
            return partial
        names[EVERY_MEMBER] = None
        for own in self.repository.owned(key.owner, cluster):
            if own.kind == TOPIC:
                return partial
            if own.kind == QUEUE:
                names.update(dict.fromkeys(_asked_by(own)))
        return self._asking(cluster, names)

    def _asking(self, cluster: str, names: Iterable[Name]) -> dict[str, None]:
        """Return the QMIDs of partial repositories that have asked for one of some names."""
        asked = self.state.interested
        return {qmid: None for name in names for qmid in asked.get((cluster, *name), ())}

    def _ask(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        names = _names(facts)
        if not self.clusters.is_full(cluster):
            return
        for kind, name in names:
            work.note(INTEREST, cluster, kind, name, sender, work.clock)
        self._tell_all(work, cluster, sender, names)

    def _tell_all(
        self, work: Work, cluster: str, qmid: str, names: list[Name], complete: bool = False
    ) -> None:
        """Send a partial repository all records of some names."""
        channel = self._channel(cluster, qmid)
        if channel:
            keys = [*self.relevant(cluster, names, qmid), *self._tombstones(cluster, names, qmid)]
            facts: dict[str, Any] = {"names": [list(each) for each in names]}
            if complete:
                facts["complete"] = True
            me = self.packed(self.own_members(cluster), work.clock)
            work.send(channel, TELL, cluster, me=me, records=self.packed(keys, work.clock), **facts)

    def _tell(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        news = self._take_records(work, cluster, sender, facts.get("records"))
        if self.clusters.is_full(cluster):
            self._pass_on(work, cluster, sender, news)
        if not self._is_full(cluster, sender):
            return
        if facts.get("complete") and not self.clusters.is_full(cluster):
            self._drop_missing(work, cluster, facts)
        self.clusters.interest.answered(cluster, _names(facts), work)

    def _drop_missing(self, work: Work, cluster: str, facts: dict[str, Any]) -> None:
        """Forget what a full repository does not know, if it should."""
        told = {Key(*value[:4]) for value in (*facts["records"], *(facts.get("me") or []))}
        for key in self.repository.in_cluster(cluster):
            held = self.repository.records[key]
            if key in told or key.owner == self.clusters.qmid or held.removed:
                continue
            if key in self.stale or work.clock - held.born > SETTLED_SECONDS:
                work.drop(key)
        self.stale = {key: None for key in self.stale if key.cluster != cluster}

    def _digest(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        if not self.clusters.is_full(cluster):
            return
        channel = self._channel(cluster, sender)
        if not channel:
            return
        if unknown:
            me = self.packed(self.own_members(cluster), work.clock)
            work.send(channel, GONE, cluster, me=me)
            return
        if "owners" in facts and self._is_full(cluster, sender):
            self._set_interest(work, cluster, sender, [])  # it is sent everything
            self._compare_owners(work, cluster, sender, channel, facts["owners"])
            return
        own = facts.get("own")
        if not isinstance(own, list) or len(own) != 3:
            raise Refused("its digest cannot be read")
        if own[1:] != self.repository.digest(cluster, sender)[1:]:
            self._want_and_tell(work, cluster, channel, [sender])
        names = _names(facts)
        self._set_interest(work, cluster, sender, names)
        if facts.get("held") != self.repository.sum_of(self.relevant(cluster, names, sender)):
            self._tell_all(work, cluster, sender, names, complete=True)

    def _compare_owners(self, work: Work, cluster: str, sender: str, channel: str, theirs: Any) -> None:
        if not isinstance(theirs, dict):
            raise Refused("its digest cannot be read")
        mine = self.repository.digests(cluster)
        differing = [
            owner
            for owner in sorted({*mine, *theirs})
            if isinstance(owner, str) and list(theirs.get(owner, ()))[1:] != mine.get(owner, [])[1:]
        ]
        if differing:
            self._want_and_tell(work, cluster, channel, differing)

    def _want_and_tell(self, work: Work, cluster: str, channel: str, owners: list[str]) -> None:
        """Ask for the records of some owners, and send what is held of them."""
        keys = [key for owner in owners for key in self.repository.owned(owner, cluster)]
        me = self.packed(self.own_members(cluster), work.clock)
        work.send(channel, TELL, cluster, me=me, records=self.packed(keys, work.clock))
        work.send(channel, WANT, cluster, owners=owners)

    def _want(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        channel, owners = self._channel(cluster, sender), facts.get("owners")
        if not isinstance(owners, list):
            raise Refused("its wish cannot be read")
        full = self.clusters.is_full(cluster)
        allowed = [each for each in owners if isinstance(each, str) and (full or each == self.clusters.qmid)]
        keys = [key for owner in allowed for key in self.repository.owned(owner, cluster)]
        if channel and keys:
            kind = TELL if full else ADVERT
            work.send(channel, kind, cluster, records=self.packed(keys, work.clock))

    def _gone(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        """Start anew: others have forgotten this member, and tombstones with it."""
        if not self._is_full(cluster, sender):
            return
        for key in self.repository.in_cluster(cluster):
            if key.owner != self.clusters.qmid:
                work.dropped(key, self.repository.records[key])
        work.note(FORGET, cluster, self.clusters.qmid)
        work.note(TARGETS, cluster, [])
        self.clusters.warn(
            f"The full repositories of cluster {cluster} had forgotten this queue manager: it joins again"
        )
        if isinstance(facts.get("me"), list):
            self._take_records(work, cluster, sender, facts["me"])

    def _apps(self, work: Work, cluster: str, sender: str, facts: dict[str, Any], unknown: bool) -> None:
        """Note how many instances of each application a member has."""
        applications = self.clusters.applications
        if cluster != applications.cluster or unknown:
            return
        if not applications.heard(sender, f"{facts.get('qmgr')!s:.48}", facts.get("apps"), work.now):
            raise Refused("its applications cannot be read")

    def _set_interest(self, work: Work, cluster: str, qmid: str, names: list[Name]) -> None:
        """Have exactly these names as the interest of a member, renewed when that is due."""
        wanted = set(names)
        for (own, kind, name), asked in list(self.state.interested.items()):
            if own == cluster and qmid in asked and (kind, name) not in wanted:
                work.note(INTEREST, cluster, kind, name, qmid, -1)
        for kind, name in names:
            since = self.state.interested.get((cluster, kind, name), {}).get(qmid)
            if since is None or work.clock - since > record.FRESH_SECONDS:
                work.note(INTEREST, cluster, kind, name, qmid, work.clock)


def _asked_by(key: Key, body: dict[str, Any] | None = None) -> tuple[Name, ...]:
    """Return the names by which a record is asked for: an alias of a queue manager by both kinds."""
    if key.kind == MEMBER:
        return ((MEMBER, str((body or {}).get("qmgr", ""))),)
    return ((QUEUE, key.name), (MEMBER, key.name))


def _lost_days(own: Record, elsewhere: Record) -> bool:
    """Return whether a record is older elsewhere than its owner knows: the owner was stopped, or restored."""
    return own.born - elsewhere.born > record.FRESH_SECONDS


def _is_stale(value: Record, clock: float) -> bool:
    """Return whether nobody has renewed a record for so long that one who forgot it does not take it again.

    The age of a record does not count the way of its message: without this, two who send it to each other
    slowly would keep a member that is gone for ever.
    """
    return value.body is not None and clock - value.born >= record.STALE_SECONDS


NAMES_MAX = 10_000  # that one member may be interested in


def _names(facts: dict[str, Any]) -> list[Name]:
    values = facts.get("names", [])
    if not isinstance(values, list) or len(values) > NAMES_MAX:
        raise Refused("its names are not a list")
    found = []
    for each in values:
        if not (isinstance(each, list) and len(each) == 2 and all(isinstance(text, str) for text in each)):
            raise Refused("its names cannot be read")
        if len(each[1]) > record.TEXT_MAX or each[0] not in record.KINDS:
            raise Refused("its names cannot be read")
        found.append((each[0], each[1]))
    return found
