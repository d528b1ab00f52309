"""A blocking connection that comes back by itself: what `connect(..., reconnect=True)` returns.

Whoever finds the link broken dials again while the others wait. Names are told anew, handles and
subscriptions opened again. A unit of work that was open was backed out (2003 at its next call or commit).
A get is made again; a put or commit whose answer was lost raises 2549. Invariant: nothing is put twice here.
"""

from __future__ import annotations

import functools
import select
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, TypeVar, cast

from penstock.client import calls, recovery
from penstock.client import connection_pool as sharing
from penstock.client.handle import ClientHandle
from penstock.client.queue_manager import ClientQueueManager
from penstock.client.recovery import Patience
from penstock.client.subscription import ClientSubscription
from penstock.face import units
from penstock.face.arguments import options_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client._link import ClientLink
    from penstock.client.dialling import Target
    from penstock.client.recovery import Policy
    from penstock.face.units import Scope

Method = TypeVar("Method", bound="Callable[..., Any]")


def attempted(method: Method, *, again: bool) -> Method:
    """Return a method that goes through `attempt`: of a connection, or of what is open on one."""

    @functools.wraps(method)
    def made(self: Any, *given: Any, **named: Any) -> Any:
        args, details = recovery.repeatable(given, named)
        options = options_of(details.get("options") or 0)
        if again:
            options = units.syncpoint_of_get(options)
        qm = self if isinstance(self, ReconnectingQueueManager) else self.qm
        return qm.attempt(lambda: method(self, *args, **details), again, options)

    return cast("Method", made)


class ReconnectingQueueManager(ClientQueueManager):
    """A connection to a queue manager in another process that outlives its sockets."""

    comes_back = True

    def __init__(self, target: Target, timeout: float, share: bool, policy: Policy) -> None:
        link, conversation = sharing.enter(target, share)
        super().__init__(link, conversation, target, timeout)
        self._share = share
        self._policy = policy
        self._coming_back = threading.RLock()
        self._dialler = 0  # the thread that brings the connection back: its own calls must not
        self._gone: MQError | None = None
        self._lost: weakref.WeakSet[Scope] = weakref.WeakSet()
        self.opened: weakref.WeakSet[Any] = weakref.WeakSet()  # handles and subscriptions

    # -- calls -----------------------------------------------------------------------------

    put = attempted(ClientQueueManager.put, again=False)
    put_many = attempted(ClientQueueManager.put_many, again=False)
    put_messages = attempted(ClientQueueManager.put_messages, again=False)
    request = attempted(ClientQueueManager.request, again=False)
    publish = attempted(ClientQueueManager.publish, again=False)
    get = attempted(ClientQueueManager.get, again=True)
    get_many = attempted(ClientQueueManager.get_many, again=True)

    def _opened(self, arguments: dict[str, Any]) -> ReconnectingHandle:
        self.check_open()
        facts = self.attempt(lambda: calls.call(self, "open", arguments), True)
        handle = ReconnectingHandle(self, facts)
        handle.arguments = {**arguments, "name": handle.name, "options": handle.options}
        self.opened.add(handle)
        return handle

    def _subscribed(self, arguments: dict[str, Any]) -> ReconnectingSubscription:
        self.check_open()
        facts = self.attempt(lambda: calls.call(self, "subscribe", arguments), True)
        subscription = ReconnectingSubscription(self, facts)
        subscription.arguments = arguments
        self.opened.add(subscription)
        return subscription

    def check_open(self) -> None:
        """Raise 2018 when this connection is closed; bring it back when it is broken."""
        super().check_open()
        if self.link.failure is not None and self._dialler != threading.get_ident():
            self.come_back(self.link)

    def prepare(self, xid: str) -> None:
        """Prepare this context's unit; 2549 when the connection broke before the answer came."""
        self.attempt(lambda: self._prepare(xid), False, mq.MQPMO_SYNCPOINT)

    def _prepare(self, xid: str) -> None:
        """Prepare on the link that the unit is on: no other one may take its place before that is said."""
        with self._coming_back:
            self._report(units.current(self))
            self._dialler = threading.get_ident()
            try:
                super().prepare(xid)
            finally:
                self._dialler = 0

    def attempt(self, call: Callable[[], Any], again: bool, options: int = 0) -> Any:
        """Make a call on a connection that may break; `again` says that it may be made twice.

        `options` tell which unit it is in: one that was lost is reported to its own calls alone.
        """
        patience = refusing = None
        while True:
            scope = units.scope_of(self, options) if self.open_scopes else None
            self.check_open()
            self._report(scope)
            link = self.link
            try:
                return call()
            except MQError as failure:
                if failure.reason not in calls.GONE or self.closed:
                    raise
                if link.failure is None:
                    patience = patience or Patience(self._policy)
                    if not patience.lasts(failure, scope is None):
                        raise
                    refusing = link
                    while not _has_hung_up(link) and patience.lasts(failure, True):
                        time.sleep(recovery.QUIESCING_SECONDS)
                    continue
                self.come_back(link)
                self._report(scope)
                if not again and link is not refusing:  # which has not taken it the second time either
                    raise recovery.interrupted(failure) from failure

    def _report(self, scope: Scope | None) -> None:
        """Raise 2003 for a unit that was open when the connection broke, and end it."""
        if scope is not None and scope in self._lost:
            self._lost.discard(scope)
            self.forget(scope)
            raise recovery.backed_out()

    def end_scope(self, scope: Scope, commit: bool) -> None:
        """Commit or back out a unit; 2003 when it is gone, 2549 when nobody knows whether it committed."""
        if self.link.failure is not None and not self.closed:
            self.come_back(self.link)
        if scope in self._lost:
            self._lost.discard(scope)
            self.forget(scope)
            if commit:
                raise recovery.backed_out()
            return
        link = self.link
        try:
            super().end_scope(scope, commit)
        except MQError as failure:
            if failure.reason not in calls.GONE or link.failure is None or self.closed:
                raise
            self.come_back(link)
            if commit:
                raise recovery.interrupted(failure) from failure

    # -- coming back -----------------------------------------------------------------------

    def come_back(self, broken: ClientLink) -> None:
        """Dial until it works; 2548 when it does not in time. One thread dials, others wait for it."""
        with self._coming_back:
            if self._gone is not None:
                raise error(self._gone.reason, self._gone.detail, **self._gone.fields)
            if self.link is not broken:
                return
            self._policy.tell(recovery.RECONNECTING, str(broken.failure))
            sharing.leave(broken, self.conversation)
            self._dialler = threading.get_ident()
            try:
                self._dial_again(broken.failure_again(), recovery.token_of(broken.terms))
            except MQError as failure:
                self._gone = failure
                raise
            finally:
                self._dialler = 0
            self._policy.tell(recovery.RECONNECTED, f"connected to {self.name} again")

    def _dial_again(self, problem: MQError, token: bytes) -> None:
        for pause in self._policy.pauses():
            try:
                link, conversation = sharing.enter(self.target, self._share, token)
            except MQError as failure:
                self._policy.check(failure)
                problem = failure
                time.sleep(pause)
                continue
            if self._take(link, conversation):
                return
            if self.link is link:  # it broke while handles were opened again: the next takes its place
                sharing.leave(link, conversation)
                token = recovery.token_of(link.terms)
                problem = link.failure_again()
            else:
                problem = error(2058, f"this is {link.terms.text('qmgr')}, not {self.name}")
            time.sleep(pause)
        raise self._policy.failed(recovery.RECONNECT_TIMED_OUT, problem)

    def _take(self, link: ClientLink, conversation: int) -> bool:
        """Go on with a new link; False when another queue manager is at its end or it broke already."""
        name = link.terms.text("qmgr")
        if self._policy.same_qmgr and name != self.name:
            sharing.leave(link, conversation)
            return False
        self.names.clear()
        self._lost.update(self.scopes)
        broken = self.link, self.conversation
        self.link, self.conversation, self.name = link, conversation, name
        try:
            for each in list(self.opened):
                each.reopen()
        except MQError as failure:
            if link.failure is None:
                raise
            self._policy.check(failure)
            return False
        except BaseException:  # Ctrl-C: the next call comes back anew, and opens everything
            self.link, self.conversation = broken
            sharing.leave(link, conversation)
            raise
        return True


