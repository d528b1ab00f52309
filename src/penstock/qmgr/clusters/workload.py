# cython: nonecheck=True
"""From the name of a cluster queue to routes: its instances, the choice among them, and choices made again.

`Target` is a cluster queue as programs open it: the choice of an instance is made at open (BIND_ON_OPEN), at
every put (NOT_FIXED) or for every group. The eligible instances are kept until a record, a definition or
the state of a channel changes. Compiled through `workload.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.onward import original
from penstock.qmgr.clusters.choice import Candidates, Chooser, Instance, eligible
from penstock.qmgr.clusters.cluster_names import key_of
from penstock.qmgr.clusters.cluster_opening import bound_again
from penstock.qmgr.clusters.record import MEMBER, QUEUE, Key
from penstock.qmgr.names.name_resolution import Route
from penstock.qmgr.objects import Definition
from penstock.qmgr.waiters import Match

if TYPE_CHECKING:
    from penstock.qmgr.clusters.clusters import Clusters
    from penstock.qmgr.connections import Handle

FIXED, NOT_FIXED = 0, 1  # the bind of a message on its way
CHOSEN_AGAIN_AT_ONCE = 500
GROUPS_KEPT = 1000  # open groups of one handle


class Target:
    """A cluster queue as it was resolved: gives a route for each message."""

    def __init__(
        self,
        workload: Workload,
        name: str,
        first: Definition,
        local: Definition | None,
        alias: Definition | None = None,
    ) -> None:
        self.workload = workload
        self.name = name
        self.first = first  # whose defaults apply
        self.local = local  # the definition here
        self.alias = alias  # that leads to the cluster queue
        self._stamp = -1
        self._candidates: Candidates | None = None  # as long as the stamp is the same

    @property
    def bind(self) -> str:
        """DEFBIND: OPEN, NOTFIXED or GROUP."""
        return str(self.first.attributes.get("DEFBIND", "OPEN"))

    def next(self, bind: int) -> Route:
        """Return the route for the next message; 2270 when there is none, 2268 when none takes puts."""
        chosen = self.choose()
        route: Route | None = chosen.route
        if route is None or route.bind != bind:
            route = chosen.route = self.workload.route(self, chosen, bind)
        return route

    def choose(self) -> Instance:
        """Choose an instance."""
        workload = self.workload
        candidates = self._candidates
        if candidates is None or self._stamp != workload.stamp:
            found = eligible(workload.instances(self.name), self._uses_local())
            if not found:
                raise error(
                    mq.MQRC_NO_DESTINATIONS_AVAILABLE,
                    f"no instance of cluster queue {self.name} is available",
                    object=self.name,
                )
            candidates = self._candidates = Candidates(found, workload.recent_max)
            self._stamp = workload.stamp
        chosen = workload.chooser.choose(candidates)
        if not chosen.put_enabled:
            raise error(
                mq.MQRC_CLUSTER_PUT_INHIBITED,
                f"all instances of cluster queue {self.name} are PUT(DISABLED)",
                object=self.name,
            )
        return chosen

    @property
    def before(self) -> tuple[Definition, ...]:
        """The definitions on the path in front of the cluster queue."""
        return (self.alias,) if self.alias is not None else ()

    def stays_here(self) -> bool:
        """Return whether all messages go to the local instance, as things are."""
        if self.local is None or not self._uses_local():
            return False
        found = eligible(self.workload.instances(self.name), True)
        return not found or (len(found) == 1 and found[0].local)

    def _uses_local(self) -> bool:
        if self.local is None:
            return True
        use = str(self.local.attributes.get("CLWLUSEQ", "LOCAL"))  # an alias here is preferred
        if use == "QMGR":
            use = str(self.workload.clusters.engine.definition.attributes["CLWLUSEQ"])
        return use == "LOCAL"


class Workload:
    """The instances of cluster queues, and all choices."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self.chooser = Chooser()
        self.stamp = 0

    @property
    def recent_max(self) -> int:
        """CLWLMRUC: how many channels are in use at most."""
        value = self.clusters.engine.definition.attributes.get("CLWLMRUC", 999_999_999)
        return value if isinstance(value, int) else 999_999_999

    def forget(self) -> None:
        """Choose from new lists: a record or a definition has changed."""
        self.stamp += 1

    def states_changed(self) -> None:
        """Choose from new lists: the state of a channel has changed."""
        self.stamp += 1

    # -- instances -------------------------------------------------------------------------

    def instances(self, name: str, old_too: bool = False) -> list[Instance]:
        """Return the instances of a queue by all channels that lead to them (steps 1 and 2)."""
        clusters, found = self.clusters, []
        repository, clock = clusters.state.repository, clusters.state.clock.seconds
        own_seen = False
        for key, body in repository.live(repository.named(QUEUE, name)):
            if key.cluster not in clusters.inside or not (old_too or repository.usable(key, clock)):
                continue
            local = key.owner == clusters.qmid
            if local and own_seen:
                continue  # in several clusters, but one queue
            for member in repository.owned(key.owner, key.cluster):
                if member.kind != MEMBER or repository.records[member].body is None:
                    continue
                found.append(self.instance(key, body, member))
                if local:
                    own_seen = True
                    break
        return found

    def instance(self, key: Key, body: dict[str, Any], member: Key) -> Instance:
        """Return an object of a member, as one of its channels reaches it."""
        content = self.clusters.state.repository.records[member].body or {}
        queue, channel = body.get("attributes") or {}, content.get("attributes") or {}
        local = key.owner == self.clusters.qmid
        return Instance(
            key.cluster,
            key.owner,
            str(content.get("qmgr", "")),
            member.name,
            local,
            queue.get("PUT", "ENABLED") != "DISABLED",
            _number(queue, "CLWLRANK"),
            _number(queue, "CLWLPRTY"),
            _number(channel, "CLWLRANK"),
            _number(channel, "CLWLPRTY"),
            _number(channel, "CLWLWGHT", 50),
            _number(channel, "NETPRTY"),
            bool(content.get("suspended")),
            "INACTIVE" if local else self.clusters.channel_state(member.name),
        )

    # -- routes ----------------------------------------------------------------------------

    def target(self, name: str, alias: Definition | None, local: Definition | None) -> Target | None:
        """Return a cluster queue, None if no instance is known."""
        repository = self.clusters.state.repository
        for _, body in repository.live(repository.named(QUEUE, name)):
            if body.get("alias"):
                continue  # a queue-manager alias
            first = alias or local or _definition(name, body)
            return Target(self, name, first, local, alias)
        return None

    def route(self, target: Target, instance: Instance, bind: int) -> Route:
        """Return the route to an instance of a cluster queue."""
        engine = self.clusters.engine
        dependencies = (engine.dependencies.on("CLUSTER", target.name),)
        if instance.local and target.local is not None:
            route = engine.resolve(target.name, engine.name)
            return Route(
                route.queue,
                route.resolved_queue,
                route.resolved_qmgr,
                target.first,
                (*target.before, *route.path),
                route.remote,
                dependencies=(*route.dependencies, *dependencies),
                channel=route.channel,
                key=route.key,
            )
        made = self.clusters.transmission.route(
            instance.channel, target.name, instance.qmgr, first=target.first, bind=bind
        )
        made.path = (*target.before, *made.path)
        made.dependencies = dependencies
        made.instance = instance
        return made

    def open_route(self, target: Target) -> Route:
        """Return the route of a name that was just resolved: the choice is made later."""
        engine = self.clusters.engine
        dependencies = (engine.dependencies.on("CLUSTER", target.name),)
        if target.local is not None:
            found = engine.resolve(target.name, engine.name)
            found.choice = target
            found.first, found.path = target.first, (*target.before, *found.path)
            found.dependencies = (*found.dependencies, *dependencies)
            return found
        xmitq = engine.queues.get("SYSTEM.CLUSTER.TRANSMIT.QUEUE")
        first = target.first
        return Route(
            xmitq, target.name, "", first, (first,), remote=True, dependencies=dependencies, choice=target
        )

    def still_there(self, route: Route) -> bool:
        """Return whether the instance that a handle is bound to still exists."""
        instance = route.instance
        return instance is None or any(
            each.qmid == instance.qmid for each in self.instances(route.resolved_queue, old_too=True)
        )

    def settled(self, route: Route, message: Any) -> Route:
        """Return a route as it is, or of the instance that gets a message which no program's handle puts."""
        return route if route.choice is None else self.for_put(None, route, message)

    def for_put(self, handle: Handle | None, route: Route, message: Any) -> Route:
        """Return the route of one message put to a cluster queue."""
        target: Target = route.choice
        if handle is None:
            return target.next(FIXED if target.bind == "OPEN" else NOT_FIXED)
        if handle.extra.get("bind") != "GROUP" or not message.descriptor.flags & (
            mq.MQMF_MSG_IN_GROUP | mq.MQMF_LAST_MSG_IN_GROUP
        ):
            return target.next(NOT_FIXED)
        groups: dict[bytes, Route] = handle.extra.setdefault("groups", {})
        group = message.descriptor.group_id
        chosen = groups.get(group)
        if chosen is None:
            if len(groups) >= GROUPS_KEPT:
                groups.pop(next(iter(groups)))
            chosen = groups[group] = target.next(FIXED)
        elif chosen.remote and not chosen.is_current():
            chosen = groups[group] = bound_again(self.clusters.engine, chosen)
        if message.descriptor.flags & mq.MQMF_LAST_MSG_IN_GROUP:
            groups.pop(group, None)
        return chosen

    # -- choices made again ----------------------------------------------------------------

    def choose_again(self, channel: str, now: float) -> bool:
        """Send NOT_FIXED messages of a channel that retries another way; return whether more may be there.

        Many in one call, oldest first, in one unit. Those in doubt are held by their batch and stay.
        """
        clusters = self.clusters
        engine = clusters.engine
        queue = engine.queues.get(clusters.transmission.queue_of(channel))
        if queue is None or not queue.depth:
            return False
        key = key_of(channel)
        waiting = [
            message
            for message in queue.complete_index_for(Match(correl_id=key)).all(key)
            if message.state == 0 and message.onward is not None and message.onward.bind == NOT_FIXED
        ]
        unit, moved = engine.new_unit(None, now), 0
        for message in waiting[:CHOSEN_AGAIN_AT_ONCE]:
            moved += self._move(queue, message, channel, unit, now)
        if moved:
            engine.commit(unit, now)
        return moved == CHOSEN_AGAIN_AT_ONCE

    def _move(self, queue: Any, message: Any, channel: str, unit: Any, now: float) -> int:
        engine = self.clusters.engine
        if message.body is None:
            selected = engine.select(queue, Match(msg_id=message.msg_id), None, now)
            if selected is None:
                self.clusters.unread(engine.step.take_load())
                return 0
        try:
            route = self._other_route(message)
            if route is None or route.channel == channel or route.queue is None:
                return 0
            onward, inner = original(message, now)
            engine.put_message(route, inner, unit, now, onward.hops)
        except MQError:
            return 0  # it waits where it is
        engine.remove(queue, message, unit, now)
        return 1

    def _other_route(self, message: Any) -> Route | None:
        """Return the route of a message that is chosen again: to a queue, or to another host of its topic."""
        engine, name = self.clusters.engine, message.onward.queue
        if name == "SYSTEM.INTER.QMGR.PUBS":
            return engine.pubsub.neighbours.links.another_host(message)
        target = self.target(name, None, engine.objects.find("QUEUE", name))
        return target.next(NOT_FIXED) if target is not None else None


def _number(values: dict[str, Any], name: str, default: int = 0) -> int:
    value = values.get(name, default)
    return value if type(value) is int else default


def _definition(name: str, body: dict[str, Any]) -> Definition:
    """Return a cluster queue as a definition, for its defaults and for authority."""
    values = {"DEFPSIST": "NO", "DEFPRTY": 0, **(body.get("attributes") or {}), "PUT": "ENABLED"}
    return Definition("QREMOTE", name, {**values, "RNAME": name, "RQMNAME": "", "XMITQ": ""})
