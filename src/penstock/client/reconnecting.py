"""A blocking connection that reconnects: the result of `connect(..., reconnect=True)`.

The rules are those of `core/reconnecting.py`. Compiled through `reconnecting.pxd`: no signal comes between
the answer to a call and its return.
"""

from __future__ import annotations

import functools
import select
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from penstock.client import connection_pool, dialling
from penstock.client.core import held_tag
from penstock.client.core import reconnecting as core
from penstock.client.driver import blocking, run
from penstock.client.handle import ClientHandle
from penstock.client.queue_manager import ClientQueueManager
from penstock.client.subscription import ClientSubscription
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client._link import ClientLink
    from penstock.client.dialling import Target
    from penstock.client.recovery import Policy
    from penstock.face.units import Scope

Method = TypeVar("Method", bound="Callable[..., Any]")


def attempted(method: Method, *, again: bool, opens: bool = False, asks: int = 0) -> Method:
    """Return a method, of a connection or of what is open on one, that outlives a broken link."""

    @functools.wraps(method)
    def made(self: Any, *given: Any, **named: Any) -> Any:
        qm = getattr(self, "qm", self)
        call = functools.partial(method, self)
        return run(qm, core.attempted(qm, call, given, named, again=again, opens=opens, asks=asks))

    return cast("Method", made)


class ReconnectingQueueManager(ClientQueueManager):
    """A connection to a queue manager in another process that outlives its sockets."""

    comes_back = True

    def __init__(self, target: Target, timeout: float, share: bool, policy: Policy) -> None:
        link, conversation = connection_pool.enter(target, share)
        super().__init__(link, conversation, target, timeout)
        self._share = share
        self.recovery = core.Reconnection(policy, dialling.waits_for_replies(target))
        self.one_at_a_time = threading.RLock()

    put = attempted(ClientQueueManager.put, again=False, asks=1)
    put_many = attempted(ClientQueueManager.put_many, again=False)
    put_messages = attempted(ClientQueueManager.put_messages, again=False)
    request = attempted(ClientQueueManager.request, again=False)
    publish = attempted(ClientQueueManager.publish, again=False)
    get = attempted(ClientQueueManager.get, again=True, asks=-1)
    get_many = attempted(ClientQueueManager.get_many, again=True)
    open = attempted(ClientQueueManager.open, again=True, opens=True)
    subscribe = attempted(ClientQueueManager.subscribe, again=True, opens=True)
    prepare = blocking(core.prepare, interruptible=True)
    _take_connection_tag = attempted(ClientQueueManager.take_connection_tag, again=True)

    def take_connection_tag(self, tag: str) -> None:
        """Make this the only connection of the queue-sharing group with a tag, also after a break."""
        self._take_connection_tag(tag)
        held_tag.keep(self, tag)

    def opened(self, facts: list[Any], arguments: dict[str, Any]) -> ReconnectingHandle:
        """Return the handle of an object that was opened, which is opened again after a break."""
        handle = ReconnectingHandle(self, facts, arguments)
        self.recovery.opened.add(handle)
        return handle

    def subscribed(self, facts: list[Any], arguments: dict[str, Any]) -> ReconnectingSubscription:
        """Return a subscription that was made, which is made again after a break."""
        subscription = ReconnectingSubscription(self, facts, arguments)
        self.recovery.opened.add(subscription)
        return subscription

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed; bring it back when it is broken."""
        super().check_open()
        if self.link.failure is not None:
            run(self, core.back(self))

    def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; 2003 when it is gone, 2549 if the outcome of a commit is unknown."""
        run(self, core.end_scope(self, super().end_scope, scope, commit))

    def caller(self) -> int:
        """Return who calls."""
        return threading.get_ident()

    def dial(self, token: bytes, sent_to: str = "") -> tuple[ClientLink, int]:
        """Connect again in place of a broken link, or where the queue manager has sent this client."""
        target = dialling.current(self.target)
        if sent_to:
            for each in dialling.each_host(target, sent_to):
                try:
                    link, conversation = connection_pool.enter(each, self._share)
                except MQError:
                    continue
                if link.terms.text("qmgr") == sent_to:
                    return link, conversation
                connection_pool.leave(link, conversation)
            target = replace(target, sent_to=sent_to)
        return connection_pool.enter(target, self._share, token)

    def is_quiet(self, link: ClientLink) -> bool:
        """Return whether no call is under way on a link."""
        return link.is_quiet()

    def has_hung_up(self, link: ClientLink) -> bool:
        """Return whether the other end has closed a link that may have no reader."""
        if link.failure is not None:
            return True
        poller = select.poll()
        poller.register(link.stream.fd, getattr(select, "POLLRDHUP", select.POLLHUP))
        return bool(poller.poll(0))


class ReconnectingHandle(ClientHandle):
    """An open object that is opened again, by the name it had; 2052 when its dynamic queue is gone."""

    put = attempted(ClientHandle.put, again=False, asks=1)
    get = attempted(ClientHandle.get, again=True, asks=-1)
    inquire = attempted(ClientHandle.inquire, again=True)


class ReconnectingSubscription(ClientSubscription):
    """A subscription that is resumed, or created again, after a reconnection."""

    get = attempted(ClientSubscription.get, again=True)
