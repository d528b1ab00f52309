"""An asyncio connection that comes back by itself: what `aio.connect(..., reconnect=True)` returns.

The rules are those of `reconnecting`; the first task that finds the link broken dials, the others wait.
Invariant: nothing is put twice here.
"""

from __future__ import annotations

import asyncio
import functools
import weakref
from typing import TYPE_CHECKING, Any, TypeVar, cast

from penstock.client import calls, recovery
from penstock.client.aio import dialling as aio_dialling
from penstock.client.aio.handle import AsyncHandle
from penstock.client.aio.queue_manager import AsyncQueueManager
from penstock.client.aio.subscription import AsyncSubscription
from penstock.client.recovery import Patience
from penstock.face import units
from penstock.face.arguments import options_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from penstock.client.aio.link import AioLink
    from penstock.client.dialling import Target
    from penstock.client.recovery import Policy
    from penstock.face.units import Scope

Method = TypeVar("Method", bound="Callable[..., Any]")


def attempted(method: Method, *, again: bool) -> Method:
    """Return a method that goes through `attempt`: of a connection, or of what is open on one."""

    @functools.wraps(method)
    async def made(self: Any, *given: Any, **named: Any) -> Any:
        args, details = recovery.repeatable(given, named)
        options = options_of(details.get("options") or 0)
        if again:
            options = units.syncpoint_of_get(options)
        qm = self if isinstance(self, ReconnectingAsyncQueueManager) else self.qm
        return await qm.attempt(lambda: method(self, *args, **details), again, options)

    return cast("Method", made)


