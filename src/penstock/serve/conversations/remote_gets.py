# cython: nonecheck=True
"""The gets of a conversation: answered at once, or kept until a message comes or time is up.

A get that waits has a waiter in the engine and a `Wait` here. A client that does not read is parked: its
waits are registered again when it reads. Read-ahead takes only messages that a lost client would not be
missed for. Compiled through `remote_gets.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face._clock import monotonic
from penstock.face._clock import now as clock
from penstock.face.arguments import GET_MANY_MAX
from penstock.host.session import SPILLED
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID
from penstock.model.onward import shown
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import weight
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.waiters import Match
from penstock.serve.conversations.waits import Wait

if TYPE_CHECKING:
    from penstock.host.session import Session
    from penstock.model.message import Message
    from penstock.protocol._frames import Frame
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.serve.conversations.remote_units import RemoteUnits
    from penstock.serve.conversations.replies import Replies

LOOK_SECONDS = 2.0  # between checks of waits: entries of answered ones are removed by then
_BATCH_BYTES_MAX = protocol.BATCH_BYTES_MAX
_GET_MANY = protocol.GET_MANY
_MESSAGE = protocol.MESSAGE
_NOTHING = protocol.NOTHING
_READS_AHEAD = protocol.READS_AHEAD
_WAITS_MAX = protocol.WAITS_MAX


class RemoteGets:
    """What a client gets and waits for."""

    def __init__(self, session: Session, replies: Replies, units: RemoteUnits, names: dict[int, str]) -> None:
        self.session = session
        self.replies = replies
        self.server = replies.server
        self.units = units
        self.names = names
        self.waits: dict[int, Wait] = {}
        self.look_at = 0.0  # when a wait may be over; 0 for never
        self.skipped = 0  # the request whose put has failed, and whose get is not made
        self.parked: list[Wait] = []

    def get(self, frame: Frame) -> None:
        """Get a message, or several; wait if the frame asks for it."""
        if self.skipped and self.skipped == frame.request:
            self.skipped = 0  # the put that it belongs to has failed, and the client knows
            return
        frame.read_get()
        name = self.names[frame.target]
        unit = self.units.unit(frame.unit) if frame.unit else None
        match = None
        if frame.msg_id is not None or frame.correl_id is not None:
            match = Match(_wanted(frame.msg_id), _wanted(frame.correl_id))
        wait_ms = frame.wait_ms
        if wait_ms < protocol.WAIT_FOR_EVER:
            raise error(mq.MQRC_WAIT_INTERVAL_ERROR, f"a wait of {wait_ms} milliseconds is no wait")
        many = frame.kind == _GET_MANY
        if many and not 0 < frame.count <= GET_MANY_MAX:
            raise error(mq.MQRC_OPTIONS_ERROR, f"count must be 1 to {GET_MANY_MAX}")
        count = frame.count if many else 0
        ahead = frame.ahead if many else 0
        if wait_ms == 0:
            message = self.session.get_quick(name, match, unit)
            if message is None:
                replies = self.replies
                replies.out.frame(_NOTHING, 0, replies.number, frame.request, 0, b"")
                replies.link.mark()
                return
            if message is not SPILLED:
                self.answer_get(frame.request, name, match, unit, message, count, ahead)
                return
        deadline = 0.0 if wait_ms < 0 else monotonic() + wait_ms * 0.001
        self.retry(Wait(self, frame.request, name, match, unit, count, ahead, deadline, None))

    def check_wait(self, request: int) -> None:
        """Refuse a get that could not be remembered if it had to wait, before it is registered."""
        if len(self.waits) >= _WAITS_MAX:
            raise error(mq.MQRC_CALL_IN_PROGRESS, f"{_WAITS_MAX} gets wait in this conversation already")
        if request in self.waits:
            raise ValueError(f"request {request} is under way already")

    def remember(self, wait: Wait) -> None:
        """Keep a get that is not answered yet."""
        self.check_wait(wait.request)
        self.waits[wait.request] = wait

    def retry(self, wait: Wait) -> None:
        """Take a message or register a waiter, in one step; read bodies first where it takes that."""
        session = self.session
        engine = session.engine
        gate = session.gate
        try:
            gate.enter()
            try:
                engine.step.begin_for(session.account)
                engine.step.again(wait.fetched)
                wait.fetched = None
                queue = session.way_to(wait.name).queue
                message = engine.take(queue, wait.match, wait.unit, clock())
                loading = engine.step.take_load()
                position = engine.step.end()
                if message is None:
                    if loading is None and wait.deadline and monotonic() >= wait.deadline:
                        self._close(wait)
                        self.replies.done(_NOTHING, wait.request)
                        return
                    if self.waits.get(wait.request) is not wait:
                        self.remember(wait)
                    if loading is None:
                        self._check_waiting()
                        wait.waiter = engine.wait(queue, wait.match, wait.unit, wait)
            finally:
                gate.release()
        except MQError as failure:
            self._close(wait)
            self.replies.fail(wait.request, failure)
            return
        if message is not None:
            self._close(wait)
            if position:
                session.finish(position)
            self._answer_wait(wait, message)
        elif loading is not None:
            wait.fetched = loading
            self.server.read_bodies(loading, self, wait)
        elif wait.deadline:
            self.expect(wait.deadline)

    def expect(self, deadline: float) -> None:
        """Schedule a look at the time when a wait ends."""
        if not self.look_at or deadline < self.look_at:
            self.look_at = min(deadline, monotonic() + LOOK_SECONDS)
            self.server.expect(self, self.look_at)

    def look(self, now: float) -> None:
        """End the waits whose time is up, and return the time of the next check."""
        if self.replies.ended or now < self.look_at:
            return  # an earlier look has come between
        self.look_at = 0.0
        for wait in list(self.waits.values()):
            if wait.deadline and wait.deadline <= now:
                self.timed_out(wait)
            elif wait.deadline:
                self.expect(wait.deadline)

    def answer_woken(self) -> None:
        """Answer all gets that the engine has served: the conversation ends."""
        for wait in list(self.waits.values()):
            if wait.waiter is not None and not wait.waiter.active:
                self.woken(wait)

    def woken(self, wait: Wait) -> None:
        """Answer a get whose waiter the engine has served."""
        waiter = wait.waiter
        if wait.over or waiter is None:
            return
        if waiter.message is None and waiter.reason == TRY_AGAIN:
            wait.waiter = None
            if wait.again is None:
                self.retry(wait)
            else:
                self.server.scans.add(self, wait)
            return
        message = waiter.message
        self._close(wait)
        if message is None:
            self.replies.fail(wait.request, error(waiter.reason, "while waiting for a message"))
            return
        if waiter.position:
            self.session.finish(waiter.position)
        self._answer_wait(wait, message)

    def _answer_wait(self, wait: Wait, message: Message) -> None:
        self.answer_get(wait.request, wait.name, wait.match, wait.unit, message, wait.count, wait.ahead)

    def _close(self, wait: Wait) -> None:
        wait.over = True
        wait.waiter = None
        if self.waits.get(wait.request) is wait:
            del self.waits[wait.request]

    def timed_out(self, wait: Wait) -> None:
        """End a wait whose time is up, unless a message came a moment ago."""
        if not wait.over and self._withdraw(wait):
            self.replies.done(_NOTHING, wait.request)

    def give_up(self, request: int) -> bool:
        """End a cancelled wait; False if it does not wait any more."""
        wait = self.waits.get(request)
        if wait is None:
            return False
        if wait.waiter is None:  # bodies are read for it, or it is parked, or on its way through a queue
            self._close(wait)
        elif not self._withdraw(wait):
            return False
        self.replies.done(_NOTHING, request)
        return True

    def _withdraw(self, wait: Wait) -> bool:
        waiter = wait.waiter
        if waiter is None:
            return False  # bodies are being read: it is answered soon
        with self.session.gate.anyway:
            if not waiter.active:
                return False
            waiter.queue.waiting.remove(waiter)
        self._close(wait)
        return True

    def answer_get(
        self,
        request: int,
        name: str,
        match: Match | None,
        unit: UnitOfWork | None,
        message: Message,
        count: int,
        ahead: int,
    ) -> None:
        """Answer a get: one message for 0, or up to `count` and, behind them, what may be read ahead."""
        flags = 0
        if unit is None and match is None and not message.persistent:
            route = self.session.routes.get(name)
            if route is not None and route.read_ahead:
                flags = _READS_AHEAD
        if not count:
            self.answer_message(request, message, flags)
            return
        found = [message]
        if count > 1:
            self._take_more(found, name, match, unit, count)
        if ahead and flags and len(found) == count:
            self._take_ahead(found, name, count + ahead)
        self.replies.link.messages += len(found)
        self.replies.reply(protocol.MESSAGES, flags, request, found)

    def answer_message(self, request: int, message: Message, flags: int) -> None:
        """Answer with one message."""
        replies = self.replies
        replies.link.messages += 1
        if replies.caller.reached or replies.caller.rounds is not None:
            replies.reply(_MESSAGE, flags, request, message)
        else:
            replies.out.message(replies.number, request, message, flags)
            replies.link.mark()

    def _take_more(
        self, found: list[Message], name: str, match: Match | None, unit: UnitOfWork | None, count: int
    ) -> None:
        """Take messages behind the first, as many as one frame should carry."""
        session = self.session
        engine = session.engine
        size = weight(found[0])
        now = clock()
        session.gate.acquire()
        try:
            engine.step.begin_for(session.account)
            queue = session.way_to(name).queue
            while len(found) < count and size < _BATCH_BYTES_MAX:
                message = engine.take(queue, match, unit, now)
                if message is None:
                    break
                found.append(message)
                size += weight(message)
        except MQError:
            pass  # messages found before are not lost
        finally:
            position = engine.step.end()
            session.gate.release()
        if position:
            session.finish(position)

    def _take_ahead(self, found: list[Message], name: str, count: int) -> None:
        """Take messages ahead of requests: never one that would be lost if the client disappeared."""
        session = self.session
        engine = session.engine
        size = 0
        for there in found:
            size += weight(there)
        with session.gate:
            queue = session.routes[name].queue
            now = clock()
            while len(found) < count and size < _BATCH_BYTES_MAX and queue.get_enabled:
                message = engine.select(queue, None, None, now)
                engine.step.take_load()
                if message is None or message.persistent:
                    return
                message = shown(engine.remove(queue, message, None, now))
                found.append(message)
                size += weight(message)

    def suspend(self, request: int, waiter: Any, deadline: float, again: Any) -> None:
        """Keep a call whose get waits; `again` makes it once more."""
        wait = Wait(self, request, "", None, None, 0, 0, deadline, again)
        wait.waiter = waiter
        self.remember(wait)
        with self.session.gate.anyway:
            waiter.wake = wait
            answered = not waiter.active
        if answered:
            self.server.woke(wait)
        elif self._must_end():
            self._quiesce(wait)
        elif deadline:
            self.expect(deadline)

    def _call_again(self, wait: Wait) -> None:
        self._close(wait)
        assert wait.again is not None
        wait.again()

    def quiesce(self) -> None:
        """End every get that waits with 2161."""
        if self._must_end():
            for wait in list(self.waits.values()):
                self._quiesce(wait)

    def _quiesce(self, wait: Wait) -> None:
        if self._withdraw(wait):
            self.replies.fail(wait.request, error(mq.MQRC_Q_MGR_QUIESCING, self.replies.link.ends_because()))

    def _check_waiting(self) -> None:
        """Refuse gets that would wait on a link that ends, even one in a unit that may be finished."""
        if self._must_end():
            raise error(mq.MQRC_Q_MGR_QUIESCING, self.replies.link.ends_because())

    def _must_end(self) -> bool:
        """Return whether gets may not wait; a client that is moved may finish its units as usual."""
        ending = self.replies.link.ending
        return bool(ending) and not (ending == "move" and self.units.any_begun())

    def park(self) -> None:
        """Take no message for a client that does not read: its waits are registered again by `unpark`."""
        for wait in self.waits.values():
            waiter = wait.waiter
            if waiter is not None:
                with self.session.gate.anyway:
                    if not waiter.active:
                        continue  # it is answered already
                    waiter.queue.waiting.remove(waiter)
                wait.waiter = None
                self.parked.append(wait)

    def unpark(self) -> None:
        """Continue the waits of a client that reads again."""
        parked, self.parked = self.parked, []
        for wait in parked:
            if wait.over:
                continue
            if wait.again is None:
                self.retry(wait)
            else:
                self._call_again(wait)

    def withdraw_all(self) -> None:
        """End every wait without an answer: the client has disconnected."""
        for wait in list(self.waits.values()):
            self._withdraw(wait)
            wait.over = True
        self.waits.clear()


def _wanted(value: bytes | None) -> bytes | None:
    """Return an id to match; one of zeros matches anything, as in MQ."""
    return None if value == NO_ID else value
