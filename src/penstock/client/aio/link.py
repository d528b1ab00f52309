"""One socket of an asyncio program: one write per pass of the loop, answers go to their callers.

Answers are read where they lie, so each request says how its answer is read. Used by `AsyncQueueManager`,
in its loop's thread alone. A request that was given up (its task cancelled) keeps its place until it is
answered: what came in spite of that goes to `keep`. Once the link has failed every request raises its cause.
"""

from __future__ import annotations

import asyncio
import math
import os
import weakref
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.client import calls
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Frame, Outgoing, Splitter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from penstock.protocol.hello import Greeting

CANCEL_SECONDS = 10.0  # that a queue manager has to answer a get that was given up
FINISH_SECONDS = 10.0  # that a commit may take when its caller was cancelled
LOOK_SECONDS = 0.5  # between looks for late answers and silence
WRITE_BUFFER_BYTES = 1 << 20  # unwritten bytes at which callers have to wait

_links: weakref.WeakSet[AioLink] = weakref.WeakSet()


class Asked:
    """A request under way."""

    __slots__ = (
        "changed",
        "deadline",
        "future",
        "keep",
        "parts",
        "patience",
        "read",
        "request",
        "returning",
        "unit",
    )

    def __init__(self, request: int, future: asyncio.Future[Any], read: Callable[[Frame], Any]) -> None:
        self.request = request
        self.future = future
        self.read = read
        self.deadline = 0.0  # 0 for never
        self.patience = 0.0  # seconds from each report of the server that the call is under way; 0 for none
        self.keep: Callable[[Any], asyncio.Task[None] | None] | None = None
        self.returning: asyncio.Task[None] | None = None  # puts messages back
        self.unit = 0
        self.parts: deque[Any] | None = None
        self.changed: asyncio.Event | None = None

    def has_result(self) -> bool:
        """Return whether the answer is there and no failure, though its caller may have been cancelled."""
        return self.future.done() and not self.future.cancelled() and self.future.exception() is None

    def answer(self, frame: Frame) -> None:
        """Read an answer for its caller, or keep it if the call was abandoned."""
        try:
            value = self.read(frame)
        except MQError as failure:
            self.fail(failure)
            return
        except Exception as cause:  # an edge: the caller must not wait for ever
            self.fail(error(mq.MQRC_CONNECTION_BROKEN, f"an answer makes no sense: {cause}"))
            raise
        if not self.future.done():
            self.future.set_result(value)
        elif self.future.cancelled() and self.keep is not None:
            self.returning = self.keep(value)
        self._tell()

    def part(self, frame: Frame) -> None:
        """Take a part of an answer."""
        if self.parts is not None:
            self.parts.append((frame.size, calls.result(frame)))
            self._tell()

    def fail(self, failure: MQError) -> None:
        """End the request with a failure."""
        if not self.future.done():
            self.future.set_exception(failure)
        self._tell()

    def _tell(self) -> None:
        if self.changed is not None:
            self.changed.set()


