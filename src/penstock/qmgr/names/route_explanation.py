"""The resolution of a name, step by step: every definition that was looked up, and the result.

`explain` runs the same `Resolution` as an open does, so its answer always agrees with one. It opens and
changes nothing. Called by `QueueManager.explain_route`, for `penstock resolve`, under the engine's lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.qmgr.names.name_resolution import Resolution

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.objects import Definition


def explain(engine: Engine, name: str, qmgr: str = "") -> dict[str, Any]:
    """Return the steps, and either the queue that takes the messages or the reason of the refusal."""
    resolution = Resolution(engine)
    answer: dict[str, Any] = {"name": name, "qmgr": qmgr, "steps": []}
    try:
        route = resolution.route(name.rstrip(" "), qmgr.rstrip(" "))
    except MQError as failure:
        answer |= {"leads": False, "reason": failure.reason, "error": failure.name, "text": failure.detail}
    else:
        answer |= {"leads": True, **_destination(engine, route)}
    answer["steps"] = [_step(engine, namespace, looked_up) for namespace, looked_up in resolution.looked_up]
    return answer


def _destination(engine: Engine, route: Route) -> dict[str, Any]:
    local = route.queue.definition.name if route.queue is not None else ""
    return {
        "queue": local,
        "topic": str(route.topic.attributes["TOPICSTR"]) if route.topic is not None else "",
        "remote": route.remote,
        "remote_queue": route.resolved_queue if route.remote else "",
        "remote_qmgr": route.resolved_qmgr if route.remote else "",
        "channels": _channels(engine, local) if route.remote else [],
        "put_inhibited_by": route.put_inhibited_by() or "",
    }


def _channels(engine: Engine, transmission_queue: str) -> list[str]:
    """Return the channels that empty a transmission queue."""
    return sorted(
        each.name
        for each in engine.objects.all("CHANNEL")
        if each.attributes.get("XMITQ") == transmission_queue
    )


def _step(engine: Engine, namespace: str, name: str) -> dict[str, str]:
    if namespace == "QMGR":
        default = str(engine.definition.attributes["DEFXMITQ"])
        text = (
            f"the queue manager's default transmission queue is {default}"
            if default
            else "no DEFXMITQ is set"
        )
        return {"object": name, "type": "QMGR", "text": text}
    if namespace == "CLUSTER":
        number = len(engine.clusters.workload.instances(name))
        return {"object": name, "type": "CLUSTER", "text": f"instances known in clusters: {number}"}
    definition = engine.objects.find(namespace, name)
    if definition is None:
        return {"object": name, "type": "", "text": f"no {namespace.lower()} of this name is defined"}
    return {"object": name, "type": definition.kind, "text": _meaning(definition)}


def _meaning(definition: Definition) -> str:
    values = definition.attributes
    if definition.kind == "QALIAS":
        return f"an alias of {str(values['TARGTYPE']).lower()} {values['TARGET']}"
    if definition.kind == "QREMOTE":
        by = f" by transmission queue {values['XMITQ']}" if values["XMITQ"] else ""
        if values["RNAME"]:
            return f"queue {values['RNAME']} at queue manager {values['RQMNAME']}{by}"
        return f"an alias of queue manager {values['RQMNAME'] or definition.name}{by}"
    if definition.kind == "QLOCAL":
        return "a transmission queue" if values["USAGE"] == "XMITQ" else "a local queue"
    return {"QMODEL": "a model queue", "TOPIC": "a topic object"}.get(definition.kind, definition.kind)
