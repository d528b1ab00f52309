"""A sending channel (SDR, SVR) from START to its end: dials, runs, retries, stops.

The end itself is room `channel`'s `Sender`, a new one for each link; what must outlive a link is here. While
it has a link it has the transmission queue for itself. A link that fails is dialled again as SHORTRTY and
LONGRTY say; nothing is ever lost by that. Everything runs in the server's loop.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from penstock.channel import sender as ends
from penstock.channel.memory import Memory
from penstock.channel.sender import Sender
from penstock.channel.shared_batches import SharedBatches
from penstock.face._clock import now as clock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol.heartbeat import silence_max
from penstock.qmgr.channels import transmission
from penstock.qmgr.clusters import transmission as clusters
from penstock.qmgr.sharing.shared_queue import SharedQueue
from penstock.serve.channels import number_of
from penstock.serve.message_channels.definitions import sending_of
from penstock.serve.message_channels.link import ChannelLink
from penstock.serve.message_channels.run import (
    BINDING,
    INACTIVE,
    RETRYING,
    RUNNING,
    STARTING,
    STOPPED,
    STOPPING,
    SWITCHING,
    Run,
)
from penstock.serve.message_channels.timers import NEVER

if TYPE_CHECKING:
    import asyncio

    from penstock.qmgr.channels.transmission import Claim
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.peer import Peer
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.share.shared_channels import Known

BUSY_SECONDS = 1.0  # between looks at a channel that has something under way, at most
STALL_SECONDS_MIN = 30.0  # that a running channel may confirm nothing although messages wait
RETRY_SECONDS_MIN = 0.05
JITTER = 0.1  # of a retry interval, so that many channels do not dial at once


class SendingChannel(Run):
    """One sending channel."""

    end: Sender | None

    def __init__(self, channels: MessageChannels, definition: Definition) -> None:
        super().__init__(channels, definition)
        self.memory = Memory()
        self.claim: Claim | clusters.Claim | None = None
        self.task: asyncio.Task[None] | None = None
        self.short_left = self.long_left = 0
        self.retry_at = NEVER
        self.partner = ""  # QMID, of the last link
        self.partner_name = ""
        self.closing = False  # this side ends the link
        self.progress_at = 0.0  # when a batch was confirmed, or nothing waited
        self._progress = 0
        self.interval = BUSY_SECONDS  # between looks at a link that has something under way
        self.forced = False  # started by a command, though the group has it stopped
        self.known: Known | None = None  # what the group has about a shared channel
        self._noted = 0
        self.refill()

    def refill(self) -> None:
        """Have all retries again."""
        definition = self.definition
        if definition is not None:
            self.short_left = number_of(definition, "SHORTRTY")
            self.long_left = number_of(definition, "LONGRTY")

    # -- start -----------------------------------------------------------------------------

    def start(self) -> None:
        """Dial now, whatever the state; a channel with a link continues."""
        if self.link is not None or self.task is not None:
            return
        self.stop_wish = ""
        self.retry_at = NEVER
        if self.state in (INACTIVE, STOPPED):
            self.begin_anew()
        if self.kind == "CLUSSDR" and not self._has_switched():
            return
        definition = self.definition
        if definition is None:
            self._ended(None)
            return
        try:
            self.channels.check_limits(self)
            self._take_queue(definition)
        except MQError as failure:
            self._failed(failure)
            return
        self.state = STARTING
        self.task = self.server.loop.create_task(self._call(definition))

    def _has_switched(self) -> bool:
        """Return whether the channel may use its transmission queue; else messages are moved to it first."""
        try:
            if self.channels.clusters.switched(self):
                return True
        except MQError as failure:
            self._failed(failure)
            return False
        self.server.loop.call_soon(self._go_on)
        return False

    def _go_on(self) -> None:
        if self.state == SWITCHING and not self.channels.closed:
            self.start()

    def _take_queue(self, definition: Definition) -> None:
        name = str(definition.attributes["XMITQ"])
        if self.claim is None and self.kind == "CLUSSDR":

            def share(now: float) -> None:
                self.claim = self.server.engine.clusters.transmission.claim(self.name, self._ring)

            self.channels.step(share)
        elif self.claim is None:

            def take(now: float) -> None:
                self.claim = transmission.claim(
                    self.server.engine, name, self._ring, "XMITQ", now, self._ring_early
                )

            self.channels.step(take)

    def _ring(self) -> None:
        if self.link is not None:
            self.link.pump_soon()

    def _ring_early(self) -> None:
        if self.link is not None:
            self.link.pump_first()

    async def _call(self, definition: Definition) -> None:
        try:
            self.known = await self._opened(definition)
            link = await self.channels.reached(definition, self._link)
        except MQError as failure:
            self.task = None
            self._failed(failure)
            if self.forced and failure.reason == mq.MQRC_CHANNEL_NOT_AVAILABLE:
                self.channels.start(self.name, forced=True)  # a command came while a trigger found it stopped
            return
        self.task = None
        self._begin(link, definition)
        assert self.end is not None
        link.step(lambda now: self.end.start() if self.end is not None else None)

    async def _opened(self, definition: Definition) -> Known | None:
        """Have a shared transmission queue for this member; 2042 if another one runs the channel."""
        queue = self.claim.queue if self.claim is not None else None
        if not isinstance(queue, SharedQueue):
            return None
        shared = self.server.host.sharing.channels
        conname = str(definition.attributes["CONNAME"])
        opens = partial(shared.open, self.name, queue, conname, forced=lambda: self.forced)
        try:
            known: Known = await self.server.loop.run_in_executor(self.server.readers, opens)
        except MQError as failure:
            if failure.reason in (mq.MQRC_OBJECT_IN_USE, mq.MQRC_CHANNEL_NOT_AVAILABLE):
                self.stop_wish = INACTIVE  # another member runs it, or it is stopped: nothing to retry
            if failure.reason == mq.MQRC_OBJECT_IN_USE:
                self.forced = False
            raise
        self.forced = False
        return known

    @property
    def is_shared(self) -> bool:
        """Whether the channel sends from a shared transmission queue."""
        return self.known is not None

    def noted(self) -> None:
        """Have the group know the state of a shared channel; nothing of a private one."""
        if self.known is None or self.server.host.sharing is None:
            return
        self._noted = max(self._noted + 1, time.time_ns())
        state = "" if self.state in (INACTIVE, STOPPED) else self.state
        note = self.server.host.sharing.channels.note
        work = partial(note, self.name, self._noted, state, self.partner_name)
        with suppress(RuntimeError):  # the server ends: peers find out
            self.server.readers.submit(work)

    def _link(self, peer: Peer) -> ChannelLink:
        return ChannelLink(self.server, peer, self, self.server.connections.dialled(peer.origin))

    def prepare(self, definition: Definition) -> None:
        """Be ready for a requester who has dialled: an own dial ends, the queue is taken."""
        queue = self.server.engine.queues.get(str(definition.attributes["XMITQ"]))
        if isinstance(queue, SharedQueue):
            text = f"channel {self.name} has a shared transmission queue: it dials, and is not requested"
            raise error(mq.PSRC_CHANNEL_REFUSED, text, channel=self.name)
        self._stop_dialling()
        self.stop_wish = ""
        self.retry_at = NEVER
        if self.state in (INACTIVE, STOPPED):
            self.begin_anew()
        self._take_queue(definition)

    def not_prepared(self, failure: MQError) -> None:
        """Note that a requester was refused: a channel that retries continues, others are inactive again."""
        if self.state == RETRYING:
            self._failed(failure)
        elif self.state != STOPPED:
            self._ended(failure)

    def _stop_dialling(self) -> None:
        task, self.task = self.task, None
        if task is not None:
            task.cancel()

    def accept(self, link: ChannelLink, definition: Definition) -> None:
        """Send to a requester who has dialled."""
        self._begin(link, definition)
        assert self.end is not None
        link.step(lambda now: self.end.accept() if self.end is not None else None)

    def _begin(self, link: ChannelLink, definition: Definition) -> None:
        self.state = BINDING
        self.closing = False
        self.link = link
        link.owner = self
        link.channel = self.name
        self.end = link.end_of_channel = Sender(
            self.server.engine,
            sending_of(self.server, definition),
            link,
            self.memory,
            self.counts,
            self._shared_batches(),
        )
        sending = self.end.definition
        self.interval = min(sending.batch_interval or sending.batch_heartbeat or BUSY_SECONDS, BUSY_SECONDS)
        self.progress_at = self.server.clock()
        self.channels.timers.set(self, self.server.clock() + silence_max(0))

    def _shared_batches(self) -> SharedBatches | None:
        if self.known is None:
            return None
        keep = partial(self.server.readers.submit, self.server.host.sharing.channels.keep_partner, self.name)
        return SharedBatches(self.server.engine, self.name, self.known, keep)

    # -- while it runs ---------------------------------------------------------------------

    def stepped(self) -> None:
        """Look at the end after a step."""
        end = self.end
        if end is None or self.link is None:
            return
        if self._state == BINDING and end.state == ends.RUNNING:
            self._runs(end)
        if end.unhurried:
            self.server.reach_late(end.unhurried)
            end.unhurried = 0
        look_by = self.server.clock() + self.interval
        if look_by < self.due and end.state == ends.RUNNING and self._is_busy(end):
            self.channels.timers.set(self, look_by)
        if self.claim is not None and not self.claim.listens:
            self.channels.timers.set(self, self.server.clock())  # the queue has changed: find out how

    def _runs(self, end: Sender) -> None:
        self.state = RUNNING
        self.failure = None
        self.partner, self.partner_name = end.partner, end.partner_name
        self.noted()
        self.refill()
        self.channels.started(self)
        if self.is_shared and self.link is not None:
            self.link.pump_soon()  # doubt was resolved in another thread

    def _is_busy(self, end: Sender) -> bool:
        return bool(end.waiting or end.filling is not None or self.memory.kept)

    def look(self, now: float) -> float:
        """Do what time brings about; return when to look again."""
        if self.state == RETRYING:
            if now < self.retry_at:
                return self.retry_at
            self.start()
            return NEVER
        end, link = self.end, self.link
        if end is None or link is None or link.closed:
            return NEVER
        definition = self.definition
        if definition is None or (self.claim is not None and not self.claim.queue.get_enabled):
            link.break_off(_why_not(self.name, self.claim))
            return NEVER
        if self.claim is not None:
            self.channels.step(lambda _: self.claim.listen() if self.claim is not None else None)
        if end.state in (ends.RUNNING, ends.STOPPING) and (self._is_busy(end) or self._depth()):
            link.pump_soon()  # whatever was to wake it: a channel with messages never depends on one bell
            if self.memory.kept:
                link.step(end.ask)
        return self._look_at_silence(end, link, definition, now)

    def _look_at_silence(self, end: Sender, link: ChannelLink, definition: Definition, now: float) -> float:
        """End a link that is broken or has nothing to do, or ask the other end; return when to look again."""
        failure = self._broken(end, link, now)
        if failure is not None:
            link.break_off(failure)
            return NEVER
        quiet = end.state == ends.RUNNING and not self._is_busy(end) and not self._depth()
        disconnect = number_of(definition, "DISCINT")
        idle_until = self._last_message(end, link) + disconnect if disconnect and quiet else NEVER
        if now >= idle_until:
            self.closing = True
            self.stop_wish = INACTIVE
            link.step(end.stop)
            return now + BUSY_SECONDS
        beat = end.terms.heartbeat
        if beat and now - link.spoken >= beat and end.state == ends.RUNNING:
            link.step(end.ask)
        return max(min(idle_until, self._next_look(end, link, quiet, now)), now + 0.02)

    def _broken(self, end: Sender, link: ChannelLink, now: float) -> MQError | None:
        """Return why a link is given up: no data arrives, or nothing is confirmed (stall guard)."""
        if end.paused_until > clock():
            return None  # the other end has reported that it waits with a message
        silence = now - _heard(link)
        if silence > _patience(end):
            return error(mq.MQRC_CONNECTION_BROKEN, f"nothing was received for {silence:.0f} seconds")
        if self._is_stalled(end, now, end.terms.heartbeat):
            text = f"messages wait, and nothing was confirmed for {now - self.progress_at:.0f} seconds"
            self.log("AMQ9999W", f"Channel {self.name} is stalled: {text}; its link is renewed.")
            return error(mq.MQRC_CONNECTION_BROKEN, text)
        return None

    def _next_look(self, end: Sender, link: ChannelLink, quiet: bool, now: float) -> float:
        if not quiet:
            return now + BUSY_SECONDS
        beat = end.terms.heartbeat
        if not beat:
            return NEVER
        asks_at = link.spoken + beat if end.asked_at is None else NEVER
        return min(asks_at, _heard(link) + _patience(end))

    def _last_message(self, end: Sender, link: ChannelLink) -> float:
        """Return when the last message was sent, on the loop's clock."""
        if not end.counts.last_at:
            return link.started
        return max(link.started, self.server.clock() - max(0.0, clock() - end.counts.last_at))

    def _depth(self) -> int:
        if isinstance(self.claim, clusters.Claim):
            return int(self.claim.waiting)
        return int(self.claim.queue.depth) if self.claim is not None else 0

    def _is_stalled(self, end: Sender, now: float, beat: int) -> bool:
        unconfirmed = bool(end.waiting or self.memory.kept)
        if end.counts.confirmed != self._progress or not unconfirmed:
            self._progress = end.counts.confirmed
            self.progress_at = now
        return now - self.progress_at > max(STALL_SECONDS_MIN, 2 * beat)

    # -- the end ---------------------------------------------------------------------------

    def stop(self, mode: str, status: str) -> None:
        """STOP CHANNEL: QUIESCE ends with the batches under way, others at once."""
        self.stop_wish = status
        self.closing = True
        self._stop_dialling()
        if self.link is None or self.end is None:
            self._ended(None)
            return
        self.state = STOPPING
        if mode == "QUIESCE" and self.end.state == ends.RUNNING:
            self.link.step(self.end.stop)
            self.channels.timers.set(self, self.server.clock() + BUSY_SECONDS)
        elif mode == "TERMINATE":
            self.link.abort()
        else:
            self.link.step(self.end.lost)  # first: nothing may be sent behind the end of a link
            self.link.end(None)

    def link_gone(self, link: ChannelLink) -> None:
        """Handle the close of the link."""
        if link is not self.link:
            return
        end, self.link, self.end = self.end, None, None
        self.add_link(link)
        if end is not None and end.partner:
            self.partner, self.partner_name = end.partner, end.partner_name
        if self.closing or self.stop_wish:
            self._ended(None)
        else:
            self._failed(link.failure or error(mq.MQRC_CONNECTION_BROKEN, "the partner has ended the link"))

    def _failed(self, failure: MQError) -> None:
        """Retry, unless a stop was requested or the retries are used up."""
        before, self.failure = self.failure, failure
        if before is None or str(before) != str(failure):
            self.log("AMQ9999E", f"Channel {self.name} has ended: {failure}.")
        if self.stop_wish or self.server.stopping or self.channels.closed or not self._can_dial():
            self._ended(failure)
            return
        delay = self._next_delay()
        if delay is None:
            self.stop_wish = STOPPED
            self.channels.hold(self.name, True)
            self.log("AMQ9999E", f"Channel {self.name} has used up its retries and is stopped.")
            self._ended(failure)
            return
        self._give_back()
        self.state = RETRYING
        self.channels.ended(self, failure)
        spread = random.uniform(1 - JITTER, 1 + JITTER)
        self.retry_at = self.server.clock() + max(delay * spread, RETRY_SECONDS_MIN)
        self.channels.timers.set(self, self.retry_at)

    def _can_dial(self) -> bool:
        definition = self.definition
        return definition is not None and bool(str(definition.attributes["CONNAME"]).strip())

    def _next_delay(self) -> float | None:
        """Return the seconds until the next try; None if no try is due."""
        definition = self.definition
        assert definition is not None
        if self.short_left:
            self.short_left -= 1
            return float(number_of(definition, "SHORTTMR"))
        if self.long_left:
            self.long_left -= 1
            return float(number_of(definition, "LONGTMR"))
        return None

    def _ended(self, failure: MQError | None) -> None:
        self.state = STOPPED if self.stop_wish == STOPPED else INACTIVE
        self.closing = False
        self.retry_at = NEVER
        self._give_back()
        self.channels.ended(self, failure)

    def _give_back(self) -> None:
        claim, self.claim = self.claim, None
        if claim is not None:
            self.channels.step(claim.give_back)


def _heard(link: ChannelLink) -> float:
    return max(link.heard, link.started)


def _patience(end: Sender) -> float:
    """Return the seconds that the other end may be silent."""
    if end.state == ends.GREETING:
        return silence_max(0) * 3
    return silence_max(end.terms.heartbeat) if end.terms.heartbeat else NEVER


def _why_not(name: str, claim: Claim | clusters.Claim | None) -> MQError:
    if claim is not None and not claim.queue.get_enabled:
        return error(mq.MQRC_GET_INHIBITED, f"transmission queue {claim.queue.name} is GET(DISABLED)")
    return error(mq.MQRC_UNKNOWN_CHANNEL_NAME, f"channel {name} is not defined any more")
