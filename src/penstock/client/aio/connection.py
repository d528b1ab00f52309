"""A client's connection and its units of work, for asyncio: the lowest part of `AsyncQueueManager`.

What `connection` is for blocking programs. Many tasks share one connection. A unit of work belongs to the
context of the task that entered it; tasks started inside it work in it too, until it ends.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.client.aio.driver import put_back
from penstock.client.aio.unit_of_work import AsyncUnitOfWork
from penstock.client.core.units import begin
from penstock.client.returned_messages import Kept, given_up
from penstock.face import units
from penstock.face.deadlines import deadline_of
from penstock.face.surface import QUEUE_MANAGER, shown
from penstock.face.units import Scope
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable
    from types import TracebackType
    from typing import Self

    from penstock.client.aio.link import AioLink, Asked
    from penstock.client.core.steps import Call
    from penstock.client.dialling import Target
    from penstock.client.returned_messages import Entry
    from penstock.protocol._frames import Frame

logger = logging.getLogger(__name__)
FIRST = 1  # a connection of asyncio has a socket of its own: its tasks share it


class AsyncConnection:
    """A link, and the units that are open on it."""

    def __init__(self, link: AioLink, target: Target, timeout: float) -> None:
        self.link = link
        self.conversation = FIRST
        self.target = target
        self.timeout = timeout
        self.name = link.terms.text("qmgr")
        self.message_max = link.terms.number("message_max", protocol.FRAME_BYTES_MAX)
        self.scopes: weakref.WeakSet[Scope] = weakref.WeakSet()
        self.next_unit = 1
        self.closed = False
        self.kept = Kept()
        self._returning: asyncio.Task[None] | None = None  # puts back messages of abandoned gets
        self._loops_end: AsyncGenerator[None, None] | None = None

    async def call(
        self,
        verb: str,
        arguments: dict[str, Any],
        unit: int = 0,
        timeout: float | None = None,
        undo: Callable[[Any], Call] | None = None,
    ) -> Any:
        """Make a call and return its result; `undo` takes back what came of one that was cancelled."""
        asked = await self.ask(verb, arguments, unit)
        if undo is not None:
            asked.keep = functools.partial(self._take_back, undo)
        try:
            return await self.link.answer(asked, self.timeout if timeout is None else timeout)
        except asyncio.CancelledError:
            if undo is not None and asked.has_result():
                self._take_back(undo, asked.future.result())
            raise

    async def call_surely(
        self, verb: str, arguments: dict[str, Any]
    ) -> tuple[Any, asyncio.CancelledError | None]:
        """Make a call; return its result and, when the caller was cancelled meanwhile, that."""
        asked = await self.ask(verb, arguments)
        cancelled = await self.link.answer_surely(asked, self.timeout)
        return asked.future.result(), cancelled

    async def ask(self, verb: str, arguments: dict[str, Any], unit: int = 0) -> Asked:
        """Send a call, when the other end has read enough; return what will be answered."""
        self.check_open()
        payload = calls.pack_call(verb, arguments)
        await self.link.ready()
        asked = self.link.ask(calls.result)
        self.link.out.frame(protocol.CALL, 0, self.conversation, asked.request, unit, payload)
        return asked

    def _take_back(self, undo: Callable[[Any], Call], result: Any) -> None:
        """Undo an abandoned call, without waiting for the result."""
        if self.link.failure is None:
            step = undo(result)
            asked = self.link.ask(_ignore)
            payload = calls.pack_call(step.verb, step.arguments)
            self.link.out.frame(protocol.CALL, 0, self.conversation, asked.request, 0, payload)

    async def stream(self, verb: str, arguments: dict[str, Any]) -> AsyncIterator[Any]:
        """Make a call whose result comes in parts; yield the rows as they come."""
        self.check_open()
        payload = calls.pack_call(verb, arguments)
        link = self.link
        await link.ready()
        asked = link.ask_in_parts(calls.result)
        link.out.frame(protocol.CALL, 0, self.conversation, asked.request, 0, payload)
        async for rows in link.parts_of(asked, self.conversation):
            for row in rows:
                yield row

    async def answer_to_get(
        self, asked: Asked, wait: float, unit: int, queue: str | None, way: Any = None
    ) -> Any:
        """Return the answer to a get, for which to wait so many seconds; a queue of None: a browse."""
        keep = _forget if queue is None else self._keeper(queue, unit, way)
        link = self.link
        return await link.answer_or_keep(asked, wait, self.conversation, unit, keep, self._watch_loops_end)

    def _keeper(self, queue: str, unit: int, way: Any) -> Callable[[Any], asyncio.Task[None] | None]:
        """Return what keeps messages whose get was given up; those outside units go back in a task."""

        def keep(found: Any) -> asyncio.Task[None] | None:
            if unit and all(scope.unit != unit for scope in self.scopes):
                return None  # it was backed out: the queue manager has the message
            for message in found if isinstance(found, list) else [found] if found is not None else []:
                self.kept.add(queue, unit, way, message)
            if self.kept and not unit and self._returning is None:
                self._returning = self.link.loop.create_task(self._return(), name="penstock-put-back")
            return None if unit else self._returning

        return keep

    async def _watch_loops_end(self) -> None:
        """Have messages of abandoned gets put back even if every task is cancelled because the loop ends.

        asyncio closes its asynchronous generators after that; it offers no other place for last work.
        """
        if self._loops_end is None:
            self._loops_end = self._put_back_at_the_end()
            await anext(self._loops_end)  # it does not wait

    async def _put_back_at_the_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            if self.link.failure is None:
                with suppress(MQError):
                    await self._put_all_back()

    async def _return(self) -> None:
        """Put back messages of abandoned gets; those that cannot be put stay for the next get."""
        try:
            await put_back(self, self.kept.outside_units())
        except MQError as failure:
            logger.info("message_kept cause=%s", failure)
        finally:
            self._returning = None

    async def put_back(self, entries: list[Entry]) -> None:
        """Put kept messages back on their queues, after those that are already being put back."""
        if self._returning is not None:
            await asyncio.wait([self._returning])
        await put_back(self, entries)

    async def _put_all_back(self) -> None:
        """Put back what came, and what is still to come, of abandoned gets outside units."""
        await self.link.settle()
        await self.put_back([])
        await put_back(self, self.kept.outside_units())

    def patience(self, wait: float | None) -> float:
        """Return how long an answer may take when the call itself may wait; negative for ever."""
        if wait is None:
            return -1.0
        deadline_of(wait)  # raises if it is not a number
        return self.timeout + wait

    def unit_of_work(self) -> AsyncUnitOfWork:
        """Enter a unit of work: commit at the end, back out on an exception; nesting raises 2128."""
        return AsyncUnitOfWork(self)

    def unit_aside(self) -> AsyncUnitOfWork:
        """Enter a unit beside the one that is open, if there is one."""
        return AsyncUnitOfWork(self, aside=True)

    async def begin(self) -> int:
        """Start a unit of work in this context (MQBEGIN); 2128 when it has one.

        Returns MQ's warning 2121: no resource manager outside takes part.
        """
        return begin(self)

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Give this context a unit; its first use informs the other end.

        Without `holds_all` only calls with SYNCPOINT are in it.
        """
        number = self.next_unit
        self.next_unit = number + 1 if number < 0xFFFFFFF0 else 1
        scope = Scope(self, number, holds_all)
        self.scopes.add(scope)
        units.enter(scope)
        return scope

    def in_unit(self) -> bool:
        """Say whether calls without syncpoint options are in a unit of work."""
        return units.scope_of(self) is not None

    def unit_number(self) -> int:
        """Return the unit that calls without syncpoint options are in, 0 for none."""
        scope = units.scope_of(self) if self.scopes else None
        return 0 if scope is None else int(scope.unit)

    def forget(self, scope: Scope) -> None:
        """Take a unit out of the books."""
        units.leave(scope)
        self.scopes.discard(scope)

    def drop_scope(self, scope: Scope) -> None:
        """Back out the unit of a failed call; the other end is informed before the next call."""
        self.forget(scope)
        self.kept.of_unit(scope.unit)
        self._back_out_orphan(scope.unit)

    async def commit(self) -> None:
        """Commit this context's unit of work (MQCMIT); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            await self.end_scope(scope, True)

    async def backout(self) -> None:
        """Back this context's unit of work out (MQBACK); nothing to do without one."""
        self.check_open()
        scope = units.current(self)
        if scope is not None:
            await self.end_scope(scope, False)

    async def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; `scope.committed` says whether it was committed, though cancelled.

        A caller that is cancelled before that has begun has its unit still. Once begun it is finished first.
        """
        settled = not commit or await self.link.settle(scope.unit)
        if scope.ended:
            return  # another task was quicker
        self.forget(scope)
        lost = self.kept.of_unit(scope.unit)
        if not settled:
            lost = given_up()
        commit_now = commit and lost is None
        cancelled = await self._bare(protocol.COMMIT if commit_now else protocol.BACKOUT, scope.unit)
        scope.committed = commit_now
        if cancelled is not None:
            raise cancelled
        if commit and lost is not None:
            raise lost

    async def _bare(self, kind: int, unit: int) -> asyncio.CancelledError | None:
        if self.link.failure is not None:
            raise self.link.failure_again()
        asked = self.link.ask(calls.result)
        self.link.out.frame(kind, 0, self.conversation, asked.request, unit, b"")
        return await self.link.answer_surely(asked, self.timeout)

    def abandon(self, scope: Scope) -> None:
        """Back out the unit of a context that has ended, without waiting for an answer."""
        scope.ended = True
        if self.link.failure is None and not self.link.loop.is_closed():
            self.link.loop.call_soon_threadsafe(self._back_out_orphan, scope.unit)

    def _back_out_orphan(self, unit: int) -> None:
        if self.link.failure is None:
            asked = self.link.ask(_ignore)
            self.link.out.frame(protocol.BACKOUT, 0, self.conversation, asked.request, unit, b"")

    def __dir__(self) -> list[str]:
        return shown(self, QUEUE_MANAGER)

    # -- the end ---------------------------------------------------------------------------

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed."""
        if self.closed:
            raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")

    async def close(self) -> None:
        """Disconnect: commit open units, close handles, put back messages of abandoned gets."""
        if self.closed:
            return
        problem: MQError | None = None
        try:
            await self._put_all_back()
        except MQError as failure:
            problem = failure
        if self.closed:
            return  # another task was quicker
        self.closed = True
        try:
            for scope in list(self.scopes):
                try:
                    await self.end_scope(scope, True)
                except MQError as failure:
                    problem = failure
            await self._say_goodbye()
        finally:
            await self.link.close()
        if problem is not None:
            raise problem

    async def _say_goodbye(self) -> None:
        if self.link.failure is None:
            asked = self.link.ask(calls.result)
            flags = protocol.NO_REPLY  # here: commit rather than back out
            self.link.out.frame(protocol.END, flags, self.conversation, asked.request, 0, b"")
            try:
                await self.link.answer(asked, self.timeout)
            except MQError:
                pass  # it is closed, and so are we

    disconnect = close

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncQueueManager {self.name}{' closed' if self.closed else ''}>"


def _forget(found: Any) -> None:
    """Keep nothing: a browsed message is still on its queue."""


def _ignore(frame: Frame) -> None:
    """Read the answer to an abandoned call."""
