"""How the calls of a connection wait: for the disk, for a message, for a read.

`Caller` is a thread that may sleep; a server's loop, which may not, has its own. A waiting thread sleeps on a
lock of its own; the put that answers it opens the lock. The engine is never held while a thread sleeps. A
signal ends the sleep alone: a message that was given by then is returned, and what the handler raised is
raised after that. Compiled through `waiting.pxd`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.face.deadlines import deadline_of
from penstock.model._interrupts import Interrupted, acquire, begin, end, raise_later, uninterrupted
from penstock.model.errors import MQError, error
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.searching.pauses import Packed, Paused
from penstock.qmgr.searching.scanning import Scan, scanning
from penstock.qmgr.selectors.content_selection import compile_for
from penstock.qmgr.waiters import Waiter, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.host import Host
    from penstock.host.session import Session
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match


Answer = TypeVar("Answer")
ANSWER_SECONDS_MAX = 15.0  # more than the engine waits before it stops trying


class Caller:
    """Waits in its own thread for all that a call needs."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.wishes = host.engine.wishes
        self.progress = 0  # messages of a call with many that are put; it may have to be made again

    def finish(self, position: int) -> None:
        """Wait for the disk if a call needs it, and free memory; signals do not interrupt this."""
        host = self.host
        if position or host.log_is_due() or (self.wishes.spilling and host.spill_is_due()):
            begin()
            try:
                if position:
                    host.settle(position)
                else:
                    host.after_logging()
                if self.wishes.spilling:
                    host.spill()
            finally:
                end()

    def attempt_or_wait(
        self,
        session: Session,
        attempt: Callable[[], Message | None],
        register: Callable[[Callable[[Waiter], None]], Waiter],
        wait: float | None,
    ) -> Message | None:
        """Attempt a get until it succeeds or time is up; `register` makes a waiter in between."""
        with uninterrupted:
            return _attempt_or_wait(session, attempt, register, deadline_of(wait))

    def compile_first(self, selector: str) -> None:
        """Compile a subscription's selector, without holding the engine up; 2459 for a bad one."""
        compile_for(self.host.engine, selector)

    def await_answer(self, question: Any) -> None:
        """Wait until full repositories have answered, or that is given up; then the call is made again."""
        lock = threading.Lock()
        lock.acquire()
        with self.host.gate:
            if question.done:
                return
            question.wakers.append(lock.release)
        lock.acquire(timeout=ANSWER_SECONDS_MAX)

    def evaluate_first(self, evaluation: Evaluation) -> None:
        """Evaluate selectors, without holding the engine up; then the call is made again."""
        evaluation.evaluate()

    def under_way(self) -> Any:
        """Return the state of a repeated call; None for a first call."""
        return None

    def take_steps(self, session: Session, work: Any, begun: Any) -> None:
        """Take the steps of long work, and let others to the engine between two; `begun` is of a server."""
        done = False
        while not done:
            with session.step() as step:
                done = work.step(time.time())
            if step.to_load is not None:
                self.host.load(step.to_load)

    def check_own_unit(self) -> None:
        """Raise why a call with SYNCPOINT may not begin a unit of its own, if it may not."""


def repeated(session: Session, step: Callable[[], Answer]) -> Answer:
    """Return the answer of a step that is made again after each read that it needs.

    Whatever was read for it stays in memory until it has its answer.
    """
    kept: list[Any] = []
    while True:
        wanted: list[Any] | None
        try:
            with session.step() as made:
                answer = step()
            wanted = made.to_load
        except Packed as needed:
            wanted = [needed.window]
        if wanted is None:
            return answer
        kept.append(wanted)
        session.host.load(wanted)


def get_or_wait(
    session: Session,
    target: Callable[[], Queue],
    match: Match | None,
    unit: UnitOfWork | None,
    wait: float | None,
    handle: Any = None,
) -> Message | None:
    """Take a message from a queue, waiting for one as long as asked or as its handle is open."""

    def attempt() -> Message | None:
        return session.engine.take(target(), match, unit, time.time())

    def register(wake: Callable[[Waiter], None]) -> Waiter:
        waiter = session.engine.wait(target(), match, unit, wake)
        waiter.handle = handle
        return waiter

    return session.caller.attempt_or_wait(session, attempt, register, wait)


