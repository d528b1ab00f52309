"""Performs the steps of `client/core` for blocking programs.

Verbs are finished when a signal comes meanwhile (`model/_interrupts.pyx`); only waits for messages, long
calls and a connection that comes back can be interrupted. Compiled through `driver.pxd`: no signal comes
between the answer to a step and the return of what it brought.
"""

from __future__ import annotations

import functools
import logging
import time
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from penstock.client import calls, connection_pool
from penstock.client.core import putting_back, steps
from penstock.client.core.steps import describe
from penstock.model._interrupts import Interrupted, uninterrupted
from penstock.model.errors import MQError
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client._link import Slot
    from penstock.client.core.steps import Steps
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.client.reconnecting import ReconnectingQueueManager

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
CANCEL_SECONDS = 10.0


def blocking(
    verb: Callable[P, Steps[T]], *, answers: str = "", interruptible: bool = False
) -> Callable[P, T]:
    """Return a verb as a method that blocks; `interruptible`: signal handlers run between its steps."""

    @functools.wraps(verb)
    def made(self: Any, *given: Any, **named: Any) -> Any:
        qm = getattr(self, "qm", self)
        if interruptible:
            return run(qm, verb(self, *given, **named))
        if qm.link.failure is not None:
            qm.check_open()  # which may bring the connection back: that can be interrupted
        return finish(qm, verb(self, *given, **named))

    describe(verb, made, answers)
    return made  # type: ignore[return-value]


def finish(qm: ClientQueueManager, work: Steps[T]) -> T:
    """Perform steps and return their result; signal handlers run when that is done, or in a wait."""
    with uninterrupted:
        return run(qm, work)


def run(qm: ClientQueueManager, work: Steps[T]) -> T:
    """Perform steps and return their result."""
    try:
        step = work.send(None)
        while True:
            try:
                answer = PERFORM[type(step)](qm, step)
            except BaseException as failure:  # noqa: BLE001  the verb decides
                step = work.throw(failure)
            else:
                step = work.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


def put_back(qm: ClientQueueManager, entries: list[Any]) -> None:
    """Put kept messages back on their queues."""
    if entries:
        run(qm, putting_back.put_back(qm.kept, entries))


def give_up(qm: ClientQueueManager, slot: Slot, queue: str | None, unit: int, way: Any = None) -> None:
    """End an abandoned get; a message that still arrives goes back to its queue.

    One that was got in a unit is kept, and the unit can only be backed out.
    """
    with uninterrupted:
        try:
            qm.link.cancel(slot)
            frame = qm.link.answer(slot, CANCEL_SECONDS)
            if queue is not None:
                for message in calls.messages_in(frame):
                    qm.kept.add(queue, unit, way, message)
                qm.link.release(slot)
                put_back(qm, qm.kept.outside_units())
        except MQError as failure:  # the link is gone, or the get has failed; what came is kept
            logger.info("get_given_up queue=%s cause=%s", queue, failure)


def _call(qm: ClientQueueManager, step: steps.Call) -> Any:
    return calls.call(qm, step.verb, step.arguments, step.unit, step.timeout)


def _rows(qm: ClientQueueManager, step: steps.Rows) -> list[Any]:
    qm.check_open()
    rows = calls.stream(qm, step.verb, step.arguments)
    return list(rows) if step.read is None else [step.read(row) for row in rows]


def _say(qm: ClientQueueManager, step: steps.Say) -> None:
    if not step.unit:
        qm.check_open()
    payload = calls.pack_call(step.verb, step.arguments)
    link = qm.link
    link.release(link.say(protocol.CALL, protocol.NO_REPLY, qm.conversation, step.unit, payload))


def _get(qm: ClientQueueManager, step: steps.Get) -> Any:
    link = qm.link
    payload = calls.pack_call("get", step.arguments)
    slot = calls.begun(link, qm.conversation, protocol.CALL, payload, step.unit)
    try:
        return calls.result(link.exchange(slot, step.patience, True))
    except Interrupted as interrupted:  # Ctrl-C: the answer may be on its way
        give_up(qm, slot, step.queue, step.unit, step.way_of())
        raise interrupted.cause from None
    finally:
        link.release(slot)


def _settle(qm: ClientQueueManager, step: steps.Settle) -> bool:
    return True  # `give_up` waits for the answer


def _put_back(qm: ClientQueueManager, step: steps.PutBack) -> None:
    put_back(qm, step.entries)


def _make(qm: ClientQueueManager, step: steps.Make) -> Any:
    return step.call()


def _pause(qm: ClientQueueManager, step: steps.Pause) -> None:
    time.sleep(step.seconds)


def _alone(qm: ReconnectingQueueManager, step: steps.Alone) -> Any:
    with qm.one_at_a_time:
        return run(qm, step.work())


def _dial(qm: ReconnectingQueueManager, step: steps.Dial) -> Any:
    return qm.dial(step.token, step.sent_to)


def _leave(qm: ClientQueueManager, step: steps.Leave) -> None:
    connection_pool.leave(step.link, step.conversation)


PERFORM: dict[type, Callable[[Any, Any], Any]] = {
    steps.Call: _call,
    steps.Rows: _rows,
    steps.Say: _say,
    steps.Get: _get,
    steps.Settle: _settle,
    steps.PutBack: _put_back,
    steps.Make: _make,
    steps.Pause: _pause,
    steps.Alone: _alone,
    steps.Dial: _dial,
    steps.Leave: _leave,
}
