"""Reconnection for both clients: what is restored, and what a broken connection costs.

The first caller that finds the link broken dials again while the others wait. Names are sent again, handles
and subscriptions opened again. A unit of work that was open was backed out (2003 at its next call or commit).
A get is made again; a put or commit whose answer was lost raises 2549. Invariant: nothing is put twice here.
Compiled through `reconnecting.pxd`: no signal comes between the answer to a call and its return.
"""

from __future__ import annotations

import functools
import math
import time
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from penstock.client import calls, recovery
from penstock.client.core import verbs
from penstock.client.core.steps import Alone, Dial, Leave, Make, Pause
from penstock.client.recovery import Patience
from penstock.face import units
from penstock.face.arguments import options_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.core.steps import Connection, Step, Steps
    from penstock.client.recovery import Policy
    from penstock.face.units import Scope

    class Restored(Connection[Any, Any], Protocol):
        """What reconnection needs of a client's connection."""

        conversation: int
        recovery: Reconnection

        def forget_numbers(self) -> None:
            """Forget which queue names the other end knows by number."""

        def caller(self) -> Any:
            """Return who calls."""

        def is_quiet(self, link: Any) -> bool:
            """Return whether no call is under way on a link."""

        def has_hung_up(self, link: Any) -> bool:
            """Return whether the other end has closed a link."""


class AwaitedReplies:
    """The requests of a program whose replies it has not got yet: until then it is not moved."""

    def __init__(self) -> None:
        self._until: list[float] = []  # when each request expires

    def note(self, asks: int, result: Any, details: dict[str, Any]) -> None:
        """Note a put (asks is 1) or a get that has brought its result (-1)."""
        if asks > 0:
            expiry = details.get("expiry")
            self._until.append(time.monotonic() + expiry if expiry else math.inf)
        elif result is not None and self._until:
            del self._until[0]

    def awaited(self) -> bool:
        """Return whether a reply may still arrive."""
        now = time.monotonic()
        self._until = [each for each in self._until if each > now]
        return bool(self._until)

    def forget(self) -> None:
        """Forget the requests: the connection has changed."""
        self._until.clear()


class Reconnection:
    """How a connection is restored, with everything that is open on it."""

    def __init__(self, policy: Policy, awaits_replies: bool = False) -> None:
        self.policy = policy
        self.replies = AwaitedReplies() if awaits_replies else None
        self.dialler: Any = None  # the thread or task that brings the connection back: its own calls must not
        self.gone: MQError | None = None
        self.lost: weakref.WeakSet[Scope] = weakref.WeakSet()  # units that were open when the link broke
        self.opened: weakref.WeakSet[Any] = weakref.WeakSet()  # handles, subscriptions, connection tags
        self.tags: dict[str, Any] = {}  # which nothing else keeps
        self.moved = False  # the last link was left because the queue manager wished it
        self.begun: weakref.WeakSet[Scope] = weakref.WeakSet()  # units in which a call was made

    def is_back(self, link: Any, caller: Any) -> bool:
        """Return whether a call may use a link, or has to bring the connection back first."""
        return link.failure is None or self.dialler == caller

    def report(self, qm: Restored, scope: Scope | None) -> None:
        """Raise 2003 for a unit that was open when the connection broke, and end it."""
        if scope is not None and scope in self.lost:
            self.lost.discard(scope)
            qm.open_units.forget(scope)
            qm.kept.of_unit(scope.unit)
            raise recovery.backed_out()


