"""Performs the steps of `client/core` for asyncio: all that is left here is awaiting.

A step that is cancelled has CancelledError thrown into its verb. Nothing is awaited between the answer to a
step and the return of what it brought.
"""

from __future__ import annotations

import asyncio
import functools
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from penstock.client import calls
from penstock.client.aio import calls as aio_calls
from penstock.client.core import putting_back, steps
from penstock.client.core.steps import describe
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from penstock.client.aio.queue_manager import AsyncQueueManager
    from penstock.client.aio.reconnecting import ReconnectingAsyncQueueManager
    from penstock.client.core.steps import Steps

P = ParamSpec("P")
T = TypeVar("T")


def awaited(verb: Callable[P, Steps[T]], *, answers: str = "") -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a verb as a coroutine method."""

    @functools.wraps(verb)
    async def made(self: Any, *given: Any, **named: Any) -> Any:
        return await run(getattr(self, "qm", self), verb(self, *given, **named))

    describe(verb, made, answers)
    return made  # type: ignore[return-value]


async def run(qm: AsyncQueueManager, work: Steps[T]) -> T:
    """Perform steps and return their result."""
    try:
        step = work.send(None)
        while True:
            try:
                answer = await PERFORM[type(step)](qm, step)
            except BaseException as failure:  # noqa: BLE001  the verb decides
                step = work.throw(failure)
            else:
                step = work.send(answer)
    except StopIteration as end:
        result: T = end.value
        return result


async def put_back(qm: AsyncQueueManager, entries: list[Any]) -> None:
    """Put kept messages back on their queues. A caller that is cancelled meanwhile is so afterwards."""
    if not entries:
        return
    cancelled: asyncio.CancelledError | None = None
    work = putting_back.put_back(qm.kept, entries)
    try:
        step: Any = work.send(None)
        while True:
            try:
                answer, cause = await aio_calls.call_surely(qm, step.verb, step.arguments)
            except BaseException as failure:  # noqa: BLE001  the messages are kept
                step = work.throw(failure)
            else:
                cancelled = cancelled or cause
                step = work.send(answer)
    except StopIteration:
        if cancelled is not None:
            raise cancelled from None


async def _call(qm: AsyncQueueManager, step: steps.Call) -> Any:
    return await aio_calls.call(qm, step.verb, step.arguments, step.unit, step.timeout, step.undo)


async def _rows(qm: AsyncQueueManager, step: steps.Rows) -> list[Any]:
    rows = aio_calls.stream(qm, step.verb, step.arguments)
    return [row if step.read is None else step.read(row) async for row in rows]


async def _say(qm: AsyncQueueManager, step: steps.Say) -> None:
    payload = calls.pack_call(step.verb, step.arguments)
    link = qm.link
    await link.ready()
    asked = link.ask(calls.result)
    link.out.frame(protocol.CALL, protocol.NO_REPLY, qm.conversation, asked.request, step.unit, payload)
    del link.pending[asked.request]


async def _get(qm: AsyncQueueManager, step: steps.Get) -> Any:
    payload = calls.pack_call("get", step.arguments)
    link = qm.link
    await link.ready()
    asked = link.ask(calls.result)
    link.out.frame(protocol.CALL, 0, qm.conversation, asked.request, step.unit, payload)
    way = None if step.queue is None else step.way_of()
    return await qm.returning.answer_to_get(asked, step.patience, step.unit, step.queue, way)


async def _settle(qm: AsyncQueueManager, step: steps.Settle) -> bool:
    settled: bool = await qm.link.settle(step.unit)
    return settled


async def _put_back(qm: AsyncQueueManager, step: steps.PutBack) -> None:
    await qm.returning.put_back(step.entries)


async def _make(qm: AsyncQueueManager, step: steps.Make) -> Any:
    return await step.call()


async def _pause(qm: AsyncQueueManager, step: steps.Pause) -> None:
    await asyncio.sleep(step.seconds)


async def _alone(qm: ReconnectingAsyncQueueManager, step: steps.Alone) -> Any:
    async with qm.one_at_a_time:
        return await run(qm, step.work())


async def _dial(qm: ReconnectingAsyncQueueManager, step: steps.Dial) -> Any:
    return await qm.dial(step.token, step.sent_to)


async def _leave(qm: AsyncQueueManager, step: steps.Leave) -> None:
    if step.link.pending:
        step.link.fail(error(mq.MQRC_CONNECTION_BROKEN, "the connection was given up while it came back"))
    await step.link.close()


PERFORM: dict[type, Callable[[Any, Any], Coroutine[Any, Any, Any]]] = {
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
