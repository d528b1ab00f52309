"""From the name in an MQOPEN to the queue that is meant: aliases, remote definitions, queue-manager
aliases, transmission queues.

Pure look-ups in the object registry: nothing is opened or counted here. `opening` calls it for
handles, `putting` for one-shot puts, which keep the `Route` until a definition changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue


@dataclass(slots=True)
class Route:
    """Where messages put under a name go, and what the path says about them."""

    queue: Queue | None  # the local queue that takes them; None for a topic
    resolved_queue: str
    resolved_qmgr: str
    first: Definition | None  # the first definition on the path: its defaults apply
    path: tuple[Definition, ...] = ()
    remote: bool = False  # the message gets a transmission header
    topic: Definition | None = None
    generation: int = 0

    def put_inhibited_by(self) -> str | None:
        """Return the name on the path that is PUT(DISABLED), or None."""
        for definition in self.path:
            if definition.attributes.get("PUT") == "DISABLED":
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
        raise error(2085, "names of queues and queue managers are text")
    name, qmgr = name.rstrip(" "), qmgr.rstrip(" ")
    if qmgr in ("", engine.name):
        route = _resolve_local(engine, name)
    else:
        route = _resolve_qmgr(engine, name, qmgr)
    route.generation = engine.generation
    return route


def resolve_reply(engine: Engine, reply_to: str, reply_to_qmgr: str) -> tuple[str, str]:
    """Return what ReplyToQ and ReplyToQMgr become: a reply-to alias is replaced, blanks filled in."""
    if reply_to and not reply_to_qmgr:
        definition = engine.objects.find("QUEUE", reply_to)
        if definition is not None and definition.kind == "QREMOTE":
            queue, target = str(definition.attributes["RNAME"]), str(definition.attributes["RQMNAME"])
            return queue or reply_to, target or engine.name
        return reply_to, engine.name
    return reply_to, reply_to_qmgr


def _resolve_local(engine: Engine, name: str) -> Route:
    definition = engine.objects.find("QUEUE", name)
    if definition is None:
        raise error(2085, f"queue {name} is not defined", object=name)
    if definition.kind in ("QLOCAL", "QMODEL"):
        return Route(engine.queues.get(name), name, engine.name, definition, (definition,))
    if definition.kind == "QALIAS":
        return _resolve_alias(engine, definition)
    return _resolve_remote(engine, definition)


def _resolve_alias(engine: Engine, alias: Definition) -> Route:
    target = str(alias.attributes["TARGET"])
    if alias.attributes.get("TARGTYPE") == "TOPIC":
        topic = engine.objects.find("TOPIC", target)
        if topic is None:
            raise error(2082, f"alias {alias.name} names topic {target}, which is not defined", object=target)
        return Route(None, target, engine.name, alias, (alias,), topic=topic)
    base = engine.objects.find("QUEUE", target)
    if base is None:
        raise error(2082, f"alias {alias.name} names queue {target}, which is not defined", object=target)
    if base.kind in ("QALIAS", "QMODEL"):
        raise error(2001, f"alias {alias.name} names {target}, a {base.kind}", object=target)
    if base.kind == "QREMOTE":
        route = _resolve_remote(engine, base)
    else:
        route = Route(engine.queues.get(target), target, engine.name, base, (base,))
    route.first = alias
    route.path = (alias, *route.path)
    return route


def _resolve_remote(engine: Engine, remote: Definition) -> Route:
    queue_name = str(remote.attributes["RNAME"])
    qmgr_name = str(remote.attributes["RQMNAME"])
    if not queue_name:
        raise error(2184, f"{remote.name} is a queue-manager alias, not a queue", object=remote.name)
    if qmgr_name in ("", engine.name):
        raise error(2087, f"{remote.name} names this queue manager as remote", object=remote.name)
    transmission = _transmission_queue(engine, str(remote.attributes["XMITQ"]), qmgr_name)
    return Route(transmission, queue_name, qmgr_name, remote, (remote, transmission.definition), remote=True)


def _resolve_qmgr(engine: Engine, name: str, qmgr: str) -> Route:
    definition = engine.objects.find("QUEUE", qmgr)
    if definition is None:
        transmission = _transmission_queue(engine, "", qmgr)
        return Route(
            transmission, name, qmgr, transmission.definition, (transmission.definition,), remote=True
        )
    if definition.kind == "QREMOTE":
        target = str(definition.attributes["RQMNAME"])
        if target == engine.name:
            return _resolve_local(engine, name)
        target = target or qmgr
        transmission = _transmission_queue(engine, str(definition.attributes["XMITQ"]), target)
        return Route(
            transmission, name, target, definition, (definition, transmission.definition), remote=True
        )
    transmission = _as_transmission(engine, definition.name, qmgr)
    return Route(transmission, name, qmgr, transmission.definition, (transmission.definition,), remote=True)


def _transmission_queue(engine: Engine, wanted: str, qmgr: str) -> Queue:
    if wanted:
        if engine.objects.find("QUEUE", wanted) is None:
            raise error(2196, f"transmission queue {wanted} is not defined", object=wanted)
        return _as_transmission(engine, wanted, qmgr)
    if engine.objects.find("QUEUE", qmgr) is not None:
        return _as_transmission(engine, qmgr, qmgr)
    default = str(engine.definition.attributes["DEFXMITQ"])
    if not default:
        raise error(2087, f"no transmission queue leads to {qmgr}", object=qmgr)
    if engine.objects.find("QUEUE", default) is None:
        raise error(2197, f"DEFXMITQ names {default}, which is not defined", object=default)
    return _as_transmission(engine, default, qmgr, 2198, 2199)


def _as_transmission(
    engine: Engine, name: str, qmgr: str, wrong_type: int = 2091, wrong_usage: int = 2092
) -> Queue:
    queue = engine.queues.get(name)
    if queue is None:
        raise error(wrong_type, f"{name} is not a local queue, so it cannot lead to {qmgr}", object=name)
    if queue.definition.attributes["USAGE"] != "XMITQ":
        raise error(wrong_usage, f"{name} is not USAGE(XMITQ)", object=name)
    return queue