def _has_hung_up(link: ClientLink) -> bool:
    """Say whether the other end has closed a link that nobody may be reading."""
    if link.failure is not None:
        return True
    poller = select.poll()
    poller.register(link.stream.fd, getattr(select, "POLLRDHUP", select.POLLHUP))
    return bool(poller.poll(0))


class ReconnectingHandle(ClientHandle):
    """An open object that is opened again, by the name it had; 2052 when its dynamic queue is gone."""

    qm: ReconnectingQueueManager
    arguments: dict[str, Any]
    lost: MQError | None = None

    def reopen(self) -> None:
        """Open the object on a new link. A browse begins anew."""
        if self.closed:
            return
        try:
            self.number = calls.call(self.qm, "open", self.arguments)[0]
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name, failure)
        else:
            self.lost = None

    put = attempted(ClientHandle.put, again=False)
    get = attempted(ClientHandle.get, again=True)
    inquire = attempted(ClientHandle.inquire, again=True)

    def _check(self) -> None:
        super()._check()
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)


class ReconnectingSubscription(ClientSubscription):
    """A subscription that is resumed, or made anew, when the connection comes back."""

    lost: MQError | None = None
    arguments: dict[str, Any]

    def reopen(self) -> None:
        """Subscribe on a new link; what is durable is resumed as it is."""
        if self.closed:
            return
        arguments = recovery.resuming(self.arguments) if self.durable else self.arguments
        try:
            self.number, described = calls.call(self.qm, "subscribe", arguments)
        except MQError as failure:
            if failure.reason in calls.GONE:
                raise
            self.lost = recovery.not_reopened(self.name or self.topic, failure)
        else:
            self.lost = None
            self.describe_as(described)

    get = attempted(ClientSubscription.get, again=True)

    def check(self) -> None:
        """Raise what keeps the subscription from being used."""
        super().check()
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)
