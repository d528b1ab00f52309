# cython: nonecheck=True
"""What a conversation has instead of a thread that sleeps: calls that note what they wait for, and replies
that leave when it has come.

`LoopCaller` is how its session waits, `Replies` how it answers, a `Reply` one answer. Invariant: the answer
to a conversation that has ended is dropped here, and nowhere else. Compiled through `replies.pxd`: a
persistent put means one reply.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

import cython
import msgspec

from penstock.face._clock import now as clock
from penstock.face.deadlines import deadline_of
from penstock.host.waiting import Caller
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.qmgr.searching.pauses import Paused
from penstock.qmgr.searching.scanning import Scan, scanning
from penstock.qmgr.selectors.content_selection import is_quick
from penstock.qmgr.selectors.evaluations import MustEvaluate
from penstock.serve.answers import Answer
from penstock.serve.conversations.deferrals import MustAsk, MustCompile, MustGoOn, MustRead, Suspended
from penstock.serve.entry.refusals import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.host import Host
    from penstock.host.session import Session
    from penstock.model.errors import MQError
    from penstock.model.message import Message
    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.qmgr.waiters import Waiter
    from penstock.serve.link import Link

logger = logging.getLogger(__name__)

_DONE = protocol.DONE
_MESSAGE = protocol.MESSAGE
_MESSAGES = protocol.MESSAGES
_RECEIPT = protocol.RECEIPT
_RECEIPTS = protocol.RECEIPTS
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


class LoopCaller(Caller):
    """How the calls of one conversation wait: never in the loop's thread, which serves all clients.

    There `finish` notes how far the disk must get before the answer may leave (`reached`; `Server` sees to
    log and memory), and a get that has to wait, or to read a body first, is suspended. In any other thread
    (a worker runs MQSC) it does what its base does.
    """

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self._loop_thread = threading.get_ident()
        self.reached = 0
        self.rounds: list[int] | None = None  # tickets of the group's facility that the answer waits for
        self.fetched: list[Any] | None = None  # what was read for the call that is made again
        self.scan: Any = None  # state of the next call from earlier turns: a get's scan, a delivery

    def finish(self, position: int) -> None:
        if threading.get_ident() != self._loop_thread:
            Caller.finish(self, position)
        elif position > self.reached:
            self.reached = position
        elif position < 0:
            self.rounds = [*(self.rounds or ()), -position]

    def attempt_or_wait(
        self,
        session: Session,
        attempt: Callable[[], Message | None],
        register: Callable[[Callable[[Waiter], None]], Waiter],
        wait: float | None,
    ) -> Message | None:
        if threading.get_ident() != self._loop_thread:
            return Caller.attempt_or_wait(self, session, attempt, register, wait)
        deadline_of(wait)
        engine = session.engine
        with session.gate:
            engine.step.begin_for(session.account)
            engine.step.again(self.fetched)
            scan = Scan() if self.scan is None else self.scan
            try:
                with scanning(engine, scan):
                    message = attempt()
            except Paused as paused:
                if paused.window is not None:
                    raise MustRead([paused.window], scan) from paused
                raise MustGoOn(scan) from paused
            loading = engine.step.take_load()
            position = engine.step.end()
            if message is None and loading is None and wait != 0:
                raise Suspended(register(_asleep))
        if loading is not None and message is None:
            raise MustRead(loading)
        self.finish(position)
        return message

    def await_answer(self, question: Any) -> None:
        """Have the call made again when full repositories have answered."""
        if threading.get_ident() != self._loop_thread:
            Caller.await_answer(self, question)
            return
        raise MustAsk(question)

    def evaluate_first(self, evaluation: Evaluation) -> None:
        """Have the frame handled again when selectors were evaluated (`conversation`)."""
        if threading.get_ident() != self._loop_thread:
            Caller.evaluate_first(self, evaluation)
            return
        raise MustEvaluate(evaluation)

    def take_progress(self) -> Any:
        """Return what the call that is to be made again has done, for its `scan`."""
        done, self.progress = self.progress, 0
        return done or None

    def under_way(self) -> Any:
        """Return the state that this call left in earlier turns."""
        return self.scan if threading.get_ident() == self._loop_thread else None

    def take_steps(self, session: Session, work: Any, begun: Any) -> None:
        """Take one step of long work in the loop; the call is made again for the next."""
        if threading.get_ident() != self._loop_thread:
            Caller.take_steps(self, session, work, begun)
            return
        with session.step() as step:
            done = work.step(clock())
        if step.to_load is not None:
            raise MustRead(step.to_load, begun)
        if not done:
            raise MustGoOn(begun)

    def compile_first(self, selector: str) -> None:
        """Compile a subscription's selector; in the loop one that takes long is left to a worker."""
        if threading.get_ident() == self._loop_thread and not is_quick(self.host.engine, selector):
            raise MustCompile(selector)
        Caller.compile_first(self, selector)

    def check_own_unit(self) -> None:
        raise error(mq.MQRC_SYNCPOINT_NOT_AVAILABLE, "a call with SYNCPOINT must name a unit of work")


