"""An asyncio connection that reconnects: the result of `aio.connect(..., reconnect=True)`.

The rules are those of `core/reconnecting.py`.
"""

from __future__ import annotations

import asyncio
import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from penstock.client.aio import dialling
from penstock.client.aio.driver import awaited, run
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.queue_manager import FIRST, AsyncQueueManager
from penstock.client.aio.subscription import AsyncSubscription
from penstock.client.core import held_tag
from penstock.client.core import reconnecting as core
from penstock.client.dialling import current, each_host, waits_for_replies
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.aio.link import AioLink
    from penstock.client.dialling import Target
    from penstock.client.recovery import Policy
    from penstock.face.units import Scope

Method = TypeVar("Method", bound="Callable[..., Any]")


def attempted(method: Method, *, again: bool, opens: bool = False, asks: int = 0) -> Method:
    """Return a method, of a connection or of what is open on one, that outlives a broken link."""

    @functools.wraps(method)
    async def made(self: Any, *given: Any, **named: Any) -> Any:
        qm = getattr(self, "qm", self)
        call = functools.partial(method, self)
        return await run(qm, core.attempted(qm, call, given, named, again=again, opens=opens, asks=asks))

    return cast("Method", made)


class TaskLock:
    """A lock that the task which holds it may enter again: a break in `prepare` is mended inside it."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None
        self._depth = 0

    async def __aenter__(self) -> None:
        if self._holder is None or self._holder is not asyncio.current_task():
            await self._lock.acquire()
            self._holder = asyncio.current_task()
        self._depth += 1

    async def __aexit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._holder = None
            self._lock.release()


class ReconnectingAsyncQueueManager(AsyncQueueManager):
    """A connection for the tasks of one loop that outlives its sockets."""

    comes_back = True

    def __init__(self, link: AioLink, target: Target, timeout: float, policy: Policy) -> None:
        super().__init__(link, target, timeout)
        self.recovery = core.Reconnection(policy, waits_for_replies(target))
        self.one_at_a_time = TaskLock()

    put = attempted(AsyncQueueManager.put, again=False, asks=1)
    put_many = attempted(AsyncQueueManager.put_many, again=False)
    put_messages = attempted(AsyncQueueManager.put_messages, again=False)
    request = attempted(AsyncQueueManager.request, again=False)
    publish = attempted(AsyncQueueManager.publish, again=False)
    get = attempted(AsyncQueueManager.get, again=True, asks=-1)
    get_many = attempted(AsyncQueueManager.get_many, again=True)
    open = attempted(AsyncQueueManager.open, again=True, opens=True)
    subscribe = attempted(AsyncQueueManager.subscribe, again=True, opens=True)
    prepare = awaited(core.prepare)
    _take_connection_tag = attempted(AsyncQueueManager.take_connection_tag, again=True)

    async def take_connection_tag(self, tag: str) -> None:
        """Make this the only connection of the queue-sharing group with a tag, also after a break."""
        await self._take_connection_tag(tag)
        held_tag.keep(self, tag)

    def opened(self, facts: list[Any], arguments: dict[str, Any]) -> ReconnectingAsyncHandle:
        """Return the handle of an object that was opened, which is opened again after a break."""
        handle = ReconnectingAsyncHandle(self, facts, arguments)
        self.recovery.opened.add(handle)
        return handle

    def subscribed(self, facts: list[Any], arguments: dict[str, Any]) -> ReconnectingAsyncSubscription:
        """Return a subscription that was made, which is made again after a break."""
        subscription = ReconnectingAsyncSubscription(self, facts, arguments)
        self.recovery.opened.add(subscription)
        return subscription

    async def ensure_open(self) -> None:
        """Raise 2018 when this connection is closed; bring it back when it is broken."""
        await run(self, core.back(self))

    async def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; 2003 when it is gone, 2549 if the outcome of a commit is unknown."""
        await run(self, core.end_scope(self, super().end_scope, scope, commit))

    def caller(self) -> Any:
        """Return who calls."""
        return asyncio.current_task()

    async def dial(self, token: bytes, sent_to: str = "") -> tuple[AioLink, int]:
        """Connect again in place of a broken link, or where the queue manager has sent this client."""
        target = current(self.target)
        if sent_to:
            for each in each_host(target, sent_to):
                try:
                    link = await dialling.dial(each)
                except MQError:
                    continue
                if link.terms.text("qmgr") == sent_to:
                    return link, FIRST
                await link.close()
            target = replace(target, sent_to=sent_to)
        return await dialling.dial(target, token), FIRST

    def is_quiet(self, link: AioLink) -> bool:
        """Return whether no call is under way on a link."""
        return not link.pending

    def has_hung_up(self, link: AioLink) -> bool:
        """Return whether the other end has closed a link."""
        return link.failure is not None


class ReconnectingAsyncHandle(AsyncHandle):
    """An open object that is opened again, by the name it had; 2052 when its dynamic queue is gone."""

    put = attempted(AsyncHandle.put, again=False, asks=1)
    get = attempted(AsyncHandle.get, again=True, asks=-1)
    inquire = attempted(AsyncHandle.inquire, again=True)


class ReconnectingAsyncSubscription(AsyncSubscription):
    """A subscription that is resumed, or created again, after a reconnection."""

    get = attempted(AsyncSubscription.get, again=True)
