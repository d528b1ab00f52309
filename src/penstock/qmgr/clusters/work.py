"""One piece of work on clusters: changes of the state and the messages about them, in one unit of work.

A change takes effect in memory at once, because nothing can end the unit but its commit at the end of the
same call; the messages become visible to channels when the unit is on disk. So nothing is advertised that a
crash could take back, and nothing that is on disk stays unsaid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.model.message import NEVER
from penstock.qmgr import records
from penstock.qmgr.clusters.state import DROP, entry_of

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.clusters.record import Key, Record
    from penstock.qmgr.clusters.state import Entry
    from penstock.qmgr.queue import Queue

VERSION = 1  # of the messages
RECORDS_MAX = 500  # in one message
REFRESHES = -1  # the sum in a digest that asks for everything
ADDED_UP = ("names", "owners")  # lists of several calls are one
# Messages that are sent again and again: they expire, else they would pile up for a member that is away.
# What they say is said again when its channel starts.
LIFETIMES = {"DIGEST": 3600.0, "ASK": 60.0, "APPS": 60.0}


class Work:
    """Changes and messages that belong together."""

    def __init__(self, clusters: Clusters, now: float) -> None:
        self.clusters = clusters
        self.now = now
        self.clock = clusters.state.clock.advance(now)
        self.changed: dict[Key, Record | None] = {}  # what is another record now, and what it was before
        self._entries: list[Entry] = []
        self._outgoing: dict[tuple[str, str, str], dict[str, Any]] = {}  # by channel, kind, cluster
        self._got: tuple[Queue, Message] | None = None

    # -- changes ---------------------------------------------------------------------------

    def note(self, *entry: Any) -> None:
        """Change something besides records."""
        self.clusters.state.apply(list(entry))
        self._entries.append(list(entry))

    def merge(self, key: Key, record: Record) -> bool:
        """Take a record; return whether the table has another one now."""
        repository = self.clusters.state.repository
        before = repository.find(key)
        changed = repository.merge(key, record)
        if changed or repository.find(key) is not before:
            self._entries.append(entry_of(key, repository.records[key]))
        if changed and (before is None or before.body != repository.records[key].body):
            self.changed.setdefault(key, before)  # a renewal changes nothing for those who use it
        return changed

    def drop(self, key: Key) -> None:
        """Forget a record, for good."""
        before = self.clusters.state.repository.find(key)
        if before is not None:
            self.note(DROP, *key)
            self.dropped(key, before)

    def dropped(self, key: Key, before: Record) -> None:
        """Note that a record was forgotten, for those who depend on it."""
        self.changed.setdefault(key, before)

    # -- messages --------------------------------------------------------------------------

    def send(self, channel: str, kind: str, cluster: str, **facts: Any) -> None:
        """Send a message by a channel at the end; lists of several calls are one message's."""
        known = self._outgoing.setdefault((channel, kind, cluster), {})
        for name, value in facts.items():
            if name == "records":
                known.setdefault(name, {}).update((tuple(each[:4]), each) for each in value)
            elif name in ADDED_UP and isinstance(value, list):
                known[name] = list(dict.fromkeys((*known.get(name, ()), *map(_hashable, value))))
            else:
                known[name] = value

    def got(self, queue: Queue, message: Message) -> None:
        """Have the message that causes this work removed with it."""
        self._got = queue, message

    # -- the end ---------------------------------------------------------------------------

    def finish(self) -> None:
        """Write everything, in one unit, and tell those who look at the repository."""
        clusters = self.clusters
        engine = clusters.engine
        if self._entries or self._outgoing or self._got is not None:
            unit = engine.new_unit(None, self.now)
            if self._got is not None:
                engine.remove(*self._got, unit, self.now)
            if self._entries:
                engine.start_logging(unit)
                state = [self.clock, clusters.state.clock.wall, self._entries]
                engine.journal.append(records.CLUSTER, records.pack_value((unit.number, state)), b"")
            for (channel, kind, cluster), facts in self._outgoing.items():
                for part in _parts(facts):
                    self._put(unit, channel, {"v": VERSION, "kind": kind, "cluster": cluster, **part})
            engine.commit(unit, self.now)
        if self.changed:
            clusters.records_changed(self.changed, self.now)

    def _put(self, unit: Any, channel: str, facts: dict[str, Any]) -> None:
        clusters = self.clusters
        facts = {"from": clusters.qmid, "qmgr": clusters.engine.name, **facts}
        seconds = LIFETIMES.get(facts["kind"], 0.0) if facts.get("held") != REFRESHES else 0.0
        expires_at = self.now + seconds if seconds else NEVER
        try:
            clusters.transmission.put_control(channel, records.pack_value(facts), unit, self.now, expires_at)
        except MQError as failure:  # digests repair it when the queue takes messages again
            text = f"A cluster message for channel {channel} could not be put: {failure}."
            clusters.engine.wishes.notices.append(("AMQ9999W", text))


def _parts(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the facts of one message, or of several if there are many records."""
    if "records" not in facts:
        return [facts]
    all_records = list(facts["records"].values())
    if len(all_records) <= RECORDS_MAX or facts.get("complete"):
        return [{**facts, "records": all_records}]
    return [
        {**facts, "records": all_records[at : at + RECORDS_MAX]}
        for at in range(0, len(all_records), RECORDS_MAX)
    ]


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
