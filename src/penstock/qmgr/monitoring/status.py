"""What DISPLAY QSTATUS, CONN and QMSTATUS and `penstock qmgr status` are answered from.

Reads the engine and changes nothing. What the figures mean is declared in `model/status.py`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.options import Open
from penstock.model.status import (
    ConnectionStatus,
    HandleStatus,
    Histogram,
    OpenObjectStatus,
    QmgrStatus,
    QueueFigures,
    QueueStatus,
    Status,
)
from penstock.qmgr.monitoring import counting
from penstock.qmgr.opening import INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.qmgr.engine import Engine

LOOKED_AT_MAX = 100  # connections passed over while the engine is held
QUEUES_AT_ONCE = 1000  # counted while it is held


def queue_status(engine: Engine, name: str, now: float) -> QueueStatus:
    """Return the live figures of a local queue."""
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    put_date, put_time = _moment(queue.last_put)
    get_date, get_time = _moment(queue.last_get)
    oldest = queue.oldest()
    return QueueStatus(
        queue=name,
        curdepth=queue.depth,
        ipprocs=queue.inputs,
        opprocs=queue.outputs,
        reserved=engine.reservations.reserved(queue),
        uncom=_yes(queue.uncommitted),
        lputdate=put_date,
        lputtime=put_time,
        lgetdate=get_date,
        lgettime=get_time,
        msgage=int(now - oldest.put_time) if oldest is not None else 0,
        qtime=_wait_us(queue),
        browses=queue.browses,
        expired=queue.expired,
        getback=queue.gets_undone,
        getbytes=queue.get_bytes,
        getempty=queue.gets_empty,
        getfail=queue.gets_failed,
        gets=queue.gets,
        hiqdepth=counting.depth_high(queue),
        purged=queue.purged,
        putback=queue.puts_undone,
        putbytes=queue.put_bytes,
        putfail=queue.puts_failed,
        puts=queue.puts,
    )


def queue_figures(engine: Engine, name: str) -> QueueFigures | None:
    """Return the users and the messages of a local queue; None if it was deleted."""
    queue = engine.queues.get(name)
    if queue is None:
        return None
    oldest = queue.oldest()
    return QueueFigures(
        queue=name,
        depth=queue.depth,
        oldest=oldest.put_time if oldest is not None else None,
        readers=queue.inputs,
        writers=queue.outputs,
        waiting=queue.waiting.count if queue.waiting is not None else 0,
        uncommitted=bool(queue.uncommitted),
        depth_max=queue.depth_max,
        arrived=queue.next_place - 1,
        last_put=queue.last_put,
        last_get=queue.last_get,
        put_enabled=bool(queue.put_enabled),
        get_enabled=bool(queue.get_enabled),
        depth_high=counting.depth_high(queue),
        puts=queue.puts,
        put_bytes=queue.put_bytes,
        persistent_puts=queue.persistent_puts,
        gets=queue.gets,
        get_bytes=queue.get_bytes,
        persistent_gets=queue.persistent_gets,
        browses=queue.browses,
        puts_failed=queue.puts_failed,
        gets_failed=queue.gets_failed,
        gets_empty=queue.gets_empty,
        puts_undone=queue.puts_undone,
        gets_undone=queue.gets_undone,
        expired=queue.expired,
        purged=queue.purged,
        wait_seconds=queue.wait_seconds,
    )


def reset_queue_statistics(engine: Engine, name: str, now: float) -> dict[str, int]:
    """Return the counts of a queue since the last reset, and reset them; 2085 if it is not a local queue."""
    queue = engine.queues.get(name)
    if queue is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{name} is not a local queue", object=name)
    if queue.depth_events is not None:
        queue.depth_events.statistics.reset(now, queue.depth)  # performance events show the same counts
    return counting.reset(queue, now, engine.started)


def handles(engine: Engine, name: str) -> Iterator[HandleStatus | None]:
    """Yield who has a queue open, and None from time to time, so that the caller can release the engine."""
    for found in _open(engine):
        if found is None:
            yield None
            continue
        connection, handle, target = found
        if name in (target, handle.name):
            options = handle.options
            yield HandleStatus(
                queue=target,
                appltag=connection.application,
                browse=_yes(options & mq.MQOO_BROWSE),
                input=_input(handle),
                inquire=_yes(options & mq.MQOO_INQUIRE),
                output=_yes(options & mq.MQOO_OUTPUT),
                set=_yes(options & mq.MQOO_SET),
                pid=connection.process,
                userid=connection.user,
                channel=connection.channel,
                conname=connection.address,
                hstate="ACTIVE",
            )


def open_objects(engine: Engine) -> Iterator[OpenObjectStatus | None]:
    """Yield what connections have open, and None at times, so that the caller can release the engine."""
    for found in _open(engine):
        if found is None:
            yield None
            continue
        connection, handle, target = found
        yield OpenObjectStatus(
            conn=connection_id(connection),
            objname=target,
            objtype=_object_type(handle),
            topicstr=_topic_of(handle),
            subname=_subscription_name(handle.subscription),
            openopts="|".join(flag.name or "" for flag in Open(handle.options)),
            hstate="ACTIVE",
        )


def _open(engine: Engine) -> Iterator[tuple[Any, Any, str] | None]:
    """Yield the connection, the handle and the name of everything that is open."""
    for place, connection in enumerate(list(engine.connected.values()), 1):
        if place % LOOKED_AT_MAX == 0:
            yield None
        for handle in list(connection.handles.values()):
            yield connection, handle, handle.queue.name if handle.queue is not None else handle.name


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


def _wait_us(queue: Any) -> str:
    """Return QTIME: the mean time on the queue since the start, in microseconds; MQ has two such values."""
    mean = int(queue.wait_seconds * 1e6 / queue.gets) if queue.gets else 0
    return f"{mean},{mean}" if queue.gets else " , "


def _yes(value: int) -> str:
    return "YES" if value else "NO"


def connection_id(connection: Any) -> str:
    """Return a connection's id as DISPLAY CONN shows it."""
    return f"{connection.number:016X}"


