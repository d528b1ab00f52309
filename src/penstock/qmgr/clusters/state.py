"""The durable state of clusters: the repository, and what is remembered beside it.

Every change is an entry, a short list; entries are what the journal record CLUSTER and a checkpoint contain.
`apply` is the only function that changes anything, live and at restart, so that both agree. Entries of one
kind are replayed in order, and applying one again changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.qmgr.clusters.record import ClusterClock, Key, Record
from penstock.qmgr.clusters.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = "R"  # cluster, kind, name, owner, version, body, born, forced
FORGET = "F"  # cluster, own QMID: drop all records of others
DROP = "D"  # cluster, kind, name, owner: forget one record
WANT = "W"  # kind, name, when it was last used: what programs here asked for; below 0: not any more
INTEREST = "I"  # cluster, kind, name, QMID, since: what a partial repository asked for; below 0: not any more
SUSPENDED = "S"  # names of the clusters in which this queue manager is suspended
TARGETS = "T"  # cluster, channels that the own records were sent by
XMITQ = "Q"  # cluster sender channel, its transmission queue
SWITCH = "X"  # cluster sender channel, the transmission queue that its messages are being moved to
COUNTER = "V"  # the highest version that was given to an own record

Entry = list[Any]
Name = tuple[str, str]  # kind and name


class ClusterState:
    """What a restart must find again."""

    def __init__(self) -> None:
        self.repository = Repository()
        self.clock = ClusterClock()
        self.counter = 0
        self.suspended: dict[str, None] = {}
        self.wanted: dict[Name, float] = {}
        self.interested: dict[tuple[str, str, str], dict[str, float]] = {}  # cluster, kind, name -> QMIDs
        self.targets: dict[str, list[str]] = {}
        self.xmitqs: dict[str, str] = {}
        self.switching: dict[str, str] = {}

    def apply(self, entry: Entry) -> None:
        """Make a change."""
        kind, *values = entry
        if kind == RECORD:
            key, record = record_of(entry)
            self.repository.merge(key, record)
        elif kind == FORGET:
            for key in self.repository.in_cluster(values[0]):
                if key.owner != values[1]:
                    self.repository.drop(key)
        elif kind == DROP:
            self.repository.drop(Key(*values))
        elif kind == WANT:
            self._note(self.wanted, (values[0], values[1]), values[2])
        elif kind == INTEREST:
            cluster, of, name, qmid, since = values
            asked = self.interested.setdefault((cluster, of, name), {})
            self._note(asked, qmid, since)
            if not asked:
                del self.interested[cluster, of, name]
        elif kind == SUSPENDED:
            self.suspended = dict.fromkeys(values[0])
        elif kind == TARGETS:
            self._note(self.targets, values[0], list(values[1]) or -1)
        elif kind == XMITQ:
            self._note(self.xmitqs, values[0], values[1] or -1)
        elif kind == SWITCH:
            self._note(self.switching, values[0], values[1] or -1)
        elif kind == COUNTER:
            self.counter = max(self.counter, values[0])

    @staticmethod
    def _note(of: dict[Any, Any], key: Any, value: Any) -> None:
        if isinstance(value, int | float) and value < 0:
            of.pop(key, None)
        else:
            of[key] = value

    def entries(self) -> Iterator[Entry]:
        """Yield entries that make this state of an empty one."""
        for key, record in self.repository.records.items():
            yield entry_of(key, record)
        for (kind, name), used in self.wanted.items():
            yield [WANT, kind, name, used]
        for (cluster, kind, name), asked in self.interested.items():
            for qmid, since in asked.items():
                yield [INTEREST, cluster, kind, name, qmid, since]
        if self.suspended:
            yield [SUSPENDED, list(self.suspended)]
        for cluster, channels in self.targets.items():
            yield [TARGETS, cluster, channels]
        for channel, queue in self.xmitqs.items():
            yield [XMITQ, channel, queue]
        for channel, queue in self.switching.items():
            yield [SWITCH, channel, queue]
        if self.counter:
            yield [COUNTER, self.counter]

    def snapshot(self) -> list[Any]:
        """Return the state for a checkpoint; empty if there is none."""
        entries = list(self.entries())
        return [self.clock.seconds, self.clock.wall, entries] if entries else []

    def restore(self, state: list[Any]) -> None:
        """Take the state of a checkpoint, or of a journal record, in an empty or older state."""
        if state:
            seconds, wall, entries = state
            self.clock.restore(seconds, wall)
            for entry in entries:
                self.apply(entry)


def entry_of(key: Key, record: Record) -> Entry:
    """Return the entry of a record."""
    return [RECORD, *key, record.version, record.body, record.born, record.forced]


def record_of(entry: Entry) -> tuple[Key, Record]:
    """Return key and record of an entry."""
    _, cluster, kind, name, owner, version, body, born, forced = entry
    return Key(cluster, kind, name, owner), Record(version, body, born, forced)
