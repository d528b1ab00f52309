"""A repository record: what one queue manager says about one of its objects in one cluster.

Only the owner changes a record; each change has a higher version, from one durable counter of the owner. A
removed record stays as a tombstone. `merged` is the join of a semilattice, so the order, loss and repetition
of messages do not matter. No clock is compared between machines: the age of a record travels, and each
holder counts on from there with its own cluster clock (`ClusterClock`). An age does not count the time a
message was under way, so hearsay never makes a record younger: the owner renews it with a new version.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

from penstock.qmgr import records

MEMBER, QUEUE, TOPIC = "M", "Q", "T"
KINDS = (MEMBER, QUEUE, TOPIC)
DAY = 86400.0
USABLE_SECONDS = 30 * DAY  # for new requests
RENEWED_SECONDS = 27 * DAY  # the owner sends its record again, spread over the day that follows
STALE_SECONDS = 60 * DAY  # not taken from others than the owner any more
KEPT_SECONDS = 90 * DAY  # records and tombstones
FRESH_SECONDS = DAY  # an interest is renewed at most so often
TEXT_MAX = 48
VERSION_MAX = 1 << 62


class Key(NamedTuple):
    """What a record is about."""

    cluster: str
    kind: str
    name: str  # of the queue or topic; of a member the name of its CLUSRCVR
    owner: str  # QMID


class Record(NamedTuple):
    """One version of a record; without a body it is a tombstone."""

    version: int
    body: dict[str, Any] | None
    born: float  # on the cluster clock of the holder
    forced: bool = False  # a tombstone of RESET CLUSTER ACTION(FORCEREMOVE)

    @property
    def removed(self) -> bool:
        """Whether the owner, or FORCEREMOVE, has removed the object."""
        return self.body is None

    def says_the_same_as(self, other: Record) -> bool:
        """Return whether version and content are equal; ages may differ."""
        return self[:2] == other[:2] and self.forced == other.forced


def fingerprint(key: Key, record: Record) -> int:
    """Return 64 bits that differ when key, version or content differ."""
    value = (*key, record.version, record.body, record.forced)
    return int.from_bytes(blake2b(records.pack_value(value), digest_size=8).digest(), "little")


def merged(key: Key, one: Record, other: Record) -> Record:
    """Return the record that two holders have after they have exchanged theirs.

    The higher version is in force. Two contents of one version exist only after a restored backup: every
    holder chooses the same, until the owner replaces both. Of equal ones the greater age holds.
    """
    if one.version != other.version:
        return one if one.version > other.version else other
    if (one.body, one.forced) == (other.body, other.forced):
        return one if one.born <= other.born else other
    return one if fingerprint(key, one) > fingerprint(key, other) else other


def pack(key: Key, record: Record, clock: float) -> list[Any]:
    """Return a record for a message: with its age instead of a time."""
    return [*key, record.version, record.body, max(0.0, clock - record.born), record.forced]


def unpack(value: Any, clock: float) -> tuple[Key, Record]:
    """Return what `pack` made, checked: it comes from another queue manager. ValueError for nonsense."""
    if not isinstance(value, list) or len(value) < 8:
        raise ValueError("a cluster record is not a list of eight")
    cluster, kind, name, owner, version, body, age, forced = value[:8]
    if not all(isinstance(each, str) and len(each) <= TEXT_MAX for each in (cluster, kind, name, owner)):
        raise ValueError("the key of a cluster record is not text")
    if kind not in KINDS or not cluster or not name or not owner:
        raise ValueError(f"no cluster record has the kind {kind!r:.20}")
    if type(version) is not int or not 0 < version < VERSION_MAX:
        raise ValueError(f"no cluster record has the version {version!r:.20}")
    if body is not None and not (isinstance(body, dict) and all(isinstance(each, str) for each in body)):
        raise ValueError("the content of a cluster record is not a map")
    if not isinstance(age, int | float) or not 0 <= age < float("inf"):
        raise ValueError(f"no cluster record has the age {age!r:.20}")
    return Key(cluster, kind, name, owner), Record(version, body, clock - age, bool(forced))


class ClusterClock:
    """Counts the seconds that a queue manager has lived through; a jump counts as one day at most."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.wall = 0.0  # when it was looked at last; 0 for never

    def advance(self, now: float) -> float:
        """Return the time; while the clock is set back it does not move."""
        if self.wall:
            self.seconds += min(max(now - self.wall, 0.0), DAY)
        self.wall = now
        return self.seconds

    def restore(self, seconds: float, wall: float) -> None:
        """Go on from what the journal or a checkpoint has."""
        if seconds >= self.seconds:
            self.seconds, self.wall = seconds, wall
