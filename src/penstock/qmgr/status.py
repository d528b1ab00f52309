"""What DISPLAY QSTATUS, CONN and QMSTATUS and `penstock qmgr status` are answered from.

Reads the engine and changes nothing. Keys are MQSC's where MQSC has one.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.opening import INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.engine import Engine

LOOKED_AT_MAX = 100  # connections passed over while the engine is held
QUEUES_AT_ONCE = 1000  # counted while it is held


def queue_status(engine: Engine, name: str, now: float) -> dict[str, Any]:
    """Return the live figures of a local queue."""
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    put_date, put_time = _moment(queue.last_put)
    get_date, get_time = _moment(queue.last_get)
    oldest = queue.oldest()
    return {
        "QUEUE": name,
        "CURDEPTH": queue.depth,
        "IPPROCS": queue.inputs,
        "OPPROCS": queue.outputs,
        "RESERVED": engine.reservations.reserved(queue),
        "UNCOM": "YES" if queue.uncommitted else "NO",
        "LPUTDATE": put_date,
        "LPUTTIME": put_time,
        "LGETDATE": get_date,
        "LGETTIME": get_time,
        "MSGAGE": int(now - oldest.put_time) if oldest is not None else 0,
        "CURFSIZE": (queue.memory_bytes + (1 << 20) - 1) >> 20,
        "WAITERS": queue.waiting.count if queue.waiting is not None else 0,
        "SPILLED": queue.spilled,
    }


def queue_figures(engine: Engine, name: str) -> dict[str, Any] | None:
    """Return who uses a local queue and what is on it, by plain names; None when it is gone."""
    queue = engine.queues.get(name)
    if queue is None:
        return None
    oldest = queue.oldest()
    return {
        "queue": name,
        "depth": queue.depth,
        "oldest": oldest.put_time if oldest is not None else None,
        "readers": queue.inputs,
        "writers": queue.outputs,
        "waiting": queue.waiting.count if queue.waiting is not None else 0,
        "uncommitted": bool(queue.uncommitted),
    }


def reset_queue_statistics(engine: Engine, name: str, now: float) -> dict[str, int]:
    """Return the counts of a queue since the last reset, and begin anew; 2085 for what is no local queue."""
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    if queue.depth_events is None:
        raise error(
            mq.MQRCCF_COMMAND_FAILED,
            f"queue {name} is not counted: ALTER QMGR PERFMEV(ENABLED) first",
            object=name,
        )
    counts: dict[str, int] = queue.depth_events.statistics.reset(now, queue.depth)
    return counts


def handles(engine: Engine, name: str = "") -> Iterator[dict[str, Any] | None]:
    """Yield the open handles, of one queue or of all; None now and then, where others may be let in."""
    for place, connection in enumerate(list(engine.connected.values()), 1):
        if place % LOOKED_AT_MAX == 0:
            yield None
        for handle in list(connection.handles.values()):
            target = handle.queue.name if handle.queue is not None else handle.name
            if name in ("", target, handle.name):
                yield _handle(connection, handle, target)


def _handle(connection: Any, handle: Any, target: str) -> dict[str, Any]:
    options = handle.options
    return {
        "QUEUE": target,
        "APPLTAG": connection.application,
        "APPLTYPE": "USER",
        "BROWSE": _yes(options & mq.MQOO_BROWSE),
        "INPUT": _input(handle),
        "INQUIRE": _yes(options & mq.MQOO_INQUIRE),
        "OUTPUT": _yes(options & mq.MQOO_OUTPUT),
        "SET": _yes(options & mq.MQOO_SET),
        "PID": connection.process,
        "USERID": connection.user,
        "CHANNEL": connection.channel,
        "CONNAME": connection.address,
        "CONN": connection_id(connection),
        "HSTATE": "ACTIVE",
        "OPTIONS": options,
        "OBJTYPE": _object_type(handle),
        "TOPICSTR": _topic_of(handle),
        "SUBNAME": _subscription_name(handle.subscription),
    }


def _object_type(handle: Any) -> str:
    if handle.subscription is not None or handle.topic:
        return "TOPIC"
    kind = handle.definition.kind if handle.definition is not None else "QUEUE"
    return "QUEUE" if kind.startswith("Q") and kind != "QMGR" else kind


def _topic_of(handle: Any) -> str:
    return str(handle.topic if handle.subscription is None else handle.subscription.pattern.text)


def _subscription_name(subscription: Any) -> str:
    name = subscription.name if subscription is not None else ""
    return "" if name.startswith("\x1f") else name


def _input(handle: Any) -> str:
    if not handle.options & INPUT:
        return "NO"
    return "EXCL" if handle.queue is not None and handle.queue.exclusive else "SHARED"


def _yes(value: int) -> str:
    return "YES" if value else "NO"


def connection_id(connection: Any) -> str:
    """Return a connection's id as DISPLAY CONN shows it."""
    return f"{connection.number:016X}"


