"""What roles do, by name: applications that request, serve, put, get, publish and subscribe.

A role is a name with arguments that fit into JSON, so that a driver on another machine can play it; nothing
else is ever run there. Every loop counts what it did and how long it took, reads no file and prints nothing.
Rated roles send at intended times; without a pace the next request follows the reply.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from functools import partial
from time import monotonic, perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.lab.load.crew import LATENESS, SERVICE
from penstock.lab.load.schedule import Pace, fixed, poisson
from penstock.lab.load.system_under_test import connect
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.lab.load.crew import Role

WAIT_SECONDS = 30.0
AHEAD_MAX = 1000  # messages that a producer may be ahead of the slowest consumer
OVERDUE_SECONDS_MAX = 30.0
PAUSE_SECONDS = 0.0005
CHECK_EVERY = 32  # messages between two looks at the consumers


class Spec(NamedTuple):
    """A role by name: its kind in the measurements, what it does, its arguments."""

    kind: str
    role: str
    arguments: dict[str, Any]


def request(
    role: Role,
    way: dict[str, str],
    requests: str,
    replies: str,
    size: int,
    persistent: bool = False,
    applications: int = 1,
    pace: dict[str, Any] | None = None,
    own_queue: bool = False,
    own_channel: bool = False,
    keeps_open: bool = False,
) -> None:
    """Put requests and get the reply whose correlation id is the request's message id.

    With a queue of its own, an application gets whatever comes there; with a pair of message channels of its
    own, both queue names end with its number. One that keeps its queue open is bound to one instance of it.
    """
    body = bytes(size)
    opened: dict[int, Any] = {}

    def put(place: int, qm: BlockingQueueManager, queue: str, **about: Any) -> Any:
        if not keeps_open:
            return qm.put(queue, body, **about)
        if place not in opened:
            opened[place] = qm.open(queue, mq.MQOO_OUTPUT)
        return opened[place].put(body, **about)

    def once(place: int, qm: BlockingQueueManager) -> None:
        asked = f"{requests}.{place}" if own_channel else requests
        mine = f"{replies}.{place}" if own_queue or own_channel else replies
        receipt = put(place, qm, asked, persistent=persistent, reply_to=mine)
        if qm.get(mine, correl_id=None if own_queue else receipt.msg_id, wait=WAIT_SECONDS) is None:
            role.failed()

    _apply(role, way, once, applications, pace)


def session(
    role: Role,
    way: dict[str, str],
    requests: str,
    replies: str,
    size: int,
    round_trips: int = 5,
    applications: int = 1,
    pace: dict[str, Any] | None = None,
) -> None:
    """Connect, open two queues, make some round trips, close and disconnect."""
    from penstock import Open

    body = bytes(size)

    def once(_: int, __: Any) -> None:
        with (
            connect(way) as qm,
            qm.open(requests, Open.OUTPUT) as out,
            qm.open(replies, Open.INPUT_SHARED) as back,
        ):
            for _ in range(round_trips):
                receipt = out.put(body, reply_to=replies)
                back.get(correl_id=receipt.msg_id, wait=WAIT_SECONDS)

    _apply(role, None, once, applications, pace)


def serve(
    role: Role, way: dict[str, str], requests: str, unit: bool = False, persistent: bool = False
) -> None:
    """Get requests and put replies to where they ask for them, in a unit of work or not."""
    qm = connect(way)
    role.ready()
    while True:
        if not unit:
            message = qm.get(requests, wait=WAIT_SECONDS)
            if message is not None:
                qm.put(message.reply_to, message.body, correl_id=message.msg_id, persistent=persistent)
                role.count()
            continue
        with qm.unit_of_work():
            message = qm.get(requests, wait=WAIT_SECONDS)
            if message is not None:
                qm.put(message.reply_to, message.body, correl_id=message.msg_id, persistent=persistent)
        role.count(message is not None)


def put(role: Role, way: dict[str, str], queue: str, size: int, persistent: bool = False, **how: Any) -> None:
    """Put messages; without a pace as fast as the consumers get them."""
    body = bytes(size)
    _produce(role, way, lambda qm: qm.put(queue, body, persistent=persistent), **how)


def publish(
    role: Role, way: dict[str, str], topic: str, size: int, persistent: bool = False, **how: Any
) -> None:
    """Publish messages; without a pace as fast as the subscribers get them."""
    body = bytes(size)
    _produce(role, way, lambda qm: qm.publish(topic, body, persistent=persistent), **how)


def get(role: Role, way: dict[str, str], queue: str) -> None:
    """Get messages as they come."""
    qm = connect(way)
    role.ready()
    while True:
        message = qm.get(queue, wait=WAIT_SECONDS)
        if message is not None:
            role.count(1, message.length)


def subscribe(role: Role, way: dict[str, str], topic: str, durable: str = "") -> None:
    """Subscribe and get what is published."""
    qm = connect(way)
    subscription = qm.subscribe(topic, **({"durable": durable} if durable else {}))
    role.ready()
    while True:
        message = subscription.get(wait=WAIT_SECONDS)
        if message is not None:
            role.count(1, message.length)


def _produce(
    role: Role,
    way: dict[str, str],
    send: Callable[[Any], Any],
    pace: dict[str, Any] | None = None,
    consumers: str = "",
) -> None:
    qm = connect(way)
    role.ready()
    if pace:
        _keep_pace(role, _pace_of(pace, 0, 1, role.place), lambda: send(qm), threading.Lock())
        return
    sent = 0
    while True:
        began = perf_counter_ns()
        try:
            send(qm)
        except MQError as failure:
            if failure.reason != mq.MQRC_Q_FULL:
                raise
            time.sleep(PAUSE_SECONDS)
            continue
        role.took(perf_counter_ns() - began)
        sent += 1
        if consumers and sent % CHECK_EVERY == 0:
            _wait_for(role, consumers, sent)


def _wait_for(role: Role, consumers: str, sent: int) -> None:
    """Wait while the slowest consumer is far behind."""
    while sent - min(role.done_by(consumers), default=sent) > AHEAD_MAX:
        time.sleep(PAUSE_SECONDS)


def _apply(
    role: Role,
    way: dict[str, str] | None,
    once: Callable[[int, Any], None],
    applications: int,
    pace: dict[str, Any] | None,
) -> None:
    """Run one application without think time, or many rated ones, each a thread with its own connection."""
    connections = [connect(way) if way else None for _ in range(applications)]
    role.ready()
    if not pace and applications == 1:
        while True:
            began = perf_counter_ns()
            once(0, connections[0])
            role.took(perf_counter_ns() - began)
    counting = threading.Lock()
    for place, qm in enumerate(connections):
        mine = _pace_of(pace or {}, place, applications, role.place)
        threading.Thread(
            target=_live, args=(role, mine, partial(once, place, qm), counting), daemon=True
        ).start()
    threading.Event().wait()


def _live(role: Role, pace: Pace, once: Callable[[], None], counting: threading.Lock) -> None:
    try:
        _keep_pace(role, pace, once, counting)
    except BaseException:  # noqa: BLE001 - an application that ends spoils the window, so the process ends
        traceback.print_exc()
        os._exit(1)


def _keep_pace(role: Role, pace: Pace, once: Callable[[], Any], counting: threading.Lock) -> None:
    """Send at the intended times; count the response from them, and how late the sending was."""
    while not pace.over:
        time.sleep(pace.wait(monotonic()))
        due, sent = pace.take(), monotonic()
        if sent - due > OVERDUE_SECONDS_MAX:
            with counting:
                role.overdue()
            continue
        once()
        done = monotonic()
        with counting:
            role.took(int((done - due) * 1e9))
            role.timed(SERVICE, int((done - sent) * 1e9))
            role.timed(LATENESS, int((sent - due) * 1e9))


def _pace_of(pace: dict[str, Any], place: int, applications: int, seed: int) -> Pace:
    """Return the pace of one application of many; without one it sends at once, always."""
    now = monotonic()
    if not pace:
        return Pace(iter(monotonic, None))
    interval = pace["every_s"] if "every_s" in pace else 1 / pace["rate"]
    if pace.get("arrivals") == "poisson":
        return Pace(poisson(1 / interval, now, seed * 100_003 + place))
    return Pace(fixed(interval, now + interval * place / applications))


ROLES: dict[str, Callable[..., None]] = {
    "request": request,
    "session": session,
    "serve": serve,
    "put": put,
    "publish": publish,
    "get": get,
    "subscribe": subscribe,
}
