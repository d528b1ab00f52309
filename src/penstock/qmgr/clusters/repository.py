"""The table of repository records, with the indexes that questions need. It knows no messages and no engine.

Who may write a record, and who is told of it, is decided in `exchange`. Digests are per cluster and owner:
highest version, number, and a sum of fingerprints; two holders with equal digests have equal records.
Invariant: `merge` only ever replaces a record by `record.merged` of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters.record import (
    KEPT_SECONDS,
    MEMBER,
    USABLE_SECONDS,
    Key,
    Record,
    fingerprint,
    merged,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Digest = list[int]  # highest version, number of records, sum of fingerprints
SUM_MAX = 1 << 64


class Repository:
    """All records that this queue manager holds."""

    def __init__(self) -> None:
        self.records: dict[Key, Record] = {}
        self.generation = 0  # rises with every change
        self._by_name: dict[tuple[str, str], dict[Key, None]] = {}
        self._by_owner: dict[str, dict[Key, None]] = {}
        self._members: dict[str, dict[Key, None]] = {}  # by cluster
        self._digests: dict[tuple[str, str], Digest] = {}  # by cluster and owner

    # -- changes ---------------------------------------------------------------------------

    def merge(self, key: Key, record: Record) -> bool:
        """Take a record; return whether the table has another version or content now."""
        known = self.records.get(key)
        if known is None:
            self._put(key, record)
            return True
        winner = merged(key, known, record)
        if winner is known:
            return False
        if winner.says_the_same_as(known):
            self.records[key] = winner  # only its age
            return False
        self._digest(key, known, -1)
        self._put(key, winner)
        return True

    def _put(self, key: Key, record: Record) -> None:
        self.records[key] = record
        self._by_name.setdefault((key.kind, key.name), {})[key] = None
        self._by_owner.setdefault(key.owner, {})[key] = None
        if key.kind == MEMBER:
            self._members.setdefault(key.cluster, {})[key] = None
        self._digest(key, record, 1)
        self.generation += 1

    def drop(self, key: Key) -> None:
        """Forget a record, as if it had never arrived."""
        record = self.records.pop(key, None)
        if record is None:
            return
        self._digest(key, record, -1)
        _leave(self._by_name, (key.kind, key.name), key)
        _leave(self._by_owner, key.owner, key)
        if key.kind == MEMBER:
            _leave(self._members, key.cluster, key)
        self.generation += 1

    def expire(self, clock: float) -> list[Key]:
        """Forget what nobody has renewed for 90 days, tombstones too; return the keys."""
        old = [key for key, record in self.records.items() if clock - record.born >= KEPT_SECONDS]
        for key in old:
            self.drop(key)
        return old

    # -- digests ---------------------------------------------------------------------------

    def _digest(self, key: Key, record: Record, sign: int) -> None:
        digest = self._digests.setdefault((key.cluster, key.owner), [0, 0, 0])
        digest[0] = max(digest[0], record.version)
        digest[1] += sign
        digest[2] = (digest[2] + sign * fingerprint(key, record)) % SUM_MAX
        if not digest[1]:
            del self._digests[key.cluster, key.owner]

    def digest(self, cluster: str, owner: str) -> Digest:
        """Return the digest of an owner's records in a cluster."""
        return list(self._digests.get((cluster, owner), (0, 0, 0)))

    def digests(self, cluster: str) -> dict[str, Digest]:
        """Return the digests of all owners in a cluster."""
        return {owner: list(digest) for (own, owner), digest in self._digests.items() if own == cluster}

    def sum_of(self, keys: Iterable[Key]) -> int:
        """Return the sum of the fingerprints of some records."""
        return sum(fingerprint(key, self.records[key]) for key in keys) % SUM_MAX

    # -- questions -------------------------------------------------------------------------

    def find(self, key: Key) -> Record | None:
        """Return a record, a tombstone too; None when there is none."""
        return self.records.get(key)

    def named(self, kind: str, name: str) -> list[Key]:
        """Return the keys of all records of a name, tombstones among them."""
        return list(self._by_name.get((kind, name), ()))

    def owned(self, owner: str, cluster: str = "") -> list[Key]:
        """Return the keys of all records of an owner."""
        return [key for key in self._by_owner.get(owner, ()) if cluster in ("", key.cluster)]

    def live(self, keys: Iterable[Key]) -> Iterator[tuple[Key, dict[str, Any]]]:
        """Yield those that are not removed, with their content."""
        for key in keys:
            body = self.records[key].body
            if body is not None:
                yield key, body

    def usable(self, key: Key, clock: float) -> bool:
        """Return whether new requests may use a record."""
        record = self.records.get(key)
        return record is not None and not record.removed and clock - record.born < USABLE_SECONDS

    def members(self, cluster: str) -> list[tuple[Key, dict[str, Any]]]:
        """Return the live members of a cluster, one entry for each CLUSRCVR."""
        return list(self.live(self._members.get(cluster, ())))

    def fulls(self, cluster: str) -> list[tuple[Key, dict[str, Any]]]:
        """Return the full repositories of a cluster."""
        return [(key, body) for key, body in self.members(cluster) if body.get("repos")]

    def in_cluster(self, cluster: str) -> list[Key]:
        """Return the keys of all records of a cluster."""
        return [key for key in self.records if key.cluster == cluster]

    def clusters(self) -> list[str]:
        """Return the names of all clusters that are known."""
        return list(dict.fromkeys(key.cluster for key in self.records))

    def names(self, kind: str) -> list[str]:
        """Return the names of all records of a kind."""
        return [name for own, name in self._by_name if own == kind]


def _leave(index: dict[Any, dict[Key, None]], at: Any, key: Key) -> None:
    """Take a key out of an index."""
    del index[at][key]
    if not index[at]:
        del index[at]