def connections(engine: Engine) -> Iterator[dict[str, Any]]:
    """Yield who is connected; others may be let in between two of them."""
    started: dict[int, float] = {}  # of the oldest unit, by the number of the connection
    for unit in engine.units.values():
        if unit.owner is not None:
            number = unit.owner.number
            started[number] = min(unit.started, started.get(number, unit.started))
    for connection in list(engine.connected.values()):
        date, moment = _moment(started.get(connection.number, 0.0))
        yield {
            "CONN": connection_id(connection),
            "APPLTAG": connection.application,
            "APPLTYPE": "USER",
            "CONNAME": connection.address,
            "CHANNEL": connection.channel,
            "PID": connection.process,
            "USERID": connection.user,
            "CONNOPTS": _binding(connection),
            "UOWSTDA": date,
            "UOWSTTI": moment,
            "UOWSTATE": "ACTIVE" if connection.number in started else "NONE",
            "HANDLES": len(connection.handles),
        }


def _binding(connection: Any) -> str:
    if connection.channel:
        return "MQCNO_SHARED_BINDING"
    return "MQCNO_STANDARD_BINDING" if connection.local else "MQCNO_FASTPATH_BINDING"


def qmgr_status(engine: Engine, now: float) -> dict[str, Any]:
    """Return the figures of the whole queue manager."""
    date, moment = _moment(engine.started)
    units = [unit.started for unit in engine.units.values()]
    return {
        "STATUS": engine.state,
        "CONNS": len(engine.connected),
        "STARTDA": date,
        "STARTTI": moment,
        "INCARNATION": engine.incarnation,
        "LOGGED_UNITS": len(units),
        "OLDEST_UNIT_SECONDS": now - min(units) if units else 0.0,
        "PREPARED_UNITS": len(engine.prepared),
        "QUEUES": len(engine.queues),
        "RESERVATIONS": engine.reservations.listing(),
    }


def queue_totals(engine: Engine) -> Iterator[dict[str, int]]:
    """Yield what all queues hold together: the same counts, further on each time, until all are counted."""
    totals = dict.fromkeys(("WAITERS", "MESSAGES", "MEMORY_BYTES", "SPILLED_MESSAGES"), 0)
    for place, queue in enumerate(list(engine.queues.values()), 1):
        if queue.waiting is not None:
            totals["WAITERS"] += queue.waiting.count
        totals["MESSAGES"] += queue.depth
        totals["MEMORY_BYTES"] += queue.memory_bytes
        totals["SPILLED_MESSAGES"] += queue.spilled
        if place % QUEUES_AT_ONCE == 0:
            yield totals
    yield totals


def _moment(when: float) -> tuple[str, str]:
    if not when:
        return "", ""
    at = time.localtime(when)
    return time.strftime("%Y-%m-%d", at), time.strftime("%H.%M.%S", at)
