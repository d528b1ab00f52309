"""A blocking connection that comes back by itself: what `connect(..., reconnect=True)` returns.

Whoever finds the link broken dials again while the others wait. Names are told anew, handles and
subscriptions opened again. A unit of work that was open was backed out (2003 at its next call or commit).
A get is made again; a put or commit whose answer was lost raises 2549. Invariant: nothing is put twice here.
"""

from __future__ import annotations

import select
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from penstock.host import units
from penstock.host.arguments import options_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.wire.client import calls, recovery, sharing
from penstock.wire.client.handle import ClientHandle
from penstock.wire.client.queue_manager import ClientQueueManager
from penstock.wire.client.recovery import Patience
from penstock.wire.client.subscription import ClientSubscription

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.host.units import Scope
    from penstock.model.inquired import Inquired
    from penstock.model.message import Message, Receipt
    from penstock.wire.client._link import ClientLink
    from penstock.wire.client.dialling import Target
    from penstock.wire.client.recovery import Policy


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

    def put(self, queue: str, body: bytes | str, **details: Any) -> Receipt:
        """Put a message; 2549 when the connection broke before the answer came."""
        receipt: Receipt = self.attempt(
            lambda: ClientQueueManager.put(self, queue, body, **details), False, details.get("options")
        )
        return receipt

    def put_many(self, queue: str, bodies: Iterable[bytes | str], **details: Any) -> list[Receipt]:
        """Put several messages in one unit of work; all are there or none."""
        waiting = list(bodies)
        receipts: list[Receipt] = self.attempt(
            lambda: ClientQueueManager.put_many(self, queue, waiting, **details),
            False,
            details.get("options"),
        )
        return receipts

    def put_messages(self, outputs: Iterable[Any]) -> None:
        """Put whole messages, each with its queue, queue manager and put options."""
        waiting = list(outputs)
        self.attempt(lambda: ClientQueueManager.put_messages(self, waiting), False)

    def get(self, queue: str, **details: Any) -> Message | None:
        """Get a message, or None when there is none; made again when the connection breaks meanwhile."""
        found: Message | None = self.attempt(lambda: ClientQueueManager.get(self, queue, **details), True)
        return found

    def get_many(self, queue: str, count: int, **details: Any) -> list[Message]:
        """Get up to `count` messages, as soon as there are any."""
        found: list[Message] = self.attempt(
            lambda: ClientQueueManager.get_many(self, queue, count, **details), True
        )
        return found

    def request(self, queue: str, body: bytes | str, reply_to: str, **details: Any) -> Message | None:
        """Put a request and get its reply; 2549 when the connection broke before the reply came."""
        found: Message | None = self.attempt(
            lambda: ClientQueueManager.request(self, queue, body, reply_to, **details), False
        )
        return found

    def open(self, name: str, options: int = 0, **details: Any) -> ReconnectingHandle:
        """Open an object; it is opened again when the connection comes back."""
        self.check_open()
        arguments = {"name": name, "options": options_of(options), "details": details}
        facts = self.attempt(lambda: calls.call(self, "open", arguments), True)
        handle = ReconnectingHandle(self, facts)
        handle.arguments = {**arguments, "name": handle.name, "options": handle.options}
        self.opened.add(handle)
        return handle

    def publish(self, topic: str, body: bytes | str, **details: Any) -> Receipt:
        """Publish to a topic; 2549 when the connection broke before the answer came."""
        receipt: Receipt = self.attempt(
            lambda: ClientQueueManager.publish(self, topic, body, **details), False, details.get("options")
        )
        return receipt

    def subscribe(self, topic: str = "", **details: Any) -> ReconnectingSubscription:
        """Subscribe; a subscription that is not durable is made anew when the connection comes back."""
        self.check_open()
        arguments = {"topic": topic, "details": details}
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

    def attempt(self, call: Callable[[], Any], again: bool, options: Any = 0) -> Any:
        """Make a call on a connection that may break; `again` says that it may be made twice.

        `options` tell which unit it is in: one that was lost is reported to its own calls alone.
        """
        patience = refusing = None
        wanted = options_of(options or 0)
        while True:
            scope = units.scope_of(self, wanted) if self.open_scopes else None
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

    def put(self, body: bytes | str, **details: Any) -> Receipt:
        """Put a message to this object (MQPUT); 2549 when the connection broke before the answer came."""
        receipt: Receipt = self.qm.attempt(
            lambda: ClientHandle.put(self, body, **details), False, details.get("options")
        )
        return receipt

    def get(self, **details: Any) -> Message | None:
        """Get or browse a message (MQGET)."""
        options = units.syncpoint_of_get(options_of(details.get("options") or 0))
        found: Message | None = self.qm.attempt(lambda: ClientHandle.get(self, **details), True, options)
        return found

    def inquire(self, *selectors: str | int) -> Inquired:
        """Return attributes (MQINQ)."""
        found: Inquired = self.qm.attempt(lambda: ClientHandle.inquire(self, *selectors), True)
        return found

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

    def get(self, *, wait: float | None = 0.0, **details: Any) -> Message | None:
        """Get a publication, or None when there is none; made again when the connection breaks meanwhile."""
        qm = self.qm
        assert isinstance(qm, ReconnectingQueueManager)
        options = units.syncpoint_of_get(options_of(details.get("options") or 0))
        found: Message | None = qm.attempt(
            lambda: ClientSubscription.get(self, wait=wait, **details), True, options
        )
        return found

    def check(self) -> None:
        """Raise what keeps the subscription from being used."""
        super().check()
        if self.lost is not None:
            raise error(self.lost.reason, self.lost.detail)