class ReconnectingAsyncQueueManager(AsyncQueueManager):
    """A connection for the tasks of one loop that outlives its sockets."""

    comes_back = True

    def __init__(self, link: AioLink, target: Target, timeout: float, policy: Policy) -> None:
        super().__init__(link, target, timeout)
        self._policy = policy
        self._coming_back = asyncio.Lock()
        self._dialler: asyncio.Task[Any] | None = None  # brings the connection back: its calls must not
        self._gone: MQError | None = None
        self._lost: weakref.WeakSet[Scope] = weakref.WeakSet()
        self.opened: weakref.WeakSet[Any] = weakref.WeakSet()  # handles and subscriptions

    # -- calls -----------------------------------------------------------------------------

    put = attempted(AsyncQueueManager.put, again=False)
    put_many = attempted(AsyncQueueManager.put_many, again=False)
    put_messages = attempted(AsyncQueueManager.put_messages, again=False)
    request = attempted(AsyncQueueManager.request, again=False)
    publish = attempted(AsyncQueueManager.publish, again=False)
    get = attempted(AsyncQueueManager.get, again=True)
    get_many = attempted(AsyncQueueManager.get_many, again=True)

    async def _opened(self, arguments: dict[str, Any]) -> ReconnectingAsyncHandle:
        facts = await self.attempt(lambda: self.call("open", arguments), True)
        handle = ReconnectingAsyncHandle(self, facts)
        handle.arguments = {**arguments, "name": handle.name, "options": handle.options}
        self.opened.add(handle)
        return handle

    async def _subscribed(self, arguments: dict[str, Any]) -> ReconnectingAsyncSubscription:
        facts = await self.attempt(lambda: self.call("subscribe", arguments), True)
        subscription = ReconnectingAsyncSubscription(self, facts)
        subscription.arguments = arguments
        self.opened.add(subscription)
        return subscription

    async def prepare(self, xid: str) -> None:
        """Prepare this context's unit; 2549 when the connection broke before the answer came."""
        await self.attempt(lambda: AsyncQueueManager.prepare(self, xid), False, mq.MQPMO_SYNCPOINT)

    async def attempt(self, call: Callable[[], Awaitable[Any]], again: bool, options: int = 0) -> Any:
        """Make a call on a connection that may break; `again` says that it may be made twice.

        `options` tell which unit it is in: one that was lost is reported to its own calls alone.
        """
        patience = refusing = None
        while True:
            self.check_open()
            scope = units.scope_of(self, options)
            if self.link.failure is not None:
                await self.come_back(self.link)
            self._report(scope)
            link = self.link
            try:
                return await call()
            except MQError as failure:
                if failure.reason not in calls.GONE or self.closed:
                    raise
                if link.failure is None:
                    patience = patience or Patience(self._policy)
                    if not patience.lasts(failure, scope is None):
                        raise
                    refusing = link
                    while link.failure is None and patience.lasts(failure, True):
                        await asyncio.sleep(recovery.QUIESCING_SECONDS)
                    continue
                await self.come_back(link)
                self._report(scope)
                if not again and link is not refusing:  # which has not taken it the second time either
                    raise recovery.interrupted(failure) from failure

    async def call(
        self, verb: str, arguments: dict[str, Any], unit: int = 0, timeout: float | None = None
    ) -> Any:
        """Make a call and return its result; on a connection that is known to be broken, bring it back."""
        if not unit:  # a unit does not come back
            await self._back()
        return await super().call(verb, arguments, unit, timeout)

    async def stream(self, verb: str, arguments: dict[str, Any]) -> AsyncIterator[Any]:
        """Make a call whose result comes in parts; on a connection that is broken, bring it back."""
        await self._back()
        async for row in super().stream(verb, arguments):
            yield row

    async def _back(self) -> None:
        if self.link.failure is not None and not self.closed and self._dialler is not asyncio.current_task():
            await self.come_back(self.link)

    def _report(self, scope: Scope | None) -> None:
        """Raise 2003 for a unit that was open when the connection broke, and end it."""
        if scope is not None and scope in self._lost:
            self.forget(scope)
            raise recovery.backed_out()

    def forget(self, scope: Scope) -> None:
        """Take a unit out of the books."""
        self._lost.discard(scope)
        super().forget(scope)

    async def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; 2003 when it is gone, 2549 when nobody knows whether it committed."""
        if self.link.failure is not None and not self.closed:
            await self.come_back(self.link)
        if scope in self._lost:
            self.forget(scope)
            if commit:
                raise recovery.backed_out()
            return
        link = self.link
        try:
            await super().end_scope(scope, commit)
        except MQError as failure:
            if failure.reason not in calls.GONE or link.failure is None or self.closed:
                raise
            await self.come_back(link)
            if commit:
                raise recovery.interrupted(failure) from failure

    # -- coming back -----------------------------------------------------------------------

    async def come_back(self, broken: AioLink) -> None:
        """Dial until it works; 2548 when it does not in time. One task dials, others wait for it."""
        async with self._coming_back:
            if self._gone is not None:
                raise error(self._gone.reason, self._gone.detail, **self._gone.fields)
            if self.link is not broken:
                return
            self._policy.tell(recovery.RECONNECTING, str(broken.failure))
            self._dialler = asyncio.current_task()
            try:
                await self._dial_again(broken.failure_again(), recovery.token_of(broken.terms))
            except MQError as failure:
                self._gone = failure
                raise
            finally:
                self._dialler = None
            self._policy.tell(recovery.RECONNECTED, f"connected to {self.name} again")

    async def _dial_again(self, problem: MQError, token: bytes) -> None:
        for pause in self._policy.pauses():
            try:
                link = await aio_dialling.dial(self.target, token)
            except MQError as failure:
                self._policy.check(failure)
                problem = failure
                await asyncio.sleep(pause)
                continue
            if await self._take(link):
                return
            if self.link is link:  # it broke while handles were opened again: the next takes its place
                token = recovery.token_of(link.terms)
                problem = link.failure_again()
            else:
                problem = error(2058, f"this is {link.terms.text('qmgr')}, not {self.name}")
            await asyncio.sleep(pause)
        raise self._policy.failed(recovery.RECONNECT_TIMED_OUT, problem)

    async def _take(self, link: AioLink) -> bool:
        """Go on with a new link; False when another queue manager is at its end or it broke already."""
        name = link.terms.text("qmgr")
        if self._policy.same_qmgr and name != self.name:
            await link.close()
            return False
        self.names.clear()
        self._lost.update(self.scopes)
        self.link, self.name = link, name
        try:
            for each in list(self.opened):
                await each.reopen()
        except MQError as failure:
            if link.failure is None:
                raise
            self._policy.check(failure)
            return False
        except BaseException:  # its task was cancelled: the next call comes back anew, and opens everything
            link.fail(error(2009, "given up while handles were opened again"))
            raise
        return True


class ReconnectingAsyncHandle(AsyncHandle):
    """An open object that is opened again, by the name it had; 2052 when its dynamic queue is gone."""

    qm: ReconnectingAsyncQueueManager
    arguments: dict[str, Any]
    lost: MQError | None = None

    async def reopen(self) -> None:
        """Open the object on a new link. A browse begins anew."""
        if self.closed:
            return
        try:
            self.number = (await self.qm.call("open", self.arguments))[0]
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name, failure)
        else:
            self.lost = None

    put = attempted(AsyncHandle.put, again=False)
    get = attempted(AsyncHandle.get, again=True)
    inquire = attempted(AsyncHandle.inquire, again=True)

    def _check(self) -> None:
        super()._check()
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)


class ReconnectingAsyncSubscription(AsyncSubscription):
    """A subscription that is resumed, or made anew, when the connection comes back."""

    lost: MQError | None = None
    qm: ReconnectingAsyncQueueManager
    arguments: dict[str, Any]

    async def reopen(self) -> None:
        """Subscribe on a new link; what is durable is resumed as it is."""
        if self.closed:
            return
        arguments = recovery.resuming(self.arguments) if self.durable else self.arguments
        try:
            self.number, described = await self.qm.call("subscribe", arguments)
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name or self.topic, failure)
        else:
            self.lost = None
            self.describe_as(described)

    get = attempted(AsyncSubscription.get, again=True)

    def check(self) -> None:
        """Raise what keeps the subscription from being used."""
        super().check()
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)