def _asleep(waiter: Any) -> None:
    """Take the place of `wake` until the conversation has set its own."""


class Replies:
    """The answers of one conversation: each is sent when what it confirms is on disk."""

    def __init__(self, link: Link, number: int, caller: LoopCaller) -> None:
        self.link = link
        self.server = link.server
        self.out = link.out
        self.number = number
        self.caller = caller
        self.ended = False

    def reply(self, kind: int, flags: int, request: int, subject: Any) -> None:
        """Answer when the disk has what this call did."""
        position = self.caller.reached
        self.caller.reached = 0
        answer = Reply(self, kind, flags, request, subject)
        if self.caller.rounds is None:
            self.server.when_durable(position, answer)
        else:
            self.server.when_rounds(self.take_rounds(), position, answer)

    def take_rounds(self) -> list[int]:
        """Return the tickets that the answer of this call waits for."""
        rounds: list[int] = self.caller.rounds or []
        self.caller.rounds = None
        return rounds

    def done(self, kind: int, request: int) -> None:
        """Answer without a payload."""
        self.reply(kind, 0, request, b"")

    def result(self, request: int, value: Any) -> None:
        """Answer with plain data."""
        self.reply(protocol.RESULT, 0, request, _encode(value))

    def report_under_way(self, request: int) -> None:
        """Report that a long call makes progress: its client waits longer for the answer."""
        self.out.frame(protocol.HEARTBEAT, protocol.NO_REPLY, self.number, request, 0, b"")
        self.link.mark()

    def unanswered(self) -> None:
        """Wait for the disk for a call without an answer."""
        self.server.reach(self.caller.reached)
        self.caller.reached = 0
        if self.caller.rounds is not None:
            self.server.when_rounds(self.take_rounds(), 0, None)

    def fail(self, request: int, failure: MQError) -> None:
        """Answer with a failure."""
        if self.caller.rounds is not None:
            self.server.when_rounds(self.take_rounds(), 0, None)  # they are not reported
        failure = shown(self.link, failure)
        self.out.frame(protocol.FAILED, 0, self.number, request, 0, failures.pack(failure))
        self.link.mark()


@cython.freelist(64)
@cython.cclass
class Reply(Answer):
    """A frame that answers a request; its subject is a message, several, or bytes."""

    def __init__(self, replies: Replies, kind: int, flags: int, request: int, subject: Any) -> None:
        self.position = 0
        self.presses = kind != _MESSAGE and kind != _MESSAGES
        self.produces = kind == _RECEIPT
        self.replies = replies
        self.kind = kind
        self.flags = flags
        self.request = request
        self.subject = subject

    def release(self) -> None:
        replies, kind = self.replies, self.kind
        if replies.ended and kind != _DONE:
            return
        out, number = replies.out, replies.number
        if kind == _RECEIPT:
            out.receipt(number, self.request, self.subject, self.flags)
        elif kind == _MESSAGE:
            out.message(number, self.request, self.subject, self.flags)
        elif kind == _MESSAGES:
            out.messages(number, self.request, self.subject, self.flags)
        elif kind == _RECEIPTS:
            out.receipts(number, self.request, self.subject)
        else:
            out.frame(kind, self.flags, number, self.request, 0, self.subject)
        replies.link.mark()

    def refused(self, failure: MQError) -> None:
        if not self.replies.ended:
            self.replies.fail(self.request, failure)

    def failed(self, failure: Exception) -> None:
        link: Any = self.replies.link
        logger.error("answer_failed peer=%s", link.peer, exc_info=failure)
        link.abort(f"an answer could not be written: {failure}")