def connections(engine: Engine) -> Iterator[ConnectionStatus]:
    """Yield who is connected; the caller may release the engine between two of them."""
    started: dict[int, float] = {}  # of the oldest unit, by the number of the connection
    for unit in engine.units.values():
        if unit.owner is not None:
            number = unit.owner.number
            started[number] = min(unit.started, started.get(number, unit.started))
    for connection in list(engine.connected.values()):
        date, moment = _moment(started.get(connection.number, 0.0))
        yield ConnectionStatus(
            conn=connection_id(connection),
            appltag=connection.application,
            conname=connection.address,
            channel=connection.channel,
            pid=connection.process,
            userid=connection.user,
            connopts=_binding(connection),
            uowstda=date,
            uowstti=moment,
            uowstate="ACTIVE" if connection.number in started else "NONE",
            getbytes=connection.account.get_bytes,
            gets=connection.account.gets,
            putbytes=connection.account.put_bytes,
            puts=connection.account.puts,
        )


def _binding(connection: Any) -> str:
    if connection.channel:
        return "MQCNO_SHARED_BINDING"
    return "MQCNO_STANDARD_BINDING" if connection.local else "MQCNO_FASTPATH_BINDING"


def qmgr_status(engine: Engine) -> QmgrStatus:
    """Return the engine's part of DISPLAY QMSTATUS; the host adds its own."""
    date, moment = _moment(engine.started)
    return QmgrStatus(
        qmname=engine.name,
        status=engine.state,
        conns=len(engine.connected),
        startda=date,
        startti=moment,
        incarnation=engine.incarnation,
        chinit=_initiator_state(engine),
    )


def _initiator_state(engine: Engine) -> str:
    initiator = engine.runtime.find("CHINIT") if engine.runtime is not None else None
    return "RUNNING" if initiator is not None and initiator.runs else "STOPPED"


def qmgr_figures(engine: Engine, now: float) -> Status:
    """Return the figures of the whole queue manager, but for those that `add_totals` adds."""
    date, moment = _moment(engine.started)
    units = [unit.started for unit in engine.units.values()]
    return Status(
        name=engine.name,
        started=engine.started,
        status=engine.state,
        conns=len(engine.connected),
        startda=date,
        startti=moment,
        incarnation=engine.incarnation,
        logged_units=len(units),
        oldest_unit_seconds=now - min(units) if units else 0.0,
        prepared_units=len(engine.prepared),
        queues=len(engine.queues),
        reservations=engine.reservations.listing(),
        topics=len(engine.pubsub.tree.nodes),
        subscriptions=len(engine.pubsub.subscriptions),
        published=engine.pubsub.publisher.published,
        delivered=engine.pubsub.publisher.delivered,
    )


def add_totals(engine: Engine, status: Status) -> Iterator[None]:
    """Add up what all queues hold; yields from time to time, so that the caller can release the engine."""
    gone = engine.effects.statistics.deleted_waits
    waits = counting.WaitTimes(list(gone.counts), gone.seconds)
    for place, queue in enumerate(list(engine.queues.values()), 1):
        if queue.waiting is not None:
            status.waiters += queue.waiting.count
        status.messages += queue.depth
        status.memory_bytes += queue.memory_bytes
        status.spilled_messages += queue.spilled
        waits.add(queue)
        if place % QUEUES_AT_ONCE == 0:
            yield
    bounds = list(counting.WAIT_BOUNDS_SECONDS)
    status.wait_times = Histogram(bounds=bounds, counts=waits.counts, total=waits.seconds)


def _moment(when: float) -> tuple[str, str]:
    if not when:
        return "", ""
    at = time.localtime(when)
    return time.strftime("%Y-%m-%d", at), time.strftime("%H.%M.%S", at)