def attempted(
    qm: Restored,
    call: Callable[..., Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
    *,
    again: bool,
    opens: bool = False,
    asks: int = 0,
) -> Steps[Any]:
    """Make a call of a program on a connection that may break; options of an `open` concern no unit.

    `asks` is 1 for a put, which may be a request, and -1 for a get, which may bring a reply.
    """
    args, details = recovery.repeatable(given, named)
    options = 0 if opens else options_of(details.get("options") or 0)
    if again:
        options = units.syncpoint_of_get(options)
    replies = qm.recovery.replies if asks else None
    made = attempt(qm, Make(functools.partial(call, *args, **details)), again, options)
    return made if replies is None else _counted(replies, made, asks, details)


def _counted(replies: AwaitedReplies, made: Steps[Any], asks: int, details: dict[str, Any]) -> Steps[Any]:
    result = yield from made
    replies.note(asks, result, details)
    return result


def attempt(qm: Restored, step: Step, again: bool, options: int = 0) -> Steps[Any]:
    """Perform a step on a connection that may break; `again` says that it may be performed twice.

    `options` determine which unit it is in: one that was lost is reported to its own calls alone.
    """
    state = qm.recovery
    patience = refusing = None
    while True:
        scope = units.scope_of(qm, options) if qm.open_units else None
        yield from back(qm)
        state.report(qm, scope)
        if state.replies is not None and not state.replies.awaited() and _may_move(qm, qm.link):
            yield from come_back(qm, qm.link)
        link = qm.link
        new = scope is None or scope not in state.begun
        if recovery.sent_to(link) and new and state.replies is None:
            refusing = link  # it takes nothing new
        if scope is not None:
            state.begun.add(scope)  # before the call: nothing may come between its result and the program
        try:
            return (yield step)
        except MQError as failure:
            if new and scope is not None and failure.reason == mq.MQRC_Q_MGR_QUIESCING:
                state.begun.discard(scope)
            if failure.reason not in calls.GONE or qm.closed:
                raise
            if link.failure is None:
                patience = patience or Patience(state.policy)
                outside = scope is None or (bool(recovery.sent_to(link)) and new)
                if not patience.lasts(failure, outside):
                    raise
                refusing = link
                while not qm.has_hung_up(link) and patience.lasts(failure, True):
                    if _may_move(qm, link):
                        yield from come_back(qm, link)
                        break
                    yield Pause(recovery.QUIESCING_SECONDS)
                continue
            yield from come_back(qm, link)
            state.report(qm, scope)
            if not again and link is not refusing:  # which has not taken it the second time either
                raise recovery.interrupted(failure) from failure


def _may_move(qm: Restored, link: Any) -> bool:
    """Return whether the connection may go to the queue manager that it was sent to: no unit is open."""
    if not recovery.sent_to(link) or any(scope in qm.recovery.begun for scope in qm.open_units):
        return False
    return qm.link is not link or bool(qm.is_quiet(link))


def back(qm: Restored) -> Steps[None]:
    """Raise 2018 when a connection is closed; bring it back when it is broken."""
    if qm.closed:
        raise error(mq.MQRC_HCONN_ERROR, "the connection is closed")
    if not qm.recovery.is_back(qm.link, qm.caller()):
        yield from come_back(qm, qm.link)


def prepare(self: Any, xid: str) -> Steps[None]:
    """Prepare this context's unit under an external id; it survives a restart until resolved."""
    yield from attempt(self, Alone(lambda: _prepare(self, xid)), False, mq.MQPMO_SYNCPOINT)


def _prepare(qm: Restored, xid: str) -> Steps[None]:
    """Prepare on the link that the unit is on: no other one may take its place before that is said."""
    qm.recovery.report(qm, units.current(qm))
    qm.recovery.dialler = qm.caller()
    try:
        yield from verbs.prepare(qm, xid)
    finally:
        qm.recovery.dialler = None


def end_scope(qm: Restored, end: Callable[[Scope, bool], Any], scope: Scope, commit: bool) -> Steps[None]:
    """Commit or back out a unit; 2003 when it is gone, 2549 if the outcome of a commit is unknown."""
    if qm.link.failure is not None and not qm.closed:
        yield from come_back(qm, qm.link)
    if scope in qm.recovery.lost:
        qm.recovery.lost.discard(scope)
        qm.open_units.forget(scope)
        qm.kept.of_unit(scope.unit)
        if commit:
            raise recovery.backed_out()
        return
    link = qm.link
    try:
        yield Make(functools.partial(end, scope, commit))
    except MQError as failure:
        if failure.reason not in calls.GONE or link.failure is None or qm.closed:
            raise
        yield from come_back(qm, link)
        if commit:
            raise recovery.interrupted(failure) from failure


# -- coming back ---------------------------------------------------------------------------


def come_back(qm: Restored, broken: Any) -> Steps[None]:
    """Dial until it works; 2548 when it does not in time. One caller dials, others wait for it."""
    yield Alone(lambda: _come_back(qm, broken))


def _come_back(qm: Restored, broken: Any) -> Steps[None]:
    state = qm.recovery
    if state.gone is not None:
        raise error(state.gone.reason, state.gone.detail, **state.gone.fields)
    if qm.link is not broken:
        return
    sent_to = recovery.sent_to(broken)
    if state.replies is not None:
        state.replies.forget()
    state.moved = broken.failure is None
    if broken.failure is not None:
        problem, token = broken.failure_again(), recovery.token_of(broken.terms)
    else:
        problem, token = error(mq.MQRC_Q_MGR_QUIESCING, f"the clients are balanced: go to {sent_to}"), b""
    state.policy.tell(mq.MQRC_RECONNECTING, str(problem))
    yield Leave(broken, qm.conversation)
    state.dialler = qm.caller()
    try:
        yield from _dial_again(qm, problem, token, sent_to)
    except MQError as failure:
        state.gone = failure
        raise
    finally:
        state.dialler = None
    state.policy.tell(mq.MQRC_RECONNECTED, f"connected to {qm.name} again")


def _dial_again(qm: Restored, problem: MQError, token: bytes, sent_to: str) -> Steps[None]:
    policy = qm.recovery.policy
    for pause in policy.pauses():
        try:
            link, conversation = yield Dial(token, sent_to)
        except MQError as failure:
            policy.check(failure)
            problem = failure
            yield Pause(pause)
            continue
        if (yield from _take(qm, link, conversation)):
            return
        if qm.link is link:  # it broke while handles were opened again: the next takes its place
            yield Leave(link, conversation)
            token = recovery.token_of(link.terms)
            problem = link.failure_again()
        else:
            problem = error(mq.MQRC_Q_MGR_NAME_ERROR, f"this is {link.terms.text('qmgr')}, not {qm.name}")
        yield Pause(pause)
    raise policy.failed(mq.MQRC_RECONNECT_TIMED_OUT, problem)


def _take(qm: Restored, link: Any, conversation: int) -> Steps[bool]:
    """Go on with a new link; False when another queue manager is at its end or it broke already."""
    state = qm.recovery
    name = link.terms.text("qmgr")
    if state.policy.same_qmgr and name != qm.name:
        yield Leave(link, conversation)
        return False
    qm.forget_numbers()
    state.lost.update(scope for scope in qm.open_units if not state.moved or scope in state.begun)
    broken = qm.link, qm.conversation
    qm.link, qm.conversation, qm.name = link, conversation, name
    try:
        for each in list(state.opened):
            yield from each.reopen()
    except MQError as failure:
        if link.failure is None:
            raise
        state.policy.check(failure)
        return False
    except BaseException:  # interrupted or cancelled: the next call reconnects again, and opens everything
        qm.link, qm.conversation = broken
        yield Leave(link, conversation)
        raise
    return True
