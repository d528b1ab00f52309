"""How a handle is bound to an instance of a cluster queue: at open, for each message, or for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.clusters.cluster_names import is_clustered

if TYPE_CHECKING:
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.dependencies import Dependency
    from penstock.qmgr.names.name_resolution import Route

LOCAL_ONLY = (
    mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE | mq.MQOO_BROWSE | mq.MQOO_SET
)
BIND_OF = {
    mq.MQOO_BIND_ON_OPEN: "OPEN",
    mq.MQOO_BIND_NOT_FIXED: "NOTFIXED",
    mq.MQOO_BIND_ON_GROUP: "GROUP",
}


def bind_of(route: Route, options: int) -> str:
    """Return the bind of an open: by its options, else DEFBIND."""
    for option, bind in BIND_OF.items():
        if options & option:
            return bind
    return str(route.choice.bind)


def bound(engine: Engine, route: Route, options: int) -> Route:
    """Return the route that a handle keeps: of one instance, or one that chooses at every put.

    An open for input is of the local queue.
    """
    target = route.choice
    if options & LOCAL_ONLY and target.local is not None:
        route.choice = None
        return route
    if options & mq.MQOO_OUTPUT and bind_of(route, options) == "OPEN":
        chosen: Route = target.next(0)
        return chosen
    return route


def reroute(engine: Engine, handle: Handle, route: Route) -> Route:
    """Return a handle's route after records have changed; 2270 when its instance is gone."""
    if route.choice is None:
        return bound_again(engine, route)
    name, before = route.resolved_queue, route.choice
    local, alias = engine.objects.find("QUEUE", name), before.alias
    if alias is not None:
        alias = engine.objects.find("QUEUE", alias.name) or alias
    if not (local is None or is_clustered(local)):
        local = None
    target = engine.clusters.workload.target(name, alias, local)
    if target is None:
        raise error(
            mq.MQRC_NO_DESTINATIONS_AVAILABLE, f"no instance of cluster queue {name} is left", object=name
        )
    route.choice, route.first = target, target.first
    route.path = (*target.before, local) if local is not None else (target.first,)
    route.dependencies = _dependencies(engine, name, route)
    return route


def bound_again(engine: Engine, route: Route) -> Route:
    """Return the route of a handle that is bound to an instance or to a member, by its current queue."""
    name = route.resolved_queue
    if not engine.clusters.workload.still_there(route):
        raise error(
            mq.MQRC_NO_DESTINATIONS_AVAILABLE,
            f"the instance of {name} at {route.resolved_qmgr} that the handle is bound to is gone",
            object=name,
        )
    details = {} if route.first is route.path[-1] else {"first": route.first}
    made = engine.clusters.transmission.route(
        route.channel, name, route.resolved_qmgr, bind=route.bind, **details
    )
    aliases = [engine.objects.find("QUEUE", each.name) or each for each in route.path[:-1]]
    made.path = (*aliases, *made.path)
    made.instance = route.instance
    member = engine.dependencies.on("CLUSTER", route.resolved_qmgr)
    made.dependencies = (member, *_dependencies(engine, name, made))
    return made


def _dependencies(engine: Engine, name: str, route: Route) -> tuple[Dependency, ...]:
    on = engine.dependencies.on
    return (on("CLUSTER", name), *(on(each.namespace, each.name) for each in route.path))


def released(engine: Engine, handle: Handle, route: Route) -> Route | None:
    """Return the route of a handle of a local instance that other instances may serve as well by now.

    None when the handle is bound to it, reads it, or the rules still leave the local instance alone.
    """
    local = route.path[-1] if route.path else None
    if local is None or route.remote or not engine.clusters.inside or not is_clustered(local):
        return None
    if not handle.options & mq.MQOO_OUTPUT or handle.options & LOCAL_ONLY:
        return None
    alias = route.path[0] if len(route.path) > 1 else None
    target = engine.clusters.workload.target(local.name, alias, local)
    if target is None or target.stays_here():
        return None
    opened = engine.clusters.workload.open_route(target)
    bind = bind_of(opened, handle.options)
    if bind == "OPEN":
        return None
    handle.extra["bind"] = bind
    return opened
