"""What keeps a cluster in order: leases, digests, and the commands SUSPEND, RESUME, REFRESH and RESET.

An owner sends its records again when they are 27 days old, each at its own moment of the day that follows.
Digests go to the full repositories every ten minutes after a change, and every hour otherwise.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.clusters import record
from penstock.qmgr.clusters.record import DAY, MEMBER, Key, Record
from penstock.qmgr.clusters.state import INTEREST, SUSPENDED, TARGETS, WANT
from penstock.qmgr.clusters.work import Work

if TYPE_CHECKING:
    from penstock.qmgr.clusters.clusters import Clusters

LOOK_SECONDS = 60.0  # between looks at ages
DIGEST_SECONDS = 600.0
QUIET_DIGEST_SECONDS = 3600.0


class Upkeep:
    """The clock-driven part, and the commands."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.state = clusters.state
        self.repository = clusters.state.repository
        self._looked = self._digested = -1e9  # on the cluster clock
        self._generation = -1

    def tick(self, now: float) -> None:
        """Look at ages, and send digests, when that is due."""
        clock = self.state.clock.advance(now)
        exchange = self.clusters.exchange
        due = [key for key, at in exchange.overrides.items() if clock >= at]
        wait = DIGEST_SECONDS if self._generation != self.repository.generation else QUIET_DIGEST_SECONDS
        digests = clock - self._digested >= wait
        if not due and not digests and clock - self._looked < LOOK_SECONDS:
            return
        self._looked = clock
        work = Work(self.clusters, now)
        if due:
            for key in due:
                del exchange.overrides[key]
            exchange.reconcile(work)
        self._renew(work)
        self._expire(work)
        exchange.introduce(work)
        if digests:
            self._digested, self._generation = clock, self.repository.generation
            for cluster in self.clusters.inside:
                for channel in self.clusters.members_part.repository_channels(cluster):
                    exchange.send_digest(work, cluster, channel)
        work.finish()

    def _renew(self, work: Work) -> None:
        """Send own records again before others stop using them."""
        old = [
            key
            for key in self.repository.owned(self.clusters.qmid)
            if not self.repository.records[key].removed
            and work.clock - self.repository.records[key].born >= record.RENEWED_SECONDS + spread(key)
        ]
        for key in old:  # a new version, so that digests repair a renewal that was lost
            self.clusters.exchange.renew(work, key, self.repository.records[key].body)
        self.clusters.exchange.advertise(work, old)

    def _expire(self, work: Work) -> None:
        """Forget what nobody has renewed: records after 90 days, wishes after 30."""
        own = self.clusters.qmid
        for key, held in list(self.repository.records.items()):
            if work.clock - held.born >= record.KEPT_SECONDS and (held.removed or key.owner != own):
                work.drop(key)
        for wanted, used in list(self.state.wanted.items()):
            if work.clock - used >= record.USABLE_SECONDS:
                work.note(WANT, *wanted, -1)
        for (cluster, kind, name), asked in list(self.state.interested.items()):
            for qmid, since in list(asked.items()):
                if work.clock - since >= record.USABLE_SECONDS:
                    work.note(INTEREST, cluster, kind, name, qmid, -1)

    # -- commands --------------------------------------------------------------------------

    def _check_member(self, cluster: str) -> None:
        if cluster not in self.clusters.inside:
            known = ", ".join(self.clusters.inside) or "none"
            raise error(
                mq.MQRCCF_NONE_FOUND,
                f"this queue manager is not in cluster {cluster}; it is in {known}",
                object=cluster,
            )

    def suspend(self, names: list[str], suspended: bool, now: float) -> None:
        """SUSPEND QMGR and RESUME QMGR: others avoid this queue manager, or do not any more."""
        for cluster in names:
            self._check_member(cluster)
        work = Work(self.clusters, now)
        left = [each for each in self.state.suspended if each not in names]
        work.note(SUSPENDED, [*left, *names] if suspended else left)
        self.clusters.exchange.reconcile(work)
        work.finish()

    def refresh(self, cluster: str, repositories_too: bool, now: float) -> None:
        """REFRESH CLUSTER: learn everything again; what is known stays in use until it is replaced."""
        names = list(self.clusters.inside) if cluster == "*" else [cluster]
        for name in names:
            self._check_member(name)
            if repositories_too and self.clusters.is_full(name):
                raise error(
                    mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
                    f"REPOS(YES) is refused: this queue manager is a full repository of {name}",
                    object=name,
                )
        work = Work(self.clusters, now)
        exchange = self.clusters.exchange
        for name in names:
            for key in self.repository.in_cluster(name):
                body = self.repository.records[key].body
                if key.owner == self.clusters.qmid:
                    if body is not None:
                        exchange.renew(work, key, body)
                elif repositories_too or not (body or {}).get("repos"):
                    exchange.stale[key] = None
            exchange.advertise(work, self.repository.owned(self.clusters.qmid, name))
            if repositories_too:
                work.note(TARGETS, name, [])
            for channel in self.clusters.members_part.repository_channels(name):
                exchange.send_digest(work, name, channel, refresh=True)
        exchange.introduce(work)
        work.finish()

    def force_remove(self, cluster: str, qmid: str, qmgr: str, queues: bool, now: float) -> int:
        """RESET CLUSTER ACTION(FORCEREMOVE): remove a member, which may come back."""
        self._check_member(cluster)
        if not self.clusters.is_full(cluster):
            raise error(
                mq.MQRCCF_NONE_FOUND,
                f"only a full repository of {cluster} can remove members; this queue manager is none",
                object=cluster,
            )
        found = {
            key.owner: None
            for key, body in self.repository.members(cluster)
            if (qmid and key.owner == qmid) or (qmgr and body.get("qmgr") == qmgr)
        }
        if len(found) > 1:
            raise error(
                mq.MQRCCF_Q_MGR_NAME_ERROR,
                f"several members of {cluster} are called {qmgr}; name one by QMID: {', '.join(found)}",
                object=qmgr,
            )
        if not found or self.clusters.qmid in found:
            why = "is this queue manager" if found else "is not a member that is known here"
            raise error(mq.MQRCCF_NONE_FOUND, f"{qmid or qmgr} {why}", object=qmid or qmgr)
        return self._remove(cluster, next(iter(found)), queues, now)

    def _remove(self, cluster: str, owner: str, queues: bool, now: float) -> int:
        work = Work(self.clusters, now)
        exchange = self.clusters.exchange
        channel = self.clusters.members_part.channel_to(cluster, owner)
        keys: dict[Key, Record | None] = {
            key: self.repository.records[key]
            for key in self.repository.owned(owner, cluster)
            if (queues or key.kind == MEMBER) and not self.repository.records[key].removed
        }
        for key, held in keys.items():
            assert held is not None
            work.merge(key, Record(held.version + 1, None, work.clock, True))
        if channel:  # the member is informed, and may come back
            work.send(channel, "TELL", cluster, records=exchange.packed(keys, work.clock))
        for other in self.clusters.members_part.repository_channels(cluster):
            work.send(other, "TELL", cluster, records=exchange.packed(keys, work.clock))
        exchange._tell_interested(work, cluster, list(keys), "", keys)
        work.finish()
        return len(keys)


def spread(key: Key) -> float:
    """Return the seconds of the 28th day at which a record is renewed."""
    return int.from_bytes(blake2b("\0".join(key).encode(), digest_size=4).digest(), "big") / 2**32 * DAY
