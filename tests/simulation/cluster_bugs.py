"""Clusters with one rule left out: the simulator has to find each of them.

`BUGS` is a table: a name, and what is replaced by what. Each entry leaves out or turns round one rule of the
repository, of its durability, of who may speak for whom, or of the choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from penstock.model.message import Message
from penstock.qmgr.clusters import choice, own_objects, repository
from penstock.qmgr.clusters.exchange import Exchange
from penstock.qmgr.clusters.interest import Interest
from penstock.qmgr.clusters.record import Key, Record
from penstock.qmgr.clusters.record import pack as real_pack
from penstock.qmgr.clusters.state import COUNTER, DROP, FORGET, INTEREST, SUSPENDED, WANT, ClusterState
from penstock.qmgr.clusters.transmission import Transmission
from penstock.qmgr.clusters.upkeep import Upkeep
from penstock.qmgr.clusters.work import Work


def _last_one_wins(key: Key, one: Record, other: Record) -> Record:
    return other


def _lower_wins(key: Key, one: Record, other: Record) -> Record:
    return min(one, other, key=lambda each: each.version)


def _nothing(*given: Any, **named: Any) -> None:
    """Leave something out."""


def _none(*given: Any, **named: Any) -> list[Any]:
    return []


def _take_all(self: Exchange, work: Work, key: Key, value: Record) -> None:
    work.merge(key, value)


def _without(kind: str) -> Any:
    """Return a restart that does not know one kind of entry."""
    real = ClusterState.restore

    def restore(self: ClusterState, state: list[Any]) -> None:
        real(self, [*state[:2], [entry for entry in state[2] if entry[0] != kind]] if state else state)

    return [(ClusterState, "restore", restore)]


def _drop_instead(self: Exchange, work: Work, key: Key, body: dict[str, Any] | None) -> None:
    """Remove a record without a tombstone."""
    work.note(COUNTER, self.state.counter + 1)
    if body is None:
        if self.repository.find(key) is not None:
            self.repository.merge(key, Record(self.state.counter, None, work.clock - 80 * 86400.0))
    else:
        work.merge(key, Record(self.state.counter, body, work.clock))


def _same_version(self: Exchange, work: Work, key: Key, body: dict[str, Any] | None) -> None:
    """Change a record under its old version."""
    known = self.repository.find(key)
    version = known.version if known is not None else self.state.counter + 1
    work.note(COUNTER, max(self.state.counter, version))
    self.repository.drop(key)
    work.merge(key, Record(version, body, work.clock))


def _ageless(key: Key, record: Record, clock: float) -> list[Any]:
    packed = real_pack(key, record, clock)
    packed[6] = 0.0
    return packed


def _believed(self: Exchange, cluster: str, qmid: str) -> bool:
    return True


def _by_the_message(self: Exchange, work: Work, facts: Any, partner: Any, names: tuple[str, ...]) -> None:
    """Believe who the message says has sent it."""
    claimed = facts.get("from", "") if isinstance(facts, dict) else ""
    partner = partner._replace(qmid=claimed, qmgr=claimed.removesuffix("_1"))
    REAL_TAKE(self, work, facts, partner, names)


REAL_TAKE = Exchange.take
REAL_REFRESH = Upkeep.refresh
REAL_EXPIRE = Upkeep._expire
REAL_PUT_CONTROL = Transmission.put_control


def _forgetful_refresh(self: Upkeep, cluster: str, repositories_too: bool, now: float) -> None:
    REAL_REFRESH(self, cluster, repositories_too, now)
    for key in self.repository.in_cluster(cluster):
        if key.owner != self.clusters.qmid and key.kind == "Q":
            self.repository.drop(key)


def _own_expire_too(self: Upkeep, work: Work) -> None:
    REAL_EXPIRE(self, work)
    for key, held in list(self.repository.records.items()):
        if work.clock - held.born >= 20 * 86400.0:
            work.drop(key)


def _early(self: Transmission, channel: str, body: bytes, unit: Any, now: float, expires: float) -> None:
    """Send a repository message before its records are on disk."""
    message = Message(body, self.engine.ids.next(), persistent=False, put_time=now)
    self.engine.put_message(self.route(channel, "SYSTEM.CLUSTER.COMMAND.QUEUE", ""), message, None, now)


def _no_forced_return(self: Upkeep, now: float) -> None:
    """Members that were removed by force stay out."""
    for key in self.clusters.exchange.overrides:
        self.clusters.exchange.overrides[key] = 1e18
    REAL_TICK(self, now)


REAL_TICK = Upkeep.tick


def _leaves(name: str) -> Any:
    """Return instances with one property hidden from the choice."""
    real = choice.eligible

    def eligible(instances: list[choice.Instance], use_local: bool) -> list[choice.Instance]:
        default = choice.Instance.__dataclass_fields__[name].default
        kept = [getattr(each, name) for each in instances]
        for each in instances:
            setattr(each, name, default)
        try:
            return real(instances, use_local)
        finally:
            for each, value in zip(instances, kept, strict=True):
                setattr(each, name, value)

    return [(choice, "eligible", eligible)]


def _remote_preferred(instances: list[choice.Instance], use_local: bool) -> list[choice.Instance]:
    return REAL_ELIGIBLE(instances, not use_local)


REAL_ELIGIBLE = choice.eligible

REAL_IS_FULL = Exchange._is_full


def _full_anywhere(self: Exchange, cluster: str, qmid: str) -> bool:
    """Believe a full repository of one cluster about others."""
    return any(REAL_IS_FULL(self, each, qmid) for each in self.clusters.inside)


REAL_NAMES_IN = own_objects.names_in


def _first_only(engine: Any, name: object, namelist: object) -> list[str]:
    """Take the first cluster of a namelist alone."""
    return REAL_NAMES_IN(engine, name, namelist)[:1]


OVERLAPPING = {  # found only with clusters that overlap
    "repositories-speak-for-other-clusters": [(Exchange, "_is_full", _full_anywhere)],
    "one-name-of-a-namelist-counts": [(own_objects, "names_in", _first_only)],
}

BUGS: dict[str, list[tuple[Any, str, Any]]] = {
    # merging
    "last-one-wins": [(repository, "merged", _last_one_wins)],
    "the-lower-version-wins": [(repository, "merged", _lower_wins)],
    "takes-its-own-records": [(Exchange, "_about_us", _take_all)],
    "no-tombstones": [(Exchange, "renew", _drop_instead)],
    "changes-without-a-new-version": [(Exchange, "renew", _same_version)],
    # exchange
    "no-digests": [(Exchange, "send_digest", _nothing)],
    "owners-are-not-compared": [(Exchange, "_compare_owners", _nothing)],
    "digests-without-content": [(repository, "fingerprint", lambda key, value: len(key.name))],
    "asks-are-not-answered": [(Exchange, "_tell_all", _nothing)],
    "questions-stay-open": [(Interest, "answered", _nothing), (Interest, "tick", _nothing)],
    "changes-are-not-told": [(Exchange, "advertise", _nothing), (Exchange, "_want", _nothing)],
    "changes-wait-for-digests": [(Exchange, "advertise", _nothing)],
    "full-repositories-do-not-pass-on": [(Exchange, "_pass_on", _nothing)],
    "who-asked-is-not-told": [(Exchange, "_tell_interested", _nothing)],
    "tombstones-are-not-told": [(Exchange, "_tombstones", _none), (Exchange, "_drop_missing", _nothing)],
    "interest-is-never-withdrawn": [(Exchange, "_set_interest", _nothing), (Upkeep, "_expire", _nothing)],
    "nobody-is-introduced": [(Exchange, "introduce", _nothing)],
    "removed-by-force-for-ever": [(Upkeep, "tick", _no_forced_return)],
    "refresh-with-a-gap": [(Upkeep, "refresh", _forgetful_refresh)],
    # time
    "no-renewal": [(Upkeep, "_renew", _nothing), (Exchange, "_want", _nothing)],
    "nothing-expires": [(Upkeep, "_expire", _nothing)],
    "own-records-expire": [(Upkeep, "_expire", _own_expire_too)],
    "ages-are-lost-on-the-way": [("penstock.qmgr.clusters.record", "pack", _ageless)],
    # durability
    "versions-are-not-durable": _without(COUNTER),
    "interest-is-not-durable": _without(INTEREST),
    "wishes-are-not-durable": _without(WANT),
    "suspension-is-not-durable": _without(SUSPENDED),
    "what-was-dropped-returns": _without(DROP),
    "what-was-forgotten-returns": _without(FORGET),
    "said-before-it-is-on-disk": [(Transmission, "put_control", _early)],
    # strangers
    "members-speak-for-others": [(Exchange, "_is_full", _believed)],
    "the-message-says-who-sent-it": [(Exchange, "take", _by_the_message)],
    # choice
    "put-disabled-is-chosen": _leaves("put_enabled"),
    "suspended-is-chosen": _leaves("suspended"),
    "states-do-not-count": _leaves("state"),
    "queue-priority-does-not-count": _leaves("queue_priority"),
    "local-when-any-may-be": [(choice, "eligible", _remote_preferred)],
    **OVERLAPPING,
}


@contextmanager
def planted(bug: str) -> Iterator[None]:
    """Run with one rule left out; nothing for an empty name."""
    patches = [
        patch(f"{where}.{name}", new) if isinstance(where, str) else patch.object(where, name, new)
        for where, name, new in BUGS.get(bug, [])
    ]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
