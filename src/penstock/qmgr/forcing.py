"""Changes of a definition that handles which are open cannot follow: refused, or made with FORCE.

As in MQ these are TARGET of an alias; NOSHARE and USAGE of a local queue; RNAME, RQMNAME and XMITQ of a
remote queue; DEFXMITQ of the queue manager. With FORCE the handles concerned are of no use any more: each
call with one raises 2041 until it is closed and opened again. Every other change is made while an object is
open, and DEFINE with REPLACE is a change without FORCE. `definitions` asks, before it changes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.opening import INPUT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition

NEEDING_FORCE = {
    "QALIAS": ("TARGET", "TARGTYPE"),
    "QLOCAL": ("SHARE", "USAGE"),
    "QREMOTE": ("RNAME", "RQMNAME", "XMITQ"),
    "QMGR": ("DEFXMITQ",),
}


def check(engine: Engine, before: Definition, after: Definition, force: bool) -> list[Handle]:
    """Return the handles that a change makes useless; raise 3210 when it needs FORCE and has it not."""
    changed = [
        name
        for name in NEEDING_FORCE.get(before.kind, ())
        if before.attributes.get(name) != after.attributes.get(name)
    ]
    if not changed:
        return []
    handles = list(_concerned(engine, before, changed))
    why = f"{len(handles)} handle(s) use it" if handles else ""
    queue = engine.queues.get(before.name) if before.kind == "QLOCAL" else None
    if "USAGE" in changed and queue is not None and queue.depth:
        why = f"it holds {queue.depth} message(s)"
    if why and not force:
        detail = f"{before.name}: {why}; {', '.join(changed)} can be altered then with FORCE only"
        raise error(mq.MQRCCF_OBJECT_OPEN_FORCE, detail, object=before.name)
    return handles


def invalidate(engine: Engine, handles: list[Handle], now: float) -> None:
    """Make handles useless, and end the gets that wait with them."""
    for handle in handles:
        handle.changed = True
        queue = handle.queue
        if queue is not None and queue.waiting is not None:
            for waiter in queue.waiting.everyone():
                if waiter.handle is handle:
                    engine.fail_waiter(queue, waiter, mq.MQRC_OBJECT_CHANGED)
            engine.serve(queue, now)  # handles that resolve again by themselves notice the change


def _concerned(engine: Engine, before: Definition, changed: list[str]) -> Iterator[Handle]:
    """Yield the handles that were opened as the definition was and would not be so now."""
    if before.kind == "QMGR":
        yield from _open(engine, lambda handle: _by_default(handle, str(before.attributes["DEFXMITQ"])))
    elif before.kind != "QLOCAL" or "USAGE" in changed:
        yield from _open(engine, lambda handle: _leads_through(handle, before.name))
    else:
        inputs = list(_open(engine, lambda handle: handle.has(INPUT) and _leads_through(handle, before.name)))
        if len(inputs) > 1:  # one getter has the queue to itself anyway
            yield from inputs


def _open(engine: Engine, wanted: Callable[[Handle], bool]) -> Iterator[Handle]:
    for connection in engine.connected.values():
        for handle in connection.handles.values():
            if handle.route is not None and not handle.changed and wanted(handle):
                yield handle


def _leads_through(handle: Handle, name: str) -> bool:
    assert handle.route is not None
    return any(each.namespace == "QUEUE" and each.name == name for each in handle.route.path)


def _by_default(handle: Handle, default: str) -> bool:
    """Return whether a handle leads to another queue manager by the default transmission queue."""
    route = handle.route
    if route is None or not route.remote or route.queue is None or route.queue.name != default:
        return False
    named = any(each.attributes.get("XMITQ") == default for each in route.path)
    return not named and route.resolved_qmgr != default
