"""A task that calls back with each message: what `consume` of the asyncio client returns (MQCB and MQCTL).

The names of `face.consuming.Consumer`, whose thread is a task here. Callbacks may be coroutines; one message
at a time, so that order is kept. With a unit of work a message is committed when its callback returned and
backed out when it raised. `suspend` and `stop` give a get under way up, which loses no
message (`returned_messages`).
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
from typing import TYPE_CHECKING, Any

from penstock.face.consuming import Calls, ends, own_unit, reported, rest_after
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from types import TracebackType
    from typing import Self

    from penstock.face.awaiting import AsyncioQueueManager
    from penstock.model.message import Message

logger = logging.getLogger(__name__)


async def messages(
    qm: AsyncioQueueManager,
    get: Callable[..., Awaitable[Message | None]],
    wait: float | None,
    unit_of_work: bool,
) -> AsyncIterator[Message]:
    """Yield messages until none has come for `wait` seconds; as `host.consuming.messages`."""
    while True:
        unit = own_unit(qm, unit_of_work)
        try:
            if unit is None:
                message = await get(wait=wait)
                if message is not None:
                    yield message
            else:
                async with unit:
                    message = await get(wait=wait)
                    unit.set_aside()
                    if message is not None:
                        yield message
        except MQError as failure:
            if ends(qm, failure, unit):
                return
            await asyncio.sleep(rest_after(failure))
            continue
        if message is None and wait is not None:
            return


class AsyncConsumer:
    """A task that gets and calls back; start, suspend, resume, stop."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._ending = False
        self._awake = asyncio.Event()
        self._awake.set()
        self._resting = asyncio.Event()
        self._getting = False  # the task waits for a message
        self._gives_up = False
        self._task: asyncio.Task[None] | None = None
        self.failure: BaseException | None = None  # what ended the consumer, when not `stop`
        self.consumed = 0

    async def start(self) -> Self:
        """Begin to call back (MQOP_START)."""
        if self._task is not None:
            raise error(mq.MQRC_HCONN_ASYNC_ACTIVE, "the consumer was started already")
        self._task = asyncio.create_task(self._run(), name="penstock-consumer")
        return self

    async def suspend(self) -> None:
        """Call back no more until `resume`; no callback runs when this returns (MQOP_SUSPEND).

        From inside a callback it only asks for that.
        """
        self._awake.clear()
        self._give_up()
        if self.running and not self._inside():
            await self._resting.wait()

    async def resume(self) -> None:
        """Go on (MQOP_RESUME)."""
        self._resting.clear()
        self._awake.set()

    @property
    def running(self) -> bool:
        """Whether messages are taken."""
        return self._task is not None and not self._task.done()

    async def stop(self, timeout: float | None = None) -> None:
        """End (MQOP_STOP): no callback runs when this returns; raises what had ended the consumer before.

        From inside a callback it only asks for the end.
        """
        self._ending = True
        self._awake.set()
        self._give_up()
        if self._task is not None and not self._inside():
            await asyncio.wait({self._task}, timeout=timeout)
            failure, self.failure = self.failure, None
            if failure is not None:
                raise failure

    def _inside(self) -> bool:
        return self._task is asyncio.current_task()

    def _give_up(self) -> None:
        if self._getting and not self._gives_up and self._task is not None:
            self._gives_up = True
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while not self._ending:
                while not self._awake.is_set():
                    self._resting.set()
                    await self._awake.wait()
                if not self._ending:
                    await self._one()
        except Exception as failure:  # noqa: BLE001  an edge: `stop` raises it in the caller's task
            self.failure = reported(failure)
        finally:
            self._resting.set()

    async def _one(self) -> None:
        message: Message | None = None
        try:
            async with self._calls.unit():
                message = await self._next()
                if message is not None:
                    await _finish(self._calls.callback(message))
            self.consumed += message is not None
        except _GivenUpError:
            return
        except Exception as failure:
            if self._calls.on_error is not None and message is not None:
                await _finish(self._calls.on_error(failure, message))
            elif not self._calls.outlive(failure, message):
                raise
            else:
                logger.info("consumer_goes_on cause=%s", failure)
                await asyncio.sleep(rest_after(failure))

    async def _next(self) -> Message | None:
        """Wait for a message, in this task: one that comes when the wait is given up is kept by the get."""
        self._getting = True
        try:
            message: Message | None = await self._calls.get(wait=None)
            return message
        except asyncio.CancelledError:
            if self._gives_up and self._task is not None and not self._task.uncancel():
                raise _GivenUpError from None
            raise
        finally:
            self._getting = self._gives_up = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


async def start_consumer(
    qm: AsyncioQueueManager,
    get: Callable[..., Any],
    callback: Callable[[Message], Any],
    asked: dict[str, Any],
) -> AsyncConsumer:
    """Start a consumer, with the arguments of a `consume`; what is left of them chooses messages."""
    unit_of_work, on_error = asked.pop("unit_of_work"), asked.pop("on_error")
    match = functools.partial(get, **asked)
    return await AsyncConsumer(
        Calls(qm, match, callback, unit_of_work=unit_of_work, on_error=on_error)
    ).start()


class _GivenUpError(Exception):
    """The wait for a message was given up; its unit is backed out."""


async def _finish(result: Any) -> None:
    """Wait for a callback that is a coroutine."""
    if inspect.isawaitable(result):
        await result
