# cython: nonecheck=True
"""The server's end of one socket: frames in, answers out, conversations in between.

An asyncio protocol with a read buffer shared by all links. Until the greeting is done only a HELLO is taken,
and a small one. A frame that makes no sense ends this link and no other. A client that does not read its
answers is not read from either: what it can make us keep is bounded. Compiled through `link.pxd`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.face._clock import monotonic
from penstock.model.errors import MQError
from penstock.protocol import failures
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Frame, Splitter
from penstock.protocol.heartbeat import Due, Pulse, silence_max
from penstock.serve.conversations.replies import Reply
from penstock.serve.entry import greeting, tls
from penstock.serve.entry.refusals import are_revealed_to
from penstock.serve.send_buffer import SendBuffer

if TYPE_CHECKING:
    import asyncio

    from penstock.serve.connections import Connection
    from penstock.serve.conversations.conversation import Conversation
    from penstock.serve.entry.greeting import Peer
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

UNFLUSHED_BYTES_MAX = 64 << 10  # answers that wait for more to go with them
WRITE_BUFFER_BYTES = 1 << 20
GREETING_SECONDS_MAX = 30.0
QUIESCE_IDLE_SECONDS = 1.0  # seconds after which an idle client without a unit is disconnected in a quiesce
UNREAD_SECONDS = 5.0  # further seconds for such a client to read its data
_END = protocol.END
HOUSEKEEPING, READING, OTHERS = 1, 2, 4  # to make room, to read a large frame, other links' turn
NO_PULSE = Pulse(0, False)  # until the greeting has agreed on one


class Link(SendBuffer):
    """One client socket (a channel instance)."""

    def __init__(self, server: Server, peer: Peer, connection: Connection) -> None:
        super().__init__(server.dirty)
        self.server = server
        self.peer = peer
        self.connection = connection
        self.reveals = are_revealed_to(peer, server.host.settings.channels.reveal_reasons)
        self.hello_at = 0.0
        self.pulse = NO_PULSE
        self.transport: Any = None
        self.conversations: dict[int, Conversation] = {}
        self.splitter = Splitter(protocol.HELLO_BYTES_MAX)
        self.frame = Frame()
        self.direct = False  # the read goes straight into a large frame
        self.paused = False  # the client does not read
        self.deaf = False  # nothing is taken until the greeting is done
        self.held = 0  # why nothing is taken for now: HOUSEKEEPING, READING, OTHERS
        self.rest = b""
        self.closed = False
        self.welcome = False
        self.hung_up = 0.0  # when, for a client that was asked to disconnect
        self.refused = 0.0  # when new work was first refused to a client that should go
        self.late = bool(server.stopping)  # came when the queue manager was stopping already
        self.bytes_in = 0
        self.bytes_out = 0
        self.started = monotonic()
        self.heard = self.started
        self.spoken = self.started
        self.identity: greeting.Identity | None = None
        self.channel = ""
        self.greeting: asyncio.Task[None] | None = None

    # -- the transport's calls -------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.set_write_buffer_limits(WRITE_BUFFER_BYTES)
        if self.peer.tls is not None:
            tls.describe(self.peer, transport)
        self.server.links.add(self)

    def get_buffer(self, hint: int) -> Any:
        room = self.splitter.room()
        if room is not None:
            self.direct = True
            return room
        return self.server.buffer.view

    def buffer_updated(self, count: int) -> None:
        self.bytes_in += count
        self.heard = monotonic()
        if self.direct:
            self.direct = False
            self.splitter.grew(count)
        elif self.rest or self.deaf or self.held:
            self.rest += self.server.buffer.taken(count)
            if len(self.rest) > protocol.HELLO_BYTES_MAX and not self.welcome:
                self.abort("a client talks before it is greeted")
            return
        else:
            self.splitter.start_in(self.server.buffer, count)
        self.server.flush_soon()
        self._take_frames()

    def _take_frames(self) -> None:
        frame = self.frame
        until = monotonic() + self.server.turn_seconds
        try:
            while not self.closed and self.splitter.next(frame):
                filled = self._filled()
                self._dispatch(frame)
                self._hold_if_fuller(filled)
                if self.out.size + self.out.piece_bytes > UNFLUSHED_BYTES_MAX:
                    self.write()
                if not self.held and self.splitter.has_more() and monotonic() >= until:
                    self._yield()
                if self.paused or self.deaf or self.held:
                    self.rest += self.splitter.rest()
                    self.splitter.skip()
                    break
        except (ValueError, KeyError, UnicodeDecodeError) as failure:
            self.abort(f"a frame makes no sense: {failure}")
        except Exception as failure:  # an edge: an error of one client must not affect others
            logger.exception("frame_failed peer=%s", self.peer)
            self.abort(f"a frame could not be handled: {failure}")

    def _yield(self) -> None:
        """Leave the other frames of a read to the loop's next turn: other clients come first."""
        self.server.turns_ended += 1
        self._stop_taking(OTHERS)
        self.server.loop.call_soon(self._take_again, OTHERS)

    def _go_on(self) -> None:
        """Take the frames that had to wait."""
        if self.held:
            return
        rest, self.rest = self.rest, b""
        if rest and not self.closed:
            self.splitter.start(rest, len(rest))
            self._take_frames()
        self.server.flush()

    def _dispatch(self, frame: Frame) -> None:
        number = frame.conversation
        kind = frame.kind
        if number:
            conversation = self.conversations.get(number)
            if conversation is None:
                raise ValueError(f"conversation {number} is not open")
            if kind == _END:
                self._end(conversation, frame.request, frame.flags)
                return
            conversation.handle(frame)
        elif not self.welcome:
            if kind != protocol.HELLO or self.greeting is not None:
                raise ValueError("a client must say hello first")
            self.deaf = True
            self.hello_at = monotonic()
            self.server.connections.said_hello(self.connection)
            self.greeting = self.server.loop.create_task(greeting.greet(self, frame.payload()))
        elif kind == protocol.CONVERSE:
            if frame.size > protocol.HELLO_BYTES_MAX:
                raise ValueError(f"a greeting of {frame.size} bytes")
            greeting.converse(self, frame.request, frame.payload())
        elif kind == protocol.HEARTBEAT:
            if not frame.flags & protocol.NO_REPLY:
                self.out.frame(protocol.HEARTBEAT, protocol.NO_REPLY, 0, frame.request, 0, b"")
                self.mark()
        else:
            raise ValueError(f"frame kind {kind} needs a conversation")

    def _end(self, conversation: Conversation, request: int, flags: int) -> None:
        """End a conversation; what it was owed goes out first, and that it has ended when the disk knows."""
        conversation.gets.answer_woken()
        del self.conversations[conversation.number]
        try:
            position = conversation.end(bool(flags & protocol.COMMITS))
        except MQError as failure:
            conversation.replies.fail(request, failure)
            return
        replies = conversation.replies
        answer = Reply(replies, protocol.DONE, 0, request, b"")
        if replies.caller.rounds is None:
            self.server.when_durable(position, answer)
        else:
            self.server.when_rounds(replies.take_rounds(), position, answer)

    def pause_writing(self) -> None:
        self.paused = True
        for conversation in self.conversations.values():
            conversation.gets.park()
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        self.paused = False
        for conversation in list(self.conversations.values()):
            conversation.gets.unpark()
        if not self.held and not self.transport.is_closing():
            self.transport.resume_reading()
        self._go_on()

    def _filled(self) -> int:
        """Return how full log and memory are before a frame is handled; 0 while housekeeping keeps up."""
        return self.server.filled() if self.server.behind else 0

    def _hold_if_fuller(self, filled: int) -> None:
        """Take nothing more if a frame has filled what housekeeping is behind with."""
        if filled > 0 and self.server.behind and self.server.filled() > filled:
            self.hold()

    def hold(self) -> None:
        """Take nothing more while log or memory are too full: housekeeping is at work on it."""
        if not self.held & HOUSEKEEPING and not self.transport.is_closing():
            self.server.held.append(self)
            self._stop_taking(HOUSEKEEPING)

    def let_go(self) -> None:
        """Continue where `hold` stopped."""
        self._take_again(HOUSEKEEPING)

    def begin_reading(self) -> None:
        """Take nothing more while a large frame is made sense of: what follows it comes after it."""
        self._stop_taking(READING)

    def end_reading(self, conversation: Conversation, frame: Frame, reading: Any) -> None:
        """Handle a large frame that was read, and continue."""
        self.server.flush_soon()
        self.held &= ~READING  # unless the frame has to wait again
        try:
            if conversation.replies.ended:
                raise ValueError(f"conversation {conversation.number} is not open")
            filled = self._filled()
            conversation.handle_read(frame, reading.value)
            self._hold_if_fuller(filled)
        except (ValueError, KeyError, UnicodeDecodeError) as failure:
            self.abort(f"a frame makes no sense: {failure}")
        except Exception as failure:  # an edge, as in `_take_frames`
            logger.exception("frame_failed peer=%s", self.peer)
            self.abort(f"a frame could not be handled: {failure}")
        if not self.held & READING:
            self._take_again(READING)

    def _stop_taking(self, why: int) -> None:
        if not self.held and not self.transport.is_closing():
            self.transport.pause_reading()
        self.held |= why

    def _take_again(self, why: int) -> None:
        self.held &= ~why
        if not self.held and not self.closed and not self.paused and not self.transport.is_closing():
            self.transport.resume_reading()
            self._go_on()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, cause: Exception | None) -> None:
        self.closed = True
        if self.greeting is not None:
            self.greeting.cancel()
        self._end_conversations()
        self.server.gone(self)
        self.server.flush()

    def hang_up(self) -> None:
        """End a link at once that its client has given up already."""
        self.closed = True
        self._end_conversations()
        self.server.channels.left(self)
        self.transport.abort()

    def _end_conversations(self) -> None:
        for conversation in list(self.conversations.values()):
            try:
                conversation.end(False)
            except Exception:  # an edge: the others must end too
                logger.exception("end_failed peer=%s", self.peer)
        self.conversations.clear()

    # -- greeting --------------------------------------------------------------------------

    def welcomed(self, identity: Any, frame_max: int) -> None:
        """Take frames from now on: the client is who it is."""
        self.identity = identity
        self.welcome = True
        self.server.connections.was_greeted(self.connection)
        self.greeting = None
        self.splitter.frame_max = frame_max
        self.deaf = False
        self.server.loop.call_soon(self._go_on)

    def refuse(self, failure: MQError) -> None:
        """Send the refusal to the client, and close the connection."""
        if self.closed or self.transport is None:
            return
        self.out.frame(protocol.FAILED, 0, 0, 0, 0, failures.pack(failure))
        self.write()
        self.transport.close()

    def abort(self, why: str) -> None:
        """End a link that cannot continue."""
        if self.closed:
            return
        self.closed = True
        self.server.error_log.write(
            "AMQ9207E", f"The connection from {self.peer} was ended: {why}.", action="Check the client."
        )
        self.transport.abort()

    # -- writing, time, the end ------------------------------------------------------------

    def not_written(self, failure: Exception) -> None:
        self.abort(f"answers could not be written: {failure}")

    def write(self) -> None:
        if self.closed:
            self.out.take()
            return
        whole = self.out.whole()
        if whole is not None:
            self.bytes_out += len(whole)
            self.spoken = monotonic()
            self.transport.write(whole)
            return
        pieces = self.out.take()
        if not pieces:
            return
        for piece in pieces:
            self.bytes_out += len(piece)
        self.spoken = monotonic()
        self.transport.writelines(pieces)

    def look(self, now: float) -> None:
        """Send a heartbeat on an idle link, and end a link whose peer is lost."""
        if not self.welcome:
            if now - self.started > (QUIESCE_IDLE_SECONDS if self.server.stopping else GREETING_SECONDS_MAX):
                self.transport.abort()
            return
        if self.held:
            self.heard = now  # its data is not read, so it does not count as silent
            return
        identity = self.identity
        assert identity is not None
        if (
            self.ending == "quiesce"
            and now - self._quiet_since() >= QUIESCE_IDLE_SECONDS
            and not self.has_units()
        ):
            self.close_when_written(now)
        elif identity.idle_seconds and now - self.heard > identity.idle_seconds and not self.messages_wait():
            self.stop("immediate")
        elif not self.paused:  # the kernel detects a client that does not read
            self._feel(self.pulse.look(now, self.heard, self.spoken))

    def _feel(self, due: Due) -> None:
        if due is Due.BEAT:
            self.out.frame(protocol.HEARTBEAT, 0, 0, 0, 0, b"")
            self.mark()
        elif due is Due.GIVE_UP:
            seconds = silence_max(self.pulse.interval)
            self.abort(f"nothing was received for {seconds:.0f} seconds, not even an answer to heartbeats")

    def refused_work(self) -> None:
        """Note that a client that should go has begun something new: it may do so for ever."""
        self.refused = self.refused or monotonic()

    def close_when_written(self, now: float) -> None:
        """Close when all is written; a client that does not read it is not waited for."""
        if not self.transport.is_closing():
            self.hung_up = now
            self.transport.close()
        elif now - self.hung_up >= UNREAD_SECONDS:
            self.transport.abort()

    def _quiet_since(self) -> float:
        """Return since when a client that should go has done nothing that it may."""
        return self.refused or self.heard

    def messages_wait(self) -> bool:
        """Return whether a get of this link waits for a message."""
        return any(conversation.gets.waits for conversation in self.conversations.values())

    def has_units(self) -> bool:
        """Return whether a unit of work is open on this link, or a long call under way."""
        return any(each.units.units or each.working for each in self.conversations.values())

    def ends_because(self) -> str:
        """Return why the client has to disconnect."""
        if self.ending == "move":
            return "another queue manager of the cluster has fewer clients of this application"
        if self.server.stopping or not self.channel:
            return "the queue manager is quiescing"
        return f"channel {self.channel} is stopped"

    def stop(self, mode: str) -> None:
        """Send GOODBYE; unless it is a quiesce, close the connection when it is written."""
        self.ending = mode
        if self.closed or self.transport is None:
            return
        if self.welcome:
            self.out.frame(protocol.GOODBYE, 0, 0, 0, 0, mode.encode())
            self.write()
        if mode == "quiesce":
            for conversation in self.conversations.values():
                conversation.gets.quiesce()
        elif mode == "preemptive":
            self.transport.abort()
        elif mode == "immediate":
            self.transport.close()