def _attempt_or_wait(
    session: Session,
    attempt: Callable[[], Message | None],
    register: Callable[[Callable[[Waiter], None]], Waiter],
    deadline: float | None,
) -> Message | None:
    scan = Scan()
    loading = None
    while True:
        waiter = None
        with session.gate:
            session.engine.step.begin_for(session.account)
            session.engine.step.again(loading)
            try:
                with scanning(session.engine, scan):
                    message = attempt()
            except Paused as paused:  # with the gate released for a moment
                is_paused = True
                loading = None if paused.window is None else [paused.window]  # kept for the next look
            else:
                is_paused = False
                loading = session.engine.step.take_load()
                position = session.engine.step.end()
            if not is_paused and message is None and loading is None:
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                lock = threading.Lock()
                lock.acquire()
                waiter = register(_opener(lock))
                session.waiters.add(waiter)
        if not is_paused and message is not None:
            session.finish(position)
            return message
        if not is_paused:
            scan = Scan()
        if loading is not None:
            session.host.load(loading)
        if is_paused or loading is not None:
            continue
        assert waiter is not None
        try:
            answered = _sleep(session, waiter, lock, deadline)
        finally:
            session.waiters.discard(waiter)
        if not answered:
            return None
        if waiter.message is not None:
            session.finish(waiter.position)
            return waiter.message
        loading = None
        if waiter.reason != TRY_AGAIN:
            raise error(waiter.reason, "while waiting for a message")


def _opener(lock: threading.Lock) -> Callable[[Waiter], None]:
    return lambda _: lock.release()


def _sleep(session: Session, waiter: Waiter, lock: threading.Lock, deadline: float | None) -> bool:
    """Sleep until the waiter is answered; False when time ran out first."""
    try:
        if acquire(lock, -1.0 if deadline is None else max(0.0, deadline - time.monotonic())):
            return True
    except Interrupted as interrupted:
        if _cancel(session, waiter):
            raise interrupted.cause from None
        raise_later(interrupted.cause)
        return True
    return not _cancel(session, waiter)


def _cancel(session: Session, waiter: Waiter) -> bool:
    """Withdraw a waiter; False when it was answered a moment ago."""
    with session.gate.anyway:
        if not waiter.active:
            return False
        waiter.queue.waiting.remove(waiter)
        return True


def register_retry(
    queue: Queue,
    attempt: Callable[[], Message | None],
    wanted: Match | None,
    engine: Any,
    wake: Callable[[Waiter], None],
) -> Waiter:
    """Register a waiter whose wish needs a fresh look at the queue for each arrival that is `wanted`.

    A putter does not search a long queue for the waiter: the waiter makes the get again itself.
    """

    def retry(waiter: Waiter, came: Message | None) -> bool:
        if came is not None and wanted is not None and not wanted.accepts(came):
            return False
        scan = Scan()
        try:
            with scanning(engine, scan):
                message = attempt()
        except Paused:
            waiter.reason = TRY_AGAIN
            queue.waiting.remove(waiter)
            return True
        except MQError as failure:  # an error of the getter, not of the put
            waiter.reason = failure.reason
            queue.waiting.remove(waiter)
            return True
        finally:
            engine.step.searched += scan.spent
        if engine.step.take_load() is None and message is None:
            return False
        waiter.message = message
        waiter.position = engine.step.position
        if message is None:
            waiter.reason = TRY_AGAIN
        queue.waiting.remove(waiter)
        return True

    selector = None if wanted is None else wanted.selector
    waiter = Waiter(queue, None, None, wake, retry, cost=1 if selector is None else 1 + selector.cost)
    waiter.searches = 0 if selector is None else selector.searches
    if queue.waiting is None:
        queue.waiting = Waiting()
    queue.waiting.add(waiter)
    return waiter
