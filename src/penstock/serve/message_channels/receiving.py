"""A receiving channel (RCVR, RQSTR) while it has a link, or waits to be called back.

The end is room `channel`'s `Receiver`. A requester dials; all others are accepted. When the link ends the
channel is inactive: the sending end comes back. Everything runs in the server's loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.channel import receiver as ends
from penstock.channel.receiver import Receiver
from penstock.face._clock import now as clock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.protocol.heartbeat import silence_max
from penstock.serve.message_channels.definitions import receiving_of
from penstock.serve.message_channels.link import PAUSE, UNREAD_BYTES_MAX, ChannelLink
from penstock.serve.message_channels.run import (
    BINDING,
    INACTIVE,
    PAUSED,
    REQUESTING,
    RUNNING,
    STARTING,
    STOPPING,
    Run,
)
from penstock.serve.message_channels.timers import NEVER

if TYPE_CHECKING:
    import asyncio

    from penstock.channel.line import Frame
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.peer import Peer
    from penstock.serve.message_channels.initiator import MessageChannels

CALL_BACK_SECONDS = 60.0  # that a requester waits for the sender's call
FRAME_ROOM = 1 << 20  # bytes of a frame besides a message


class ReceivingChannel(Run):
    """One receiving channel."""

    end: Receiver | None

    def __init__(self, channels: MessageChannels, definition: Definition) -> None:
        super().__init__(channels, definition)
        self.task: asyncio.Task[None] | None = None
        self.give_up_at = NEVER

    # -- start -----------------------------------------------------------------------------

    def accept(self, link: ChannelLink, definition: Definition, user: str, hello: Frame) -> None:
        """Receive messages from the partner that has dialled; its greeting is answered."""
        self._begin(link, definition, user)
        link.step(lambda now: self.end.on_frame(hello, now) if self.end is not None else None)

    def start(self) -> None:
        """Dial, as a requester."""
        definition = self.definition
        if definition is None or self.task is not None or self.link is not None:
            return
        self.state = STARTING
        self.task = self.server.loop.create_task(self._call(definition))

    async def _call(self, definition: Definition) -> None:
        try:
            link = await self.channels.reached(definition, self._link)
        except MQError as failure:
            self.task = None
            self._ended(failure)
            return
        self.task = None
        self._begin(link, definition, str(definition.attributes["MCAUSER"]))
        self.state = REQUESTING
        link.step(lambda now: self.end.request() if self.end is not None else None)

    def _link(self, peer: Peer) -> ChannelLink:
        return ChannelLink(self.server, peer, self, self.server.connections.dialled(peer.origin))

    def _begin(self, link: ChannelLink, definition: Definition, user: str) -> None:
        self.state = BINDING
        self.user = user
        self.link = link
        link.owner = self
        link.channel = self.name
        caller = link.peer.tls.peer if link.peer.tls is not None else user
        receiving = receiving_of(self.server, definition, user, caller)
        self.end = link.end_of_channel = Receiver(
            self.server.engine, receiving, link, self.channels.running, self.counts
        )
        self.channels.timers.set(self, self.server.clock() + silence_max(0))

    # -- while it runs ---------------------------------------------------------------------

    def stepped(self) -> None:
        """Look at the end after a step."""
        end, link = self.end, self.link
        if end is None or link is None:
            return
        if end.state == ends.RUNNING and self.state in (BINDING, REQUESTING):
            self.state = RUNNING
            link.splitter.frame_max = min(end.terms.message_max + FRAME_ROOM, protocol.FRAME_BYTES_MAX)
            self.channels.started(self)
        if end.pause is None and self._state == RUNNING:
            return  # as after most steps
        if self.state not in (RUNNING, PAUSED):
            return
        self.state = PAUSED if end.pause is not None else RUNNING
        if end.pause is not None:
            self.channels.timers.set(self, self.server.clock() + max(0.0, end.pause.due - clock()) + 0.001)
            if sum(len(frame.payload) for frame in end.unread) > UNREAD_BYTES_MAX:
                link.stop_reading(PAUSE)

    def look(self, now: float) -> float:
        """Do what time brings about; return when to look again."""
        end, link = self.end, self.link
        if self.state == REQUESTING and link is None:
            if now < self.give_up_at:
                return self.give_up_at
            self._ended(error(mq.MQRC_CHANNEL_NOT_AVAILABLE, "the sending end has not called back"))
            return NEVER
        if end is None or link is None or link.closed:
            return NEVER
        if end.pause is not None:
            link.step(end.try_again)
            if end.pause is not None:
                return now + max(0.01, end.pause.due - clock())
        link.read_again(PAUSE)
        beat = end.terms.heartbeat
        patience = silence_max(beat) if beat else NEVER
        if end.state == ends.GREETING:
            patience = silence_max(0) * 3
        if now - link.heard > patience and not link.unread:
            link.break_off(
                error(mq.MQRC_CONNECTION_BROKEN, f"nothing was received for {now - link.heard:.0f} seconds")
            )
            return NEVER
        return max(link.heard + patience, now + 1.0)

    # -- the end ---------------------------------------------------------------------------

    def stop(self, mode: str, status: str) -> None:
        """STOP CHANNEL: the sending end is informed; it sends again what was not confirmed."""
        self.stop_wish = status
        if self.task is not None:
            self.task.cancel()
            self.task = None
        if self.link is None or self.end is None:
            self._ended(None)
            return
        self.state = STOPPING
        if mode == "TERMINATE":
            self.link.abort()
        else:
            self.link.step(self.end.stop)

    def link_gone(self, link: ChannelLink) -> None:
        """Handle the close of the link."""
        if link is not self.link:
            return
        end, self.link = self.end, None
        if end is not None and end.called_back and not self.stop_wish:
            self.end = None
            self.state = REQUESTING
            self.give_up_at = self.server.clock() + CALL_BACK_SECONDS
            self.channels.timers.set(self, self.give_up_at)
            return
        self._ended(link.failure)

    def called(self) -> None:
        """Handle the callback of the sending end: its link is another run of the channel."""
        self._ended(None)

    def _ended(self, failure: MQError | None) -> None:
        self.failure = failure
        self.state = INACTIVE
        if failure is not None and not self.stop_wish:
            self.log("AMQ9999E", f"Channel {self.name} has ended: {failure}.")
        self.channels.ended(self, failure)
        self.end = None
