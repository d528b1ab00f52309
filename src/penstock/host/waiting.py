"""Getting with patience: the part of a get that may wait for a message, or for a disk read.

A waiting thread sleeps on a lock of its own; the put that answers it opens the lock. The engine is
never held while a thread sleeps. A signal ends the sleep alone: a message that was given by then is
returned, and what the handler raised is raised after that. Compiled through `waiting.pxd`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.face.deadlines import deadline_of
from penstock.model._interrupts import Interrupted, acquire, raise_later, uninterrupted
from penstock.model.errors import MQError, error
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.scanning import Paused, Scan, scanning
from penstock.qmgr.waiters import Waiter, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.messaging import Messaging
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match


def get_or_wait(
    qm: Messaging,
    target: Callable[[], Queue],
    match: Match | None,
    unit: UnitOfWork | None,
    wait: float | None,
    handle: Any = None,
) -> Message | None:
    """Take a message from a queue, waiting for one as long as asked or as its handle is open."""

    def attempt() -> Message | None:
        return qm.engine.take(target(), match, unit, time.time())

    def register(wake: Callable[[Waiter], None]) -> Waiter:
        waiter = qm.engine.wait(target(), match, unit, wake)
        waiter.handle = handle
        return waiter

    return qm.attempt_or_wait(attempt, register, wait)


def attempt_or_wait(
    qm: Messaging,
    attempt: Callable[[], Message | None],
    register: Callable[[Callable[[Waiter], None]], Waiter],
    wait: float | None,
) -> Message | None:
    """Attempt a get until it succeeds or time is up; `register` makes a waiter in between."""
    with uninterrupted:
        return _attempt_or_wait(qm, attempt, register, deadline_of(wait))


def _attempt_or_wait(
    qm: Messaging,
    attempt: Callable[[], Message | None],
    register: Callable[[Callable[[Waiter], None]], Waiter],
    deadline: float | None,
) -> Message | None:
    scan = Scan()
    while True:
        waiter = None
        with qm.gate:
            qm.engine.step.begin()
            try:
                with scanning(qm.engine, scan):
                    message = attempt()
            except Paused:
                continue  # with the gate let go for a moment
            loading = qm.engine.step.take_load()
            position = qm.engine.step.end()
            if message is None and loading is None:
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                lock = threading.Lock()
                lock.acquire()
                waiter = register(_opener(lock))
                qm.waiters.add(waiter)
        if message is not None:
            qm.finish(position)
            return message
        scan = Scan()
        if loading is not None:
            qm.host.load(loading)
            continue
        assert waiter is not None
        try:
            answered = _sleep(qm, waiter, lock, deadline)
        finally:
            qm.waiters.discard(waiter)
        if not answered:
            return None
        if waiter.message is not None:
            qm.finish(waiter.position)
            return waiter.message
        if waiter.reason != TRY_AGAIN:
            raise error(waiter.reason, "while waiting for a message")


def _opener(lock: threading.Lock) -> Callable[[Waiter], None]:
    return lambda _: lock.release()


def _sleep(qm: Messaging, waiter: Waiter, lock: threading.Lock, deadline: float | None) -> bool:
    """Sleep until the waiter is answered; False when time ran out first."""
    try:
        if acquire(lock, -1.0 if deadline is None else max(0.0, deadline - time.monotonic())):
            return True
    except Interrupted as interrupted:
        if _cancel(qm, waiter):
            raise interrupted.cause from None
        raise_later(interrupted.cause)
        return True
    return not _cancel(qm, waiter)


def _cancel(qm: Messaging, waiter: Waiter) -> bool:
    """Withdraw a waiter; False when it was answered a moment ago."""
    with qm.gate.anyway:
        if not waiter.active:
            return False
        waiter.queue.waiting.remove(waiter)
        return True


def register_retry(
    queue: Queue,
    attempt: Callable[[], Message | None],
    wanted: Callable[[Message], bool],
    engine: Any,
    wake: Callable[[Waiter], None],
) -> Waiter:
    """Register a waiter whose wish needs a fresh look at the queue for each arrival that is `wanted`.

    Whoever puts a message does not look through a long queue for the waiter: that makes the get again itself.
    """

    def retry(waiter: Waiter, came: Message | None) -> bool:
        if came is not None and not wanted(came):
            return False
        try:
            with scanning(engine, Scan()):
                message = attempt()
        except Paused:
            waiter.reason = TRY_AGAIN
            queue.waiting.remove(waiter)
            return True
        except MQError as failure:  # an error of the getter, not of the put
            waiter.reason = failure.reason
            queue.waiting.remove(waiter)
            return True
        if engine.step.take_load() is None and message is None:
            return False
        waiter.message = message
        waiter.position = engine.step.position
        if message is None:
            waiter.reason = TRY_AGAIN
        queue.waiting.remove(waiter)
        return True

    waiter = Waiter(queue, None, None, wake, retry)
    if queue.waiting is None:
        queue.waiting = Waiting()
    queue.waiting.add(waiter)
    return waiter
