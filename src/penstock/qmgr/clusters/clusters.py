"""The face of clusters: what the engine, commands, channels and publish/subscribe call.

`state` is durable, `exchange` the messages, `members_part` the channels, `interest` the questions of
programs, `transmission` the queues, `workload` the choice of an instance. Nothing here does I/O or knows the
time: `now` is an argument. A queue manager without a CLUSRCVR is in no cluster and does nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import records
from penstock.qmgr.clusters import own_objects, record, sender_proof
from penstock.qmgr.clusters.applications import Applications
from penstock.qmgr.clusters.cluster_names import COMMAND
from penstock.qmgr.clusters.contradictions import contradictions
from penstock.qmgr.clusters.exchange import EVERY_MEMBER, Exchange, Refused
from penstock.qmgr.clusters.interest import Interest
from penstock.qmgr.clusters.members import Member, Members
from penstock.qmgr.clusters.record import MEMBER, QUEUE, TOPIC, Key, Record
from penstock.qmgr.clusters.state import ClusterState
from penstock.qmgr.clusters.transmission import Transmission
from penstock.qmgr.clusters.upkeep import Upkeep
from penstock.qmgr.clusters.work import Work
from penstock.qmgr.clusters.workload import Workload

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.clusters.state import Name
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.unit_of_work import UnitOfWork

APPLIED_AT_ONCE = 100


class Observer(Protocol):
    """An observer of changes."""

    def cluster_changed(self, cluster: str, kind: str, name: str, owner: str, now: float) -> None:
        """A record was added, changed or removed."""

    def member_started(self, qmid: str, now: float) -> None:
        """A channel to or from a member has started."""


class Clusters:
    """The clusters of one queue manager."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.state = ClusterState()
        self.exchange = Exchange(self)
        self.members_part = Members(self)
        self.interest = Interest(self)
        self.transmission = Transmission(self)
        self.workload = Workload(self)
        self.upkeep = Upkeep(self)
        self.applications = Applications(self)
        self.observers: list[Observer] = []
        self.states: dict[str, str] = {}  # of cluster sender channels that are not inactive
        self.listening = ""  # where others reach a listener here, as host(port); "" if none runs
        self._inside: dict[str, list[Definition]] | None = None
        self._full: tuple[str, ...] = ()

    # -- questions -------------------------------------------------------------------------

    @property
    def qmid(self) -> str:
        """The id of this queue manager."""
        return str(self.engine.definition.attributes["QMID"])

    @property
    def inside(self) -> dict[str, list[Definition]]:
        """The clusters that this queue manager is in, with its CLUSRCVR definitions."""
        if self._inside is None:
            self._inside = own_objects.joined(self.engine)
            self._full = tuple(own_objects.full_for(self.engine))
        return self._inside

    def joined(self) -> tuple[str, ...]:
        """Return the names of the clusters that this queue manager is in."""
        return tuple(self.inside)

    def is_full(self, cluster: str) -> bool:
        """Return whether this queue manager is a full repository of a cluster."""
        return cluster in self.inside and cluster in self._full

    def members(self, cluster: str = "") -> list[Member]:
        """Return the known members, ourselves too."""
        return self.members_part.all(cluster)

    def topics(self, cluster: str = "", name: str = "") -> list[tuple[Key, dict[str, Any]]]:
        """Return the cluster topics that are known: keys and contents."""
        repository = self.state.repository
        names = [name] if name else repository.names(TOPIC)
        found = [each for own in names for each in repository.live(repository.named(TOPIC, own))]
        return [each for each in found if cluster in ("", each[0].cluster)]

    def knows(self, key: Name) -> bool:
        """Return whether an instance of a queue, or a queue manager or an alias of it, is known."""
        kind, name = key
        repository = self.state.repository
        if kind == MEMBER and self.members_part.named(name):
            return True
        return any(True for _ in repository.live(repository.named(QUEUE, name)))

    def channel_state(self, channel: str) -> str:
        """Return the state of a cluster sender channel."""
        return self.states.get(channel, "INACTIVE")

    def recent(self) -> float:
        """Return the time of the last call that knew it."""
        return self.state.clock.wall or self.engine.started

    def warn(self, text: str) -> None:
        """Write to the error log."""
        self.engine.wishes.notices.append(("AMQ9999W", f"{text}."))

    # -- definitions -----------------------------------------------------------------------

    def definition_changed(self, definition: Definition, now: float) -> None:
        """Note that an object was defined, altered or deleted."""
        kind = definition.kind
        if kind in ("QMGR", "NAMELIST", "CHANNEL"):
            if kind == "CHANNEL" and not definition.subtype.startswith("CLUS"):
                return
            self._inside = None
            if self.inside or self.state.repository.records:
                self._reconcile(now)
            self.workload.forget()
        elif kind == "TOPIC" or kind in own_objects.CLUSTERED:
            name = (TOPIC if kind == "TOPIC" else QUEUE, definition.name)
            clustered = definition.attributes.get("CLUSTER") or definition.attributes.get("CLUSNL")
            if self.inside and (clustered or self.state.repository.named(*name)):
                self._reconcile(now, name)

    def _reconcile(self, now: float, only: tuple[str, str] | None = None) -> None:
        work = Work(self, now)
        self.exchange.reconcile(work, only)
        self.exchange.introduce(work)
        work.finish()

    def restarted(self, now: float) -> None:
        """Compare the repository with the definitions, after a restart."""
        self._inside = None
        if self.inside or self.state.repository.records:
            self._reconcile(now)

    def listens_at(self, address: str, now: float) -> None:
        """Note where a listener runs: a CLUSRCVR without CONNAME is advertised with it."""
        if address != self.listening:
            self.listening = address
            if self.inside:
                self._reconcile(now)

    def likely_typo(self, cluster: str) -> str:
        """Return the known cluster whose name a new one resembles; empty if there is none."""
        known = dict.fromkeys((*self.inside, *self.state.repository.clusters()))
        for definition in own_objects.channels(self.engine, "CLUSSDR"):
            known.update(dict.fromkeys(own_objects.clusters_of(self.engine, definition)))
        if not cluster or cluster in known:
            return ""
        return next((each for each in known if _one_edit(each, cluster)), "")

    # -- records and messages --------------------------------------------------------------

    def note_now(self, now: float, *entry: Any) -> None:
        """Write an entry of the state alone."""
        work = Work(self, now)
        work.note(*entry)
        work.finish()

    def apply_arrivals(self, now: float) -> bool:
        """Apply messages of the command queue; return whether more are there."""
        queue = self.engine.queues.get(COMMAND)
        for _ in range(APPLIED_AT_ONCE):
            if queue is None or not queue.get_enabled:
                return False
            message = self.engine.select(queue, None, None, now)
            if message is None:
                self.unread(self.engine.step.take_load())
                return False
            self._apply(queue, message, now)
        return True

    def _apply(self, queue: Any, message: Message, now: float) -> None:
        work = Work(self, now)
        work.got(queue, message)
        try:
            sender = sender_proof.sender_of(message)
            if sender is None:
                raise Refused("it did not come by a cluster channel")
            try:
                facts = records.unpack_value(message.body or b"")
            except Exception as failure:
                raise Refused("it cannot be read") from failure
            self.exchange.take(work, facts, sender, self.clusters_of_receiver(sender.channel))
        except Refused as why:
            text = f"A message on {COMMAND} was not applied: {why}"
            self.warn(text)
        work.finish()

    def clusters_of_receiver(self, channel: str) -> tuple[str, ...]:
        """Return the clusters of a CLUSRCVR of this queue manager."""
        return tuple(
            cluster for cluster, own in self.inside.items() if any(each.name == channel for each in own)
        )

    def unread(self, messages: list[Message] | None) -> None:
        """Have bodies read that are not in memory; the next call finds them."""
        if messages:
            self.engine.wishes.unread += messages

    def channel_rerouted(self, channel: str) -> None:
        """Make routes by a channel stale: it has another transmission queue."""
        repository = self.state.repository
        for key in repository.named(MEMBER, channel):
            for name in self._names_of(key, repository.find(key)):
                self.engine.dependencies.cluster_changed(name)
        self.workload.forget()

    def _names_of(self, key: Key, *versions: Record | None) -> dict[str, None]:
        """Return the names that may lead to the owner of a record."""
        names = {key.name: None}
        if key.kind == MEMBER:
            for each in versions:
                if each is not None and each.body is not None:
                    names[str(each.body.get("qmgr", ""))] = None
            names.update((own.name, None) for own in self.state.repository.owned(key.owner))
        return names

    def records_changed(self, changed: dict[Key, Record | None], now: float) -> None:
        """Note which records have changed: routes by them are stale, and observers are informed."""
        names: dict[str, None] = {}
        for key, before in changed.items():
            names.update(self._names_of(key, before, self.state.repository.find(key)))
        for text in contradictions(self.state.repository, changed):
            self.warn(text)
        for name in names:
            self.engine.dependencies.cluster_changed(name)
        self.workload.forget()
        for observer in self.observers:
            for key in changed:
                observer.cluster_changed(key.cluster, key.kind, key.name, key.owner, now)

    # -- channels --------------------------------------------------------------------------

    def channel_changed(self, channel: str, state: str) -> None:
        """Note the state of a cluster sender channel."""
        if state == "INACTIVE":
            self.states.pop(channel, None)
        else:
            self.states[channel] = state
        self.workload.states_changed()

    def member_started(self, qmid: str, channel: str, now: float) -> None:
        """Note that a channel with a member runs: compare digests, if it is a full repository."""
        work = Work(self, now)
        for cluster, channels in self.state.targets.items():
            if channel in channels and cluster in self.inside:
                self.exchange.send_digest(work, cluster, channel)
        work.finish()
        for observer in self.observers:
            observer.member_started(qmid, now)

    def route_to_member(self, qmid: str, queue: str) -> Route:
        """Return the route to a queue of a member; 2087 if it is not known."""
        for cluster in self.inside:
            channel = self.members_part.channel_to(cluster, qmid)
            if channel and qmid != self.qmid:
                found = self.members_part.owner_of(channel)
                name = str(found[1].get("qmgr", "")) if found is not None else ""
                return self.transmission.route(channel, queue, name)
        raise error(mq.MQRC_UNKNOWN_REMOTE_Q_MGR, f"no member {qmid} of a cluster is known", object=qmid)

    def put_to_member(
        self, qmid: str, queue: str, message: Message, unit: UnitOfWork | None, now: float
    ) -> None:
        """Put a message for a queue of a member on its way."""
        self.engine.put_message(self.route_to_member(qmid, queue), message, unit, now)

    def want_members(self, cluster: str, now: float) -> None:
        """Learn of all members of the clusters from now on."""
        self.interest.want(EVERY_MEMBER, now)

    # -- time and restart ------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Do what only time brings about."""
        if self.inside:
            self.interest.tick(now)
            self.upkeep.tick(now)

    def replay(self, state: list[Any]) -> None:
        """Take a record of the journal."""
        self.state.restore(state)


def _one_edit(one: str, other: str) -> bool:
    """Return whether one insertion, deletion, replacement or swap makes one name of the other."""
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < 3:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    a, b = one[start:], other[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[:2][::-1] and a[2:] == b[2:])


def question_of(failure: MQError) -> Any:
    """Return the question that an open has to wait for; None if it failed for another reason."""
    return failure.fields.get("question")


__all__ = ["Clusters", "Member", "Observer", "question_of", "record"]