class AioLink(asyncio.Protocol):
    """A connection's socket: `ready`, `ask`, write to `out`, `answer`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.out = Outgoing()
        self.pending: dict[int, Asked] = {}
        self.given_up: set[Asked] = set()  # abandoned gets without an answer so far
        self.failure: MQError | None = None
        self.ending = ""
        self.terms: Greeting
        self.silence_max = 0.0
        self.heard = loop.time()
        self._splitter = Splitter(protocol.HELLO_BYTES_MAX)
        self._frame = Frame()
        self._last_request = 0
        self._marked = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._transport: Any = None
        self._looker: asyncio.TimerHandle | None = None
        self.greeted: asyncio.Future[bytes] = loop.create_future()
        _links.add(self)

    # -- the transport's calls -------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(WRITE_BUFFER_BYTES)
        self._looker = self.loop.call_later(LOOK_SECONDS, self._look)

    @property
    def socket(self) -> Any:
        """The socket beneath, for its options."""
        return self._transport.get_extra_info("socket")

    def data_received(self, data: bytes) -> None:
        self.heard = self.loop.time()
        self._splitter.start(data, len(data))
        try:
            while self.failure is None and self._splitter.next(self._frame):
                self._take(self._frame)
        except ValueError as cause:
            self.fail(error(mq.MQRC_CONNECTION_BROKEN, f"a frame makes no sense: {cause}"))

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def connection_lost(self, cause: Exception | None) -> None:
        if self.ending:
            reason = mq.MQRC_Q_MGR_QUIESCING if self.ending == "quiesce" else mq.MQRC_Q_MGR_STOPPING
            self.fail(error(reason, f"the queue manager has ended the connection ({self.ending})"))
        else:
            self.fail(
                error(
                    mq.MQRC_CONNECTION_BROKEN, f"the connection broke: {cause or 'closed by the other end'}"
                )
            )

    def _take(self, frame: Frame) -> None:
        kind = frame.kind
        if kind == protocol.HEARTBEAT:
            if not frame.flags & protocol.NO_REPLY:
                self.out.frame(protocol.HEARTBEAT, protocol.NO_REPLY, 0, 0, 0, b"")
                self.mark()
            elif frame.request:
                self._extend(frame.request)
        elif kind == protocol.GOODBYE:
            self.ending = frame.payload().decode()
        elif frame.request == 0:
            self._take_greeting(frame)
        elif kind == protocol.PART:
            asked = self.pending.get(frame.request)
            if asked is not None:
                asked.part(frame)
        else:
            asked = self.pending.pop(frame.request, None)
            if asked is not None:
                self.given_up.discard(asked)
                asked.answer(frame)

    def _extend(self, request: int) -> None:
        """Wait longer for a call that the server reports as under way."""
        asked = self.pending.get(request)
        if asked is not None and asked.patience:
            asked.deadline = self.loop.time() + asked.patience

    def _take_greeting(self, frame: Frame) -> None:
        if frame.kind == protocol.FAILED:
            self.fail(failures.unpack(frame.payload()))
        elif frame.kind == protocol.WELCOME and not self.greeted.done():
            self._splitter.frame_max = protocol.FRAME_BYTES_MAX
            self.greeted.set_result(frame.payload())
        else:
            raise ValueError(f"frame kind {frame.kind} answers nothing")

    # -- requests --------------------------------------------------------------------------

    async def ready(self) -> None:
        """Wait until the other end has read enough; raise what ended the link."""
        if self.failure is None and not self._writable.is_set():
            await self._writable.wait()
        if self.failure is not None:
            raise self.failure_again()

    def ask(self, read: Callable[[Frame], Any]) -> Asked:
        """Begin a request; the caller writes its frame to `out` before another task runs."""
        self._last_request = (self._last_request + 1) & 0xFFFFFFFF or 1
        asked = Asked(self._last_request, self.loop.create_future(), read)
        self.pending[asked.request] = asked
        self.mark()
        return asked

    def ask_in_parts(self, read: Callable[[Frame], Any]) -> Asked:
        """Begin a request whose answer comes in parts."""
        asked = self.ask(read)
        asked.parts = deque()
        asked.changed = asyncio.Event()
        return asked

    async def parts_of(self, asked: Asked, conversation: int) -> AsyncIterator[Any]:
        """Yield the parts of an answer as they come, and ask for more as they are read; raise its failure."""
        assert asked.parts is not None
        assert asked.changed is not None
        unsaid = 0  # bytes that were read and not reported to the other end yet
        try:
            while True:
                while asked.parts:
                    size, rows = asked.parts.popleft()
                    yield rows
                    unsaid += size
                    if unsaid >= calls.MORE_BYTES and self.failure is None:
                        count = unsaid.to_bytes(8, "little")
                        self.out.frame(protocol.MORE, 0, conversation, asked.request, 0, count)
                        self.mark()
                        unsaid = 0
                if asked.future.done():
                    asked.future.result()
                    return
                await asked.changed.wait()
                asked.changed.clear()
        finally:
            asked.parts = None
            if asked.request in self.pending and self.failure is None:
                self.out.frame(protocol.CANCEL, 0, conversation, asked.request, 0, b"")
                self.mark()
                asked.future.cancel()  # its result is not read

    async def answer(self, asked: Asked, timeout: float) -> Any:
        """Return the answer; 2009 if it does not arrive in `timeout` seconds (negative: for ever)."""
        if timeout >= 0:
            asked.deadline, asked.patience = self.loop.time() + timeout, timeout
        return await asked.future

    async def answer_surely(self, asked: Asked, timeout: float) -> asyncio.CancelledError | None:
        """Wait for an answer even when the caller is cancelled; return the cancellation, to raise then."""
        cancelled: asyncio.CancelledError | None = None
        if timeout >= 0:
            asked.deadline = self.loop.time() + timeout
        while not asked.future.done():
            try:
                await asyncio.wait([asked.future])
            except asyncio.CancelledError as cause:
                cancelled = cause
                asked.deadline = min(asked.deadline or math.inf, self.loop.time() + FINISH_SECONDS)
        failure = asked.future.exception()
        if failure is not None and cancelled is not None:
            raise cancelled from failure
        if failure is not None:
            raise failure
        return cancelled

    async def settle(self, unit: int | None = None) -> bool:
        """Wait for the answers to gets that were given up, in one unit or in all; False when one is late."""
        deadline = self.loop.time() + CANCEL_SECONDS
        while waiting := [asked for asked in self.given_up if unit is None or asked.unit == unit]:
            assert waiting[0].changed is not None
            try:
                async with asyncio.timeout_at(deadline):
                    await waiting[0].changed.wait()
            except TimeoutError:
                return False
        return True

    async def answer_or_keep(
        self,
        asked: Asked,
        timeout: float,
        conversation: int,
        unit: int,
        keep: Callable[[Any], asyncio.Task[None] | None],
        prepare_end: Callable[[], Awaitable[None]],
    ) -> Any:
        """Return the answer to a get; when the caller is cancelled, end the get and keep what comes.

        A caller that is cancelled again does not wait for that: `settle` does, before a unit is committed.
        One that is not waits until what came is put back. `prepare_end` sees to it that it is put back even
        if the loop ends and no task can wait.
        """
        asked.keep, asked.unit = keep, unit
        try:
            return await self.answer(asked, timeout)
        except asyncio.CancelledError:
            await prepare_end()
            if asked.request in self.pending and self.failure is None:
                self.out.frame(protocol.CANCEL, protocol.NO_REPLY, conversation, asked.request, 0, b"")
                self.mark()
                asked.changed = asyncio.Event()
                self.given_up.add(asked)
                with suppress(TimeoutError):
                    async with asyncio.timeout(CANCEL_SECONDS):
                        await asked.changed.wait()
            elif asked.has_result():
                asked.returning = keep(asked.future.result())
            if asked.returning is not None:
                await asyncio.wait([asked.returning], timeout=CANCEL_SECONDS)
            raise

    def mark(self) -> None:
        """Have what is in `out` written when this pass of the loop is over."""
        if not self._marked:
            self._marked = True
            self.loop.call_soon(self._write)

    def _write(self) -> None:
        self._marked = False
        pieces = self.out.take()
        if pieces and not self._transport.is_closing():
            if len(pieces) == 1:
                self._transport.write(pieces[0])
            else:
                self._transport.writelines(pieces)

    # -- time and the end ------------------------------------------------------------------

    def _look(self) -> None:
        if self.failure is not None:
            return
        now = self.loop.time()
        late = any(asked.deadline and now > asked.deadline for asked in self.pending.values())
        if late:
            self.fail(error(mq.MQRC_CONNECTION_BROKEN, "the queue manager did not answer in time"))
        elif self.silence_max and now - self.heard > self.silence_max:
            self.fail(
                error(mq.MQRC_CONNECTION_BROKEN, f"nothing was received for {self.silence_max:.0f} seconds")
            )
        else:
            self._looker = self.loop.call_later(LOOK_SECONDS, self._look)

    def failure_again(self) -> MQError:
        """Return what ended the link, to be raised once more."""
        failure = self.failure
        assert failure is not None
        return type(failure)(failure.reason, failure.detail, failure.fields, failure.comp)

    def fail(self, failure: MQError) -> None:
        """End the link; all waiting calls fail."""
        if self.failure is not None:
            return
        self.failure = failure
        self._writable.set()
        if self._looker is not None:
            self._looker.cancel()
        if self._transport is not None:
            self._transport.abort()
        self._fail_waiting()
        if not self.greeted.done():
            self.greeted.set_exception(self.failure_again())
            self.greeted.exception()  # nobody waits for a greeting yet if the caller refused the server

    async def close(self) -> None:
        """Write the rest and close the connection."""
        if self.failure is None:
            self._write()
            self._transport.close()
            self.fail_quietly()
            await asyncio.sleep(0)

    def fail_quietly(self) -> None:
        """Take no more requests; what is written already goes out, and who waits for an answer gets none."""
        self.failure = error(mq.MQRC_CONNECTION_BROKEN, "the connection is closed")
        if self._looker is not None:
            self._looker.cancel()
        for asked in self._fail_waiting():
            if not asked.future.cancelled():
                asked.future.exception()  # perhaps no task waits for it

    def _fail_waiting(self) -> list[Asked]:
        """Fail all waiting calls; return them."""
        waiting, self.pending = list(self.pending.values()), {}
        self.given_up.clear()
        for asked in waiting:
            asked.fail(self.failure_again())
        return waiting

    def disown(self) -> None:
        """Drop the link in the child of a fork: the socket is the parent's, nothing is sent on it."""
        self.failure = error(mq.MQRC_CONNECTION_BROKEN, "a connection does not survive a fork: connect again")


def _disown_all() -> None:
    for link in list(_links):
        link.disown()


os.register_at_fork(after_in_child=_disown_all)
