"""From the name in an MQOPEN to the queue that is meant: aliases, remote definitions, queue-manager
aliases, transmission queues.

Pure look-ups in the object registry: nothing is opened or counted here. `opening` calls it for
handles, `putting` for one-shot puts. A `Route` may be kept until one of the definitions changes that were
looked up for it (`is_current`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.clusters import cluster_names
from penstock.qmgr.names.dependencies import GROUP, Dependency, all_valid
from penstock.qmgr.sharing import intra_group

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue


@dataclass(slots=True)
class Route:
    """The destination of messages put to a name, with the defaults of the path."""

    queue: Queue | None  # the local queue that takes them; None for a topic
    resolved_queue: str
    resolved_qmgr: str
    first: Definition | None  # the first definition on the path: its defaults apply
    path: tuple[Definition, ...] = ()
    remote: bool = False  # the message gets a transmission header
    topic: Definition | None = None
    channel: str = ""  # of a cluster, that the message leaves by
    key: bytes = b""  # of that channel: the correlation id of its messages
    bind: int = 0  # of a message for a cluster: 1 when another instance may be chosen later
    choice: Any = None  # the cluster queue whose instance is chosen at put (`clusters.workload.Target`)
    instance: Any = None  # the instance that was chosen
    member: str = ""  # of the queue-sharing group, whose agent gets the message (intra-group queuing)
    dependencies: tuple[Dependency, ...] = ()

    def is_current(self) -> bool:
        """Return whether every definition that the route was made of is still in force."""
        return all_valid(self.dependencies)

    def local_queue(self) -> Queue:
        """Return the queue that takes the messages; 2085 if none here does."""
        if self.queue is None:
            raise error(
                mq.MQRC_UNKNOWN_OBJECT_NAME,
                f"{self.resolved_queue} is not a local queue",
                object=self.resolved_queue,
            )
        return self.queue

    def put_inhibited_by(self) -> str | None:
        """Return the name on the path that is PUT(DISABLED), or None.

        A local instance of a cluster queue does not count: another one may be chosen.
        """
        local = self.choice.local if self.choice is not None else None
        for definition in self.path:
            if definition.attributes.get("PUT") == "DISABLED" and definition is not local:
                return definition.name
        return None

    def get_inhibited_by(self) -> str | None:
        """Return the name on the path that is GET(DISABLED), or None."""
        for definition in self.path:
            if definition.attributes.get("GET") == "DISABLED":
                return definition.name
        return None

    @property
    def default_persistent(self) -> bool:
        return self.first is not None and self.first.attributes.get("DEFPSIST") == "YES"

    @property
    def default_priority(self) -> int:
        value = self.first.attributes.get("DEFPRTY", 0) if self.first is not None else 0
        return value if isinstance(value, int) else 0


def resolve(engine: Engine, name: str, qmgr: str = "") -> Route:
    """Resolve a queue name (and queue-manager name) for use by an application.

    Names may be padded with blanks. Raises 2085 unknown name, 2082 unknown alias base, 2001 alias to
    an alias, 2087 and 2196 for remote names that lead nowhere.
    """
    if not isinstance(name, str) or not isinstance(qmgr, str):
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "names of queues and queue managers are text")
    return Resolution(engine).route(name.rstrip(" "), qmgr.rstrip(" "))


def resolve_reply(engine: Engine, reply_to: str, reply_to_qmgr: str) -> tuple[str, str]:
    """Return what ReplyToQ and ReplyToQMgr become: a reply-to alias is replaced, blanks filled in."""
    if reply_to and not reply_to_qmgr:
        definition = engine.objects.find("QUEUE", reply_to)
        if definition is not None and definition.kind == "QREMOTE":
            queue, target = str(definition.attributes["RNAME"]), str(definition.attributes["RQMNAME"])
            return queue or reply_to, target or engine.name
        return reply_to, engine.name
    return reply_to, reply_to_qmgr


class Resolution:
    """One name on its way to a queue; notes every definition that it looks up."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.looked_up: dict[tuple[str, str], None] = {}
        self.in_clusters = False  # whether a queue of a cluster may be meant

    def route(self, name: str, qmgr: str) -> Route:
        local = qmgr in ("", self.engine.name) or self._is_shared_here(name, qmgr)
        self.in_clusters = not qmgr and bool(self.engine.clusters.inside)
        route = self._local(name) if local else self._qmgr(name, qmgr)
        if route.remote and route.resolved_queue == cluster_names.COMMAND:
            raise cluster_names.forbidden("at another queue manager")
        found = tuple(self.engine.dependencies.on(*key) for key in self.looked_up)
        route.dependencies = (*route.dependencies, *found)
        return route

    def _is_shared_here(self, name: str, qmgr: str) -> bool:
        """Return whether a queue of another member, or of the group, is the shared queue of this name."""
        sharing = self.engine.sharing
        if sharing is None:
            return False
        self.looked_up[GROUP, ""] = None
        if qmgr not in sharing.names or self._find(name) is None:
            return False
        queue = self.engine.queues.get(name)
        return queue is not None and queue.shared is not None

    def _find(self, name: str, namespace: str = "QUEUE") -> Definition | None:
        self.looked_up[namespace, name] = None
        return self.engine.objects.find(namespace, name)

    def _local(self, name: str) -> Route:
        definition = self._find(name)
        shared = self._cluster_queue(name, definition)
        if shared is not None:
            return shared
        if definition is None:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"queue {name} is not defined", object=name)
        if definition.kind in ("QLOCAL", "QMODEL"):
            return Route(self.engine.queues.get(name), name, self.engine.name, definition, (definition,))
        if definition.kind == "QALIAS":
            return self._alias(definition)
        return self._remote(definition)

    def _cluster_queue(
        self, name: str, local: Definition | None, alias: Definition | None = None
    ) -> Route | None:
        """Return the route of a cluster queue, if the name may be one; None when it is a queue here alone."""
        if not self.in_clusters or (local is not None and not cluster_names.is_clustered(local)):
            return None
        self.looked_up["CLUSTER", name] = None
        return cluster_names.queue_route(self.engine, name, local, alias)

    def _alias(self, alias: Definition) -> Route:
        target = str(alias.attributes["TARGET"])
        if alias.attributes.get("TARGTYPE") == "TOPIC":
            topic = self._find(target, "TOPIC")
            if topic is None:
                raise error(
                    mq.MQRC_UNKNOWN_ALIAS_BASE_Q,
                    f"alias {alias.name} names topic {target}, which is not defined",
                    object=target,
                )
            return Route(None, target, self.engine.name, alias, (alias,), topic=topic)
        base = self._find(target)
        if base is None:  # so a gateway leads on what came here by name
            self.in_clusters = bool(self.engine.clusters.inside)
        shared = self._cluster_queue(target, base, alias)
        if shared is not None:
            return shared
        if base is None:
            raise error(
                mq.MQRC_UNKNOWN_ALIAS_BASE_Q,
                f"alias {alias.name} names queue {target}, which is not defined",
                object=target,
            )
        if base.kind in ("QALIAS", "QMODEL"):
            raise error(
                mq.MQRC_ALIAS_BASE_Q_TYPE_ERROR,
                f"alias {alias.name} names {target}, a {base.kind}",
                object=target,
            )
        if base.kind == "QREMOTE":
            route = self._remote(base)
        else:
            route = Route(self.engine.queues.get(target), target, self.engine.name, base, (base,))
        route.first = alias
        route.path = (alias, *route.path)
        return route

    def _remote(self, remote: Definition) -> Route:
        queue_name = str(remote.attributes["RNAME"])
        qmgr_name = str(remote.attributes["RQMNAME"])
        if not queue_name:
            raise error(
                mq.MQRC_REMOTE_Q_NAME_ERROR,
                f"{remote.name} is a queue-manager alias, not a queue",
                object=remote.name,
            )
        if qmgr_name in ("", self.engine.name):
            raise error(
                mq.MQRC_UNKNOWN_REMOTE_Q_MGR,
                f"{remote.name} names this queue manager as remote",
                object=remote.name,
            )
        return self._forwarded(remote, queue_name, qmgr_name)

    def _forwarded(self, remote: Definition, queue_name: str, qmgr_name: str) -> Route:
        """Return the route to a queue elsewhere by a remote definition: its XMITQ, a cluster, or DEFXMITQ.

        A shared queue of another member is here, too.
        """
        wanted = str(remote.attributes["XMITQ"])
        if not wanted and self._is_shared_here(queue_name, qmgr_name):
            here = self._local(queue_name)
            here.first, here.path = remote, (remote, *here.path)
            return here
        if not wanted and (route := self._intra_group(queue_name, qmgr_name)) is not None:
            route.first, route.path = remote, (remote, *route.path)
            return route
        if not wanted and self.engine.clusters.inside and self._find(qmgr_name) in (None, remote):
            shared = cluster_names.qmgr_route(self.engine, queue_name, qmgr_name)
            if shared is not None:
                shared.first, shared.path = remote, (remote, *shared.path)
                return shared
        transmission = self._transmission_queue(wanted, qmgr_name)
        return Route(
            transmission, queue_name, qmgr_name, remote, (remote, transmission.definition), remote=True
        )

    def _qmgr(self, name: str, qmgr: str) -> Route:
        definition = self._find(qmgr)
        if definition is None or definition.kind != "QREMOTE":
            route = self._intra_group(name, qmgr)
            if route is not None:
                return route
        if definition is None and self.engine.clusters.inside:
            shared = cluster_names.qmgr_route(self.engine, name, qmgr)
            if shared is not None:
                return shared
        if definition is None:
            transmission = self._transmission_queue("", qmgr)
            return Route(
                transmission, name, qmgr, transmission.definition, (transmission.definition,), remote=True
            )
        if definition.kind == "QREMOTE":
            target = str(definition.attributes["RQMNAME"])
            if target == self.engine.name:
                return self._local(name)
            if not target and not str(definition.attributes["XMITQ"]) and self.engine.clusters.inside:
                self.in_clusters = True  # the alias is a way into the clusters: any instance may be chosen
                return self._local(name)
            return self._forwarded(definition, name, target or qmgr)
        transmission = self._as_transmission(definition.name, qmgr)
        return Route(
            transmission, name, qmgr, transmission.definition, (transmission.definition,), remote=True
        )

    def _intra_group(self, name: str, qmgr: str) -> Route | None:
        """Return the route to a queue of another member by the shared transmission queue of the group."""
        sharing = self.engine.sharing
        if sharing is None:
            return None
        self.looked_up[GROUP, ""] = None
        self.looked_up["QMGR", self.engine.definition.name] = None
        if qmgr not in sharing.queuing or self.engine.definition.attributes["IGQ"] != "ENABLED":
            return None
        if self._find(intra_group.QUEUE) is None:
            return None
        queue = self._as_transmission(intra_group.QUEUE, qmgr)
        definition = queue.definition
        return Route(queue, name, qmgr, definition, (definition,), remote=True, member=qmgr)

    def _transmission_queue(self, wanted: str, qmgr: str) -> Queue:
        if wanted:
            if self._find(wanted) is None:
                raise error(
                    mq.MQRC_UNKNOWN_XMIT_Q, f"transmission queue {wanted} is not defined", object=wanted
                )
            return self._as_transmission(wanted, qmgr)
        if self._find(qmgr) is not None:
            return self._as_transmission(qmgr, qmgr)
        self.looked_up["QMGR", self.engine.definition.name] = None
        default = str(self.engine.definition.attributes["DEFXMITQ"])
        if not default:
            raise error(mq.MQRC_UNKNOWN_REMOTE_Q_MGR, f"no transmission queue leads to {qmgr}", object=qmgr)
        if self._find(default) is None:
            raise error(
                mq.MQRC_UNKNOWN_DEF_XMIT_Q, f"DEFXMITQ names {default}, which is not defined", object=default
            )
        return self._as_transmission(
            default, qmgr, mq.MQRC_DEF_XMIT_Q_TYPE_ERROR, mq.MQRC_DEF_XMIT_Q_USAGE_ERROR
        )

    def _as_transmission(
        self,
        name: str,
        qmgr: str,
        wrong_type: int = mq.MQRC_XMIT_Q_TYPE_ERROR,
        wrong_usage: int = mq.MQRC_XMIT_Q_USAGE_ERROR,
    ) -> Queue:
        queue = self.engine.queues.get(name)
        if queue is None:
            raise error(wrong_type, f"{name} is not a local queue, so it cannot lead to {qmgr}", object=name)
        if queue.definition.attributes["USAGE"] != "XMITQ":
            raise error(wrong_usage, f"{name} is not USAGE(XMITQ)", object=name)
        return queue
