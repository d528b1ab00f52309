"""Calls that may take long: a worker runs them, and their rows are sent to the client in parts.

The client reports how much it has read (MORE); a call whose client is behind releases its worker and
continues on the next MORE. So a slow reader uses neither memory nor a thread, however long it takes. After
each part, and after `TURN_SECONDS` without one, the next call gets the worker: a long call does not delay
another. A verb that yields None has no row yet; between two rows the call rests, so that no put or get waits
for it (`host.pacing`). Started by `verbs`; `Conversation` reports MORE, CANCEL and the end. Invariant: some
`PARTS_AHEAD_BYTES` of a call are unread at most.
"""

from __future__ import annotations

import functools
import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.face._clock import monotonic
from penstock.host.pacing import Pace
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.serve.conversations.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.serve.conversations.conversation import Conversation

logger = logging.getLogger(__name__)

WORKING_MAX = 4  # long calls of one connection at a time
PART_BYTES = 64 << 10
TURN_SECONDS = 0.05  # that a call has a worker without a part to send
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


def start(
    conversation: Conversation, request: int, verb: Callable[..., Any], arguments: dict[str, Any]
) -> None:
    """Run a verb in a worker and answer from there; 2219 when too many of this client's are under way."""
    if conversation.working >= WORKING_MAX:
        raise error(mq.MQRC_CALL_IN_PROGRESS, f"{WORKING_MAX} long calls of this connection are under way")
    if request in conversation.calls:
        raise ValueError(f"request {request} is under way already")
    conversation.working += 1
    call = conversation.calls[request] = LongCall(conversation, request, verb, arguments)
    conversation.server.workers.submit(call.begin)


class LongCall:
    """One call under way: at work, or waiting for its client to read."""

    def __init__(
        self, conversation: Conversation, request: int, verb: Callable[..., Any], arguments: dict[str, Any]
    ) -> None:
        self.conversation = conversation
        self.request = request
        self._verb = verb
        self._arguments = arguments
        self._rows: Iterator[Any] = iter(())
        self._over = False  # there are no more rows
        self._pace = Pace(conversation.server.host.pacer)
        self._lock = threading.Lock()
        self._unread = 0  # bytes of parts
        self._waits = False  # for its client; no worker has it
        self._cancelled = False

    # -- in the loop -----------------------------------------------------------------------

    def wants_more(self, count: int) -> None:
        """Record that the client has read this many bytes of parts."""
        with self._lock:
            self._unread = max(0, self._unread - count)
        self._go_on()

    def cancel(self) -> None:
        """Stop: the client cancelled the rest."""
        with self._lock:
            self._cancelled = True
        self._go_on()

    def _go_on(self) -> None:
        with self._lock:
            awake, self._waits = self._waits, False
        if awake:
            self._submit()

    def _submit(self) -> None:
        with suppress(RuntimeError):  # the server closes: the rest is not needed
            self.conversation.server.workers.submit(self._work)

    def _end(self, kind: int, payload: bytes | MQError) -> None:
        """Answer, and release the call."""
        conversation = self.conversation
        conversation.working -= 1
        conversation.calls.pop(self.request, None)
        if isinstance(payload, MQError):
            if not conversation.replies.ended:
                conversation.replies.fail(self.request, payload)
        else:
            Reply(conversation.replies, kind, 0, self.request, payload).release()
        conversation.server.flush()

    def _send(self, payload: bytes) -> None:
        server = self.conversation.server
        Reply(self.conversation.replies, protocol.PART, 0, self.request, payload).release()
        server.flush()

    # -- in a worker -----------------------------------------------------------------------

    def begin(self) -> None:
        """Make the call; what it yields is sent by `_work`."""
        result: Any = None

        def make() -> None:
            nonlocal result
            try:
                result = self._verb(self.conversation, **self._arguments)
            except failures.WRONG_ARGUMENTS as cause:
                logger.debug("verb_refused verb=%s", self._verb.__name__, exc_info=True)
                raise error(
                    mq.MQRC_OPTIONS_ERROR, f"the arguments of {self._verb.__name__} are wrong: {cause}"
                ) from cause

        if self._tried(make):
            if hasattr(result, "__next__"):
                self._rows = result
                self._work()
            else:
                self._tell(protocol.RESULT, _encode(result))

    def _work(self) -> None:
        """Send a part, if the client has not enough for now; then it is the next call's turn."""
        if self._must_wait():
            return
        if self._cancelled:
            if self._tried(self._rows.close):  # type: ignore[attr-defined]
                self._tell(protocol.NOTHING, b"")
            return
        part: list[bytes] = []
        if not self._tried(functools.partial(self._fill, part)):
            return
        if part:
            payload = _encode([msgspec.Raw(each) for each in part])
            with self._lock:
                self._unread += len(payload)
            self.conversation.server.loop.call_soon_threadsafe(self._send, payload)
        if self._over:
            self._tell(protocol.RESULT, _encode(None))
        else:
            self._submit()

    def _must_wait(self) -> bool:
        with self._lock:
            self._waits = self._unread >= protocol.PARTS_AHEAD_BYTES and not self._cancelled
            return self._waits

    def _fill(self, part: list[bytes]) -> None:
        """Collect rows until they make a part, or this call's turn is over."""
        size = 0
        end = monotonic() + TURN_SECONDS
        for row in self._rows:
            if row is not None:
                part.append(_encode(row))
                size += len(part[-1])
            if self._pace.step() > end or size >= PART_BYTES or self._cancelled:
                return
        self._over = True

    def _tried(self, step: Callable[[], None]) -> bool:
        """Do a step; a failure is the answer, and the end."""
        try:
            step()
        except MQError as failure:
            self._tell(protocol.FAILED, failure)
            return False
        except Exception as cause:  # an edge: the client must not wait for ever
            name = self._verb.__name__
            logger.exception("verb_failed verb=%s", name)
            self._tell(
                protocol.FAILED,
                error(mq.MQRC_UNEXPECTED_ERROR, f"{name} failed: {type(cause).__name__}: {cause}"),
            )
            return False
        return True

    def _tell(self, kind: int, payload: bytes | MQError) -> None:
        self.conversation.server.loop.call_soon_threadsafe(self._end, kind, payload)
