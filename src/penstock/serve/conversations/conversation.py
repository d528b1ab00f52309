# cython: nonecheck=True
"""The server's side of one conversation: which frame asks for what, and how a conversation ends.

Frames come from `Link` in the loop's thread. Plain puts and gets, and units, are done by its parts
(`remote_puts`, `remote_gets`, `remote_units`); all else is a named verb (`verbs`). An answer that tells
of something durable leaves when the disk has it (`replies`): `Server` holds it back until then. Invariant:
whatever ends the conversation, its units are backed out and nothing of it stays in the engine. Compiled
through `conversation.pxd`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import LARGE_BYTES
from penstock.protocol._large import Bodies
from penstock.qmgr.selectors.evaluations import MustEvaluate
from penstock.serve.conversations import call_payload, verbs
from penstock.serve.conversations.deferrals import MustAsk
from penstock.serve.conversations.evaluating import Repeated
from penstock.serve.conversations.many_puts import MESSAGES_AT_ONCE, ManyPuts
from penstock.serve.conversations.remote_gets import RemoteGets
from penstock.serve.conversations.remote_puts import RemotePuts
from penstock.serve.conversations.remote_units import RemoteUnits
from penstock.serve.conversations.replies import Replies
from penstock.serve.conversations.waits import Wait

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.queue_manager import QueueManager
    from penstock.protocol._frames import Frame
    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.serve.conversations.long_calls import LongCall
    from penstock.serve.conversations.replies import LoopCaller
    from penstock.serve.link import Link

HANDLES_AT_ONCE = 500  # that one step closes: some milliseconds
_CALL = protocol.CALL
_CHAINED = protocol.CHAINED
_COMMIT = protocol.COMMIT
_GET = protocol.GET
_GET_MANY = protocol.GET_MANY
_LARGE_BYTES = LARGE_BYTES
_NO_REPLY = protocol.NO_REPLY
_PUT = protocol.PUT
_PUT_MANY = protocol.PUT_MANY
_BEGINNING = (protocol.PUT, protocol.GET, protocol.PUT_MANY, protocol.GET_MANY)


class Conversation:
    """One client connection (MQ's hConn) on a link."""

    def __init__(self, link: Link, number: int, qm: QueueManager, caller: LoopCaller) -> None:
        self.link = link
        self.server = link.server
        self.number = number
        self.qm = qm
        self.names: dict[int, str] = {}
        self.replies = Replies(link, number, caller)
        self.units = RemoteUnits(qm.session, self.replies)
        self.puts = RemotePuts(qm, self.replies, self.units, self.names)
        self.gets = RemoteGets(qm.session, self.replies, self.units, self.names)
        self.handles: dict[int, Any] = {}
        self.next_handle = 1
        self.working = 0  # long calls under way
        self.calls: dict[int, LongCall] = {}

    def handle(self, frame: Frame) -> None:
        """Process a frame; a failure is an answer."""
        kind = frame.kind
        try:
            if (self.link.ending or self.link.commands_only) and kind in _BEGINNING:
                self.check_beginning(frame.unit)
            if kind == _PUT:
                self.puts.put(frame)
            elif kind == _GET or kind == _GET_MANY:  # noqa: SIM109 - numbers of C, no tuple
                self.gets.get(frame)
            elif kind == _PUT_MANY:
                if frame.size < _LARGE_BYTES or not self.read_slowly(frame):
                    self.put_many(frame, frame.read_put_many())
            elif kind in (_COMMIT, protocol.BACKOUT):
                self.units.end_unit(frame)
            elif kind == protocol.NAME:
                self.name(frame)
            elif kind == _CALL:
                if frame.size < _LARGE_BYTES or not self.read_slowly(frame):
                    verbs.call(self, frame, *call_payload.read_call(frame))
            elif kind == protocol.CANCEL:
                self.cancel(frame.request)
            elif kind == protocol.MORE:
                self.more(frame)
            else:
                raise ValueError(f"frame kind {kind} is unknown")
        except MQError as failure:
            self._refuse(frame, failure)
        except MustAsk as needed:
            self._ask_first(frame, needed.question)
        except MustEvaluate as needed:
            own = frame.kept() or frame.copied()
            self._evaluate_first(own, needed.evaluation, functools.partial(self.handle, own))

    def _evaluate_first(self, frame: Frame, evaluation: Evaluation, again: Callable[[], None]) -> None:
        """Handle a frame when selectors were evaluated; the link takes no other meanwhile."""
        caller = self.replies.caller
        done = caller.take_progress()

        def go_on() -> None:
            caller.scan = done
            try:
                again()
            finally:
                caller.scan = None

        self.link.begin_reading()
        then = functools.partial(self.link.end_reading, self, frame, Repeated(go_on))
        self.server.evaluating.start(evaluation, then)

    def _ask_first(self, frame: Frame, question: Any) -> None:
        """Put a message when full repositories have answered where its queue is."""
        if frame.flags & _NO_REPLY:
            unknown = f"where queue {question.name} is must be asked first, and the put expects no answer"
            self._refuse(frame, error(mq.MQRC_CLUSTER_RESOLUTION_ERROR, unknown, object=question.name))
            return
        again = functools.partial(self.handle, frame.copied())
        held = Wait(self.gets, frame.request, "", None, None, 0, 0, 0.0, again)
        self.gets.remember(held)
        self.server.ask_first(question, self.gets, held)

    def read_slowly(self, frame: Frame) -> bool:
        """Read a large frame in slices, then call `handle_read`. False if it was dropped meanwhile."""
        kept = frame.kept()
        if kept is None:
            return False
        reading = Bodies(kept) if kept.kind == _PUT_MANY else call_payload.reading(kept)
        self.server.large_frames.add(self, kept, reading)
        return True

    def put_many(self, frame: Frame, bodies: list[bytes]) -> None:
        """Put several messages; very many take some turns of the loop."""
        head = frame.head()
        many = ManyPuts(self.puts, head, bodies)
        try:
            at_once = len(bodies) <= MESSAGES_AT_ONCE and many.step(0)
        except MustEvaluate:
            at_once = False
        if at_once:
            many.answer()
        else:
            self.server.large_frames.add(self, head, many)

    def steps_after(self, frame: Frame, reading: Any) -> Any:
        """Return the work in steps that a large frame needs once it is read; None if there is none."""
        if isinstance(reading, Bodies) and len(reading.value) > MESSAGES_AT_ONCE:
            return ManyPuts(self.puts, frame, reading.value)
        return None

    def handle_read(self, frame: Frame, value: Any) -> None:
        """Process a large frame; `value` is its payload, or what was done with it in steps."""
        try:
            if isinstance(value, ManyPuts | Repeated):
                value.answer()
            elif frame.kind == _PUT_MANY:
                self.put_many(frame, value)
            else:
                verbs.call(self, frame, *call_payload.checked(value))
        except MQError as failure:
            self._refuse(frame, failure)
        except MustEvaluate as needed:
            again = functools.partial(self.handle_read, frame, value)
            self._evaluate_first(frame, needed.evaluation, again)

    def _refuse(self, frame: Frame, failure: MQError) -> None:
        if frame.flags & _CHAINED:
            self.gets.skipped = frame.request
            self.replies.fail(frame.request, failure)
        elif frame.flags & _NO_REPLY:
            self.units.note_failed_put(frame.unit, failure)
        else:
            self.replies.fail(frame.request, failure)

    def check_beginning(self, unit: int) -> None:
        """Refuse new work to a client that shall disconnect, and messages to a `commands_only` connection.

        What a client has begun it may finish.
        """
        if self.link.commands_only:
            raise error(mq.MQRC_NOT_AUTHORIZED, "this connection was made for commands (commands_only)")
        if self.link.ending and unit not in self.units.units:
            self.link.refused_work()
            raise error(mq.MQRC_Q_MGR_QUIESCING, f"{self.link.ends_because()}: finish and disconnect")

    def name(self, frame: Frame) -> None:
        """Give a number to a queue's name."""
        if frame.size > 4 + protocol.NAME_BYTES_MAX:
            raise ValueError(f"a name has at most {protocol.NAME_BYTES_MAX} bytes")
        payload = frame.payload()
        number = int.from_bytes(payload[:4], "little")
        if number >= protocol.NAMES_MAX:
            raise ValueError(f"names have numbers below {protocol.NAMES_MAX}")
        self.names[number] = payload[4:].decode()

    def cancel(self, request: int) -> None:
        """End a wait that the client cancelled."""
        if not self.gets.give_up(request) and request in self.calls:
            self.calls[request].cancel()

    def more(self, frame: Frame) -> None:
        """Continue a long call whose parts the client has read."""
        call = self.calls.get(frame.request)
        if call is not None:  # else it is over already
            call.wants_more(int.from_bytes(frame.payload()[:8], "little"))

    def end(self, commit: bool) -> int:
        """End the conversation: waits are withdrawn, units ended, handles closed (very many: in steps).

        Return the position that the journal must reach before the answer may be sent.
        """
        if self.replies.ended:
            return 0
        self.replies.ended = True
        self.gets.withdraw_all()
        for call in list(self.calls.values()):
            call.cancel()
        try:
            self.units.end_all(commit)
        finally:
            self.close_handles()
        return self.replies.caller.reached

    def close_handles(self) -> None:
        """Close what the client has open; the loop goes on with what is too much for one step."""
        session = self.qm.session
        if not session.gate.closed:
            with session.step():
                session.closed = True
                over = session.engine.disconnect(session.connection, clock(), HANDLES_AT_ONCE)
            if not over:
                self.server.loop.call_soon(self.close_handles)
        self.server.reach(self.replies.caller.reached)
