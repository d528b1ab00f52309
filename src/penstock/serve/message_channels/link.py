# cython: nonecheck=True
"""The socket of one message channel: frames in and out; the line that an end of room `channel` sends by.

Dialled or accepted, both are the same from here on. Every call of an end is a step of the engine; all frames
that one read brings are one step. What ends send is written once per turn of the loop, after the engine was
let go. An end may also send from another thread that has the engine: then the loop is called. A socket that
takes nothing makes the sending end stop getting messages; a receiving end whose log or disk is behind is not
read from. Compiled through `link.pxd`.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Protocol

from penstock.channel.line import Frame as ChannelFrame
from penstock.face._clock import monotonic
from penstock.face._clock import now as clock
from penstock.host.monitoring.trace import CHANNEL
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Frame, Splitter
from penstock.serve.send_buffer import SendBuffer

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message
    from penstock.serve.connections import Connection
    from penstock.serve.entry.peer import Peer
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

KIND_NAMES = {
    getattr(protocol, name): name
    for name in (
        *("HELLO", "WELCOME", "HEARTBEAT", "DONE", "END", "GOODBYE", "FAILED", "MOVE", "CONFIRM"),
        *("CONFIRMED", "TROUBLE", "TOOK", "PROBE", "PROBED"),
    )
}
TURN_BYTES = 256 << 10  # that a sending end makes before others have their turn
WRITE_BUFFER_BYTES = 1 << 20
UNREAD_BYTES_MAX = 1 << 20  # frames that a pausing end lets come
HOUSEKEEPING, PAUSE = 1, 2  # log or memory are behind; enough has come while the end tries a message again
LAST_WORDS_SECONDS = 2.0  # that the other end has to read why a link ends


class End(Protocol):
    """An end of a channel, as its link calls it."""

    def on_frame(self, frame: ChannelFrame, now: float) -> None:
        """Take a frame."""

    def pump(self, now: float) -> None:
        """Send as much as possible."""

    def lost(self, now: float) -> None:
        """The link has ended."""


class Owner(Protocol):
    """The owner of a link: a run of a channel."""

    def stepped(self) -> None:
        """Look at the end: a step was made."""

    def link_gone(self, link: ChannelLink) -> None:
        """Handle the close of the link."""


class ChannelLink(SendBuffer):
    """One socket of a message channel."""

    def __init__(self, server: Server, peer: Peer, owner: Owner, connection: Connection | None) -> None:
        super().__init__(server.dirty)
        self.server = server
        self._gate = server.gate
        self._steps = server.engine.step
        self.peer = peer
        self.owner = owner
        self.connection = connection
        self.trace = server.host.trace
        self.channel = ""  # its name, when it is known
        self.end_of_channel: End | None = None
        self.transport: Any = None
        self.splitter = Splitter(protocol.HELLO_BYTES_MAX)
        self.frame = Frame()
        self.direct = False
        self.paused = False  # the other end does not read
        self.starved = False  # the sending end waits until the socket takes more
        self.loading: list[Any] = []  # what was read for the end last: it stays in memory until the next read
        self.unread = 0  # why nothing is read for now: HOUSEKEEPING, PAUSE
        self.looked = True  # the owner has seen the end since it sent something
        self.pumping = False
        self.closed = False
        self.ended = False  # the end has nothing more to send
        self.failure: MQError | None = None
        self.outbox: list[ChannelFrame] = []
        self.outbox_bytes = 0
        self.bytes_in = self.bytes_out = 0
        self.buffers_in = self.buffers_out = 0
        self.started = self.heard = self.spoken = monotonic()
        self._thread = threading.get_ident()

    # -- the line of an end ----------------------------------------------------------------

    def send(self, frame: ChannelFrame) -> None:
        """Send a frame behind all earlier ones; called with the engine held, in any thread."""
        self.patient = frame.kind == protocol.CONFIRMED and (self.patient or not self.outbox)
        self.outbox.append(frame)
        self.outbox_bytes += len(frame.payload)
        self.looked = False
        if threading.get_ident() == self._thread:
            self.mark()
        else:
            self._soon(self._wrote_elsewhere)

    def _wrote_elsewhere(self) -> None:
        self.mark()
        self.server.flush()

    def full(self) -> bool:
        """Return whether the sending end has to wait."""
        if self.paused or self.outbox_bytes > TURN_BYTES:
            self.starved = True
            return True
        return False

    def load(self, messages: list[Message]) -> None:
        """Read bodies in a thread, then continue the end."""
        self.loading = messages

        def read() -> None:
            try:
                self.server.host.load(messages)
            except MQError as failure:
                self.server.loop.call_soon_threadsafe(self.break_off, failure)
            except Exception as fault:  # a thread's edge: otherwise the channel would wait for ever
                logger.exception("channel_load_failed peer=%s", self.peer)
                told = error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}")
                self.server.loop.call_soon_threadsafe(self.break_off, told)
            else:
                self.server.loop.call_soon_threadsafe(self.pump_soon)

        self.server.readers.submit(read)

    def end(self, failure: MQError | None) -> None:
        """Close when everything is written."""
        if not self.ended:
            self.ended = True
            self.failure = failure
            self._soon(self._hang_up)

    def _soon(self, action: Callable[[], None]) -> None:
        if threading.get_ident() == self._thread:
            self.server.loop.call_soon(action)
        else:
            self.server.loop.call_soon_threadsafe(action)

    def _hang_up(self) -> None:
        if self.closed or self.transport is None:
            return
        last_words = bool(self.outbox)
        self.write()
        self.server.loop.call_later(
            LAST_WORDS_SECONDS, self.transport.abort
        )  # also if the other end does not read
        if last_words and self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()

    # -- steps of the engine ---------------------------------------------------------------

    def step(self, action: Callable[..., object]) -> None:
        """Call an end with the engine held and the time; whatever it asks of the disk is asked for."""
        self.server.flush_soon()  # first, so that woken waiters need not call the loop
        self._step(action, None)

    def _step(self, action: Callable[..., object] | None, frames: list[ChannelFrame] | None) -> None:
        """Call something with the engine held and the time, or have the end take frames."""
        step = self._steps
        try:
            with self._gate:
                step.begin()
                try:
                    if action is not None:
                        action(clock())
                    elif frames is not None:
                        self._take(frames, clock())
                finally:
                    position = step.end()
        except MQError as failure:  # the queue manager has ended
            self.failure = self.failure or failure
            self.abort()
            return
        except Exception as failure:  # an edge: an error of one channel must not affect others
            logger.exception("channel_step_failed peer=%s", self.peer)
            self.failure = error(mq.MQRC_UNEXPECTED_ERROR, f"{type(failure).__name__}: {failure}")
            self.abort()
            return
        if position:
            self.server.reach(position)
        self._look()

    def _look(self) -> None:
        """Have the owner look at its end; what it fails with ends this link and no other."""
        self.looked = True
        try:
            self.owner.stepped()
        except MQError as failure:  # the queue manager has ended
            self.break_off(failure)
        except Exception as fault:  # an edge, as in `_step`
            logger.exception("channel_look_failed peer=%s", self.peer)
            self.break_off(error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}"))

    def pump_soon(self) -> None:
        """Have the end send with the server's next flush; called with the engine held, in any thread."""
        if not self.pumping and not self.closed:
            self.pumping = True
            if threading.get_ident() == self._thread:
                self._ring()
            else:
                self.server.loop.call_soon_threadsafe(self._ring)

    def pump_first(self) -> None:
        """Have the end send before the server requests a sync, so that one sync serves both.

        Called with the engine held, in any thread; in another thread than the loop's it comes when it comes.
        """
        if threading.get_ident() != self._thread:
            self.pump_soon()
        elif not self.pumping and not self.closed:
            self.pumping = True
            self.server.rung_early.append(self)

    def _ring(self) -> None:
        self.server.rung.append(self)
        self.server.flush_soon()

    def pump(self) -> None:
        """Send what the end can send; the server flushes afterwards."""
        self.pumping = False
        if self.end_of_channel is not None and not self.closed:
            self._step(self.end_of_channel.pump, None)

    # -- the transport's calls -------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        """Begin on a socket."""
        self.transport = transport
        transport.set_write_buffer_limits(WRITE_BUFFER_BYTES)

    def get_buffer(self, hint: int) -> Any:
        """Return where to read to."""
        room = self.splitter.room()
        if room is not None:
            self.direct = True
            return room
        return self.server.buffer.view

    def buffer_updated(self, count: int) -> None:
        """Handle received data: all its frames in one step."""
        self.bytes_in += count
        self.buffers_in += 1
        self.heard = monotonic()
        if self.direct:
            self.direct = False
            self.splitter.grew(count)
        else:
            self.splitter.start_in(self.server.buffer, count)
        self._take_frames()

    def receive(self, data: bytes) -> None:
        """Handle what was read before this link had the socket."""
        if data and not self.closed:
            self.splitter.start(data, len(data))
            self._take_frames()

    def _take_frames(self) -> None:
        try:
            frames = self._frames()
        except ValueError as failure:
            self.break_off(error(mq.PSRC_CHANNEL_FRAME, str(failure)))
            return
        if frames and not self.ended:
            filled = self.server.filled() if self.server.behind else 0
            self.server.flush_soon()  # first, as in `step`
            self._step(None, frames)
            if filled > 0 and self.server.behind and self.server.filled() > filled:
                self.hold()

    def _frames(self) -> list[ChannelFrame]:
        found = []
        frame = self.frame
        while self.splitter.next(frame):
            found.append(ChannelFrame(frame.kind, frame.payload(), frame.flags, frame.request, frame.unit))
        return found

    def _take(self, frames: list[ChannelFrame], now: float) -> None:
        end = self.end_of_channel
        assert end is not None
        if self.trace.watches:
            self._trace("in", frames)
        for frame in frames:
            end.on_frame(frame, now)

    def _trace(self, way: str, frames: list[ChannelFrame]) -> None:
        """Record frames for `penstock channel trace`."""
        trace, name = self.trace, self.channel
        if trace.is_watched(CHANNEL, name):
            for frame in frames:
                event = KIND_NAMES.get(frame.kind, str(frame.kind))
                facts = {"number_in_channel": frame.request, "batch": frame.unit, "flags": frame.flags}
                trace.note(CHANNEL, name, event, way=way, bytes=len(frame.payload), **facts)

    def hold(self) -> None:
        """Read nothing more until housekeeping has made room."""
        if not self.unread & HOUSEKEEPING and not self.transport.is_closing():
            self.server.held.append(self)
            self.stop_reading(HOUSEKEEPING)

    def let_go(self) -> None:
        """Housekeeping has made room."""
        self.read_again(HOUSEKEEPING)

    def stop_reading(self, why: int) -> None:
        """Read nothing more for a reason, until `read_again`."""
        if not self.unread and not self.transport.is_closing():
            self.transport.pause_reading()
        self.unread |= why

    def read_again(self, why: int) -> None:
        """Read again, unless there is another reason not to. The pause does not count as silence."""
        if not self.unread & why:
            return
        self.unread &= ~why
        self.heard = monotonic()
        if not self.unread and not self.closed and not self.transport.is_closing():
            self.transport.resume_reading()

    def pause_writing(self) -> None:
        """Handle a full send buffer of the socket."""
        self.paused = True

    def resume_writing(self) -> None:
        """Handle a send buffer with room again."""
        self.paused = False
        if self.starved:
            self.starved = False
            self.pump_soon()

    def eof_received(self) -> bool:
        """Close when the other end has sent everything."""
        return False

    def connection_lost(self, cause: Exception | None) -> None:
        """Handle the close of the socket."""
        if self.closed:
            return
        self.closed = True
        self.outbox.clear()
        if self.failure is None and not self.ended:
            self.failure = error(
                mq.MQRC_CONNECTION_BROKEN, str(cause) if cause is not None else self._closed()
            )
        if self.end_of_channel is not None:
            self.step(self.end_of_channel.lost)
        if self.connection is not None:
            self.server.connections.leave(self.connection)
        self.owner.link_gone(self)
        self.server.flush_soon()

    def _closed(self) -> str:
        """Return what is known about the close of the socket by the other end."""
        if self.peer.tls is not None and not self.buffers_in:
            return "the other end closed the connection after the TLS handshake; its error log has the cause"
        return "the other end closed the connection"

    # -- writing and the end ---------------------------------------------------------------

    def not_written(self, failure: Exception) -> None:
        self.abort()

    def write(self) -> None:
        """Hand everything to the socket, in one write."""
        outbox = self.outbox  # never another list: an end may send from another thread meanwhile
        frames = outbox[: len(outbox)]
        del outbox[: len(frames)]
        self.outbox_bytes = 0
        if self.closed or self.transport is None:
            return
        if self.trace.watches:
            self._trace("out", frames)
        out = self.out
        for frame in frames:
            out.frame(frame.kind, frame.flags, 0, frame.request, frame.unit, frame.payload)
        pieces = out.take()
        if pieces:
            for piece in pieces:
                self.bytes_out += len(piece)
            self.buffers_out += 1
            self.spoken = monotonic()
            self.transport.writelines(pieces)
            if not self.looked:  # an end may also send because something is on disk
                self._look()
        if self.starved and not self.paused:
            self.starved = False
            self.pump_soon()

    def break_off(self, failure: MQError) -> None:
        """End a link that cannot continue, for a reason found here."""
        self.failure = self.failure or failure
        self.abort()

    def abort(self) -> None:
        """Close at once."""
        self.ended = True
        if self.transport is not None and not self.closed:
            self.transport.abort()
