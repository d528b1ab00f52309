"""PING CHANNEL with sockets: dials like the channel, and answers pings to a channel here."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.channel.probe import Pinged, Pinging
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.serve.message_channels.definitions import offer_of
from penstock.serve.message_channels.link import ChannelLink

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterator

    from penstock.admin.replies import Pause, Reply
    from penstock.channel.line import Frame
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.peer import Peer
    from penstock.serve.message_channels.initiator import MessageChannels

PING_SECONDS_MAX = 60.0


class Answering:
    """The owner of a link whose other end pings."""

    def begin(self, link: ChannelLink, definition: Definition, hello: Frame) -> None:
        """Answer the greeting."""
        server = link.server
        engine = server.engine
        facts = {"qmgr": engine.name, "qmid": str(engine.definition.attributes["QMID"])}
        pinged = link.end_of_channel = Pinged(facts, offer_of(server, definition), link)
        link.step(lambda now: pinged.on_frame(hello, now))
        server.loop.call_later(PING_SECONDS_MAX, link.abort)

    def stepped(self) -> None:
        """There is nothing to look after."""

    def link_gone(self, link: ChannelLink) -> None:
        """There is nothing to end."""


class Ping(Answering):
    """One PING CHANNEL under way: the loop dials, the thread of the command waits."""

    def __init__(self, channels: MessageChannels, definition: Definition, length: int) -> None:
        self._channels = channels
        self._definition = definition
        self._data = os.urandom(length)
        self._done = threading.Event()
        self._failure: MQError | None = None
        self._end: Pinging | None = None
        self._task: asyncio.Task[None] | None = None

    def run(self) -> Iterator[Reply | Pause]:
        """Yield a pause for the time that the ping takes, then the answer."""
        self._channels.server.loop.call_soon_threadsafe(self._start)
        yield replies.Await(lambda: self._done.wait(PING_SECONDS_MAX))
        if not self._done.is_set():
            self._failure = error(mq.MQRC_CONNECTION_BROKEN, "the partner does not answer")
        if self._failure is not None:
            raise self._failure
        yield replies.accepted("AMQ8020I", "Ping Penstock channel complete.")

    def _start(self) -> None:
        self._task = self._channels.server.loop.create_task(self._ping())

    async def _ping(self) -> None:
        server, definition = self._channels.server, self._definition
        engine = server.engine
        try:
            link = await self._channels.reached(definition, self._link)
        except MQError as failure:
            self._failure = failure
            self._done.set()
            return
        facts = {
            "channel": definition.name,
            "from": engine.name,
            "qmid": str(engine.definition.attributes["QMID"]),
        }
        end = self._end = Pinging(facts, offer_of(server, definition), self._data, link)
        link.end_of_channel = end
        link.step(lambda now: end.start())
        server.loop.call_later(PING_SECONDS_MAX, link.abort)

    def _link(self, peer: Peer) -> ChannelLink:
        server = self._channels.server
        return ChannelLink(server, peer, self, server.connections.dialled(peer.origin))

    def link_gone(self, link: ChannelLink) -> None:
        """Handle the end: it was answered, or why not."""
        end = self._end
        if end is None or not end.answered:
            told = end.failure if end is not None else None
            self._failure = told or link.failure or error(mq.MQRC_CONNECTION_BROKEN, "no answer came")
        self._done.set()
