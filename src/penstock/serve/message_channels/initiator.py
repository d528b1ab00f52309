"""All message channels of a server: running channels, triggers, limits, and commands.

Sending channels start by START CHANNEL, by a trigger message on SYSTEM.CHANNEL.INITQ (the channel initiator),
and when the server starts with messages that wait or batches that are in doubt. Receiving ones are accepted
(`acceptance`). STOPPED is in the engine's sync book, so that a restart knows it. An inbound link of a queue
manager wakes the channels that retry to reach it: it is there again.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from penstock.channel.running_links import Running
from penstock.face._clock import now as clock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.headers import TriggerMessage
from penstock.qmgr.channels import channel_events, transmission
from penstock.qmgr.channels.channel_events import Subject
from penstock.qmgr.sharing.shared_queue import SharedQueue
from penstock.serve.message_channels import status
from penstock.serve.message_channels.cluster_channels import ClusterChannels
from penstock.serve.message_channels.definitions import SENDERS, definition_of
from penstock.serve.message_channels.dialling import dial
from penstock.serve.message_channels.figures import figures
from penstock.serve.message_channels.receiving import ReceivingChannel
from penstock.serve.message_channels.run import INACTIVE, NOT_ACTIVE, RETRYING, STOPPED
from penstock.serve.message_channels.sending import SendingChannel
from penstock.serve.message_channels.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.admin.channel_authentication.evaluator import Decision
    from penstock.channel.counts import Undelivered
    from penstock.model.status import MessageChannelFigures
    from penstock.qmgr.channels.transmission import Claim
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.peer import Peer
    from penstock.serve.message_channels.link import ChannelLink
    from penstock.serve.message_channels.run import Run
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

INITIATION_QUEUE = "SYSTEM.CHANNEL.INITQ"
DIALS_MAX = 64  # at once


class MessageChannels:
    """The message channels of one server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.sending: dict[str, SendingChannel] = {}
        self.totals: dict[str, int] = {}  # messages that sending channels had confirmed when they ended
        self.undelivered: dict[str, tuple[Undelivered, Undelivered]] = {}  # by channel: here, and reported
        self.receiving: dict[ReceivingChannel, None] = {}
        self.active = 0  # how many count for MaxActiveChannels
        self._receiving: dict[str, dict[ReceivingChannel, None]] = {}  # by name
        self._retrying: dict[SendingChannel, None] = {}
        self.running = Running(server.engine.seed)
        self.timers = Timers(server.loop, server.clock)
        self.clusters = ClusterChannels(self)
        self.closed = False
        self._dials = asyncio.Semaphore(DIALS_MAX)
        self._initq: Claim | None = None
        self._rung = False

    # -- the server's calls ----------------------------------------------------------------

    def begin(self) -> None:
        """Start the channel initiator, and the channels that have something to do."""
        self.server.engine.effects.statistics.channel_rows = lambda: list(status.rows(self))
        if self.server.engine.definition.attributes["SCHINIT"] != "MANUAL":
            self.start_initiator()
        self.clusters.begin()
        if self.server.host.sharing is not None:
            self.server.host.sharing.channels.starter = self._start_elsewhere
            self.server.host.sharing.channels.stopper = self._stop_elsewhere
        for definition in self._definitions(("SDR", "SVR")):
            if self._has_work(definition, definition.name in self.server.engine.in_doubt):
                self.start(definition.name)

    def start_initiator(self) -> None:
        """Take trigger messages from the initiation queue."""
        if self._initq is None:
            engine = self.server.engine

            def take(now: float) -> None:
                self._initq = transmission.claim(engine, INITIATION_QUEUE, self._ring, "NORMAL", now)

            try:
                self.step(take)
            except MQError as failure:
                text = f"The channel initiator cannot use {INITIATION_QUEUE}: {failure}."
                self.server.error_log.write("AMQ9509E", f"{text} No channel is started by a trigger.")
            self._ring()

    @property
    def initiates(self) -> bool:
        """Whether triggers start channels."""
        return self._initq is not None

    def _definitions(self, kinds: tuple[str, ...]) -> list[Definition]:
        return [each for each in self.server.engine.objects.all("CHANNEL") if each.subtype in kinds]

    def _has_work(self, definition: Definition, in_doubt: bool) -> bool:
        engine = self.server.engine
        if engine.sync_book.is_held(definition.name) or not str(definition.attributes["CONNAME"]).strip():
            return False
        queue = engine.queues.get(str(definition.attributes["XMITQ"]))
        return in_doubt or bool(queue is not None and queue.depth)

    def stop(self, mode: str) -> None:
        """End all channels with the queue manager; batches in doubt are decided after a restart."""
        how = {"quiesce": "QUIESCE", "immediate": "FORCE"}.get(mode, "TERMINATE")
        for run in self.runs():
            if run.state not in (INACTIVE, STOPPED):
                run.stop(how, INACTIVE)

    def close(self) -> None:
        """Forget everything; the loop ends."""
        self.stop("preemptive")
        self.closed = True
        if self.server.host.sharing is not None:
            self.server.host.sharing.channels.starter = None
            self.server.host.sharing.channels.stopper = None
        self.clusters.close()
        self.timers.close()
        claim, self._initq = self._initq, None
        if claim is not None and not self.server.host.closed:
            self.step(claim.give_back)

    @property
    def alone(self) -> bool:
        """Whether no link is left."""
        return not any(run.link is not None for run in self.runs())

    # -- the runs' calls -------------------------------------------------------------------

    def step(self, action: Callable[[float], None]) -> None:
        """Call the engine; request the sync that the call needs."""
        server = self.server
        with server.gate:
            server.engine.step.begin()
            try:
                action(clock())
            finally:
                position = server.engine.step.end()
        if position:
            server.reach(position)
        server.flush_soon()

    async def reached(self, definition: Definition, make: Callable[[Peer], ChannelLink]) -> ChannelLink:
        """Return a link to the partner of a channel; not too many dial at once. Any failure is an MQError."""
        try:
            async with self._dials:
                return await dial(self.server, definition, make)
        except MQError:
            raise
        except (
            Exception
        ) as fault:  # an edge: a channel whose failed dial is not reported would never dial again
            logger.exception("dial_failed channel=%s", definition.name)
            raise error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}") from fault

    def hold(self, name: str, held: bool) -> None:
        """Note that a channel is stopped, or may start again."""
        self.step(lambda _: self.server.engine.sync_book.hold(name, held))

    def check_limits(self, run: Run) -> None:
        """Raise 2537 at the limit of running channels; a run that is counted already may continue."""
        limits = self.server.channels.limits
        counts = run in self.receiving or self.sending.get(run.name) is run
        if not counts and self.current >= limits.channels:
            raise error(mq.MQRC_CHANNEL_NOT_AVAILABLE, f"MaxChannels is {limits.channels}", channel=run.name)
        active = self.server.channels.active + self.active - (run.state not in NOT_ACTIVE)
        if active >= limits.active:
            raise error(
                mq.MQRC_CHANNEL_NOT_AVAILABLE, f"MaxActiveChannels is {limits.active}", channel=run.name
            )

    def started(self, run: Run) -> None:
        """Handle the start of a channel."""
        partner = run.end.partner_name if run.end is not None else ""
        run.log("AMQ9002I", f"Channel {run.name} ({run.kind}) with {partner} is running.")
        qmid = run.end.partner if run.end is not None else ""
        self.step(lambda now: channel_events.started(self.server.engine, _subject(run), now))
        self.clusters.started(run, qmid)
        for other in [each for each in self._retrying if each.partner == qmid]:
            other.start()

    def ended(self, run: Run, failure: MQError | None) -> None:
        """Handle the end of a channel, or the start of its retries."""
        if isinstance(run, ReceivingChannel):
            self.receiving.pop(run, None)
            of_it = self._receiving.get(run.name)
            if of_it is not None:
                of_it.pop(run, None)
                if not of_it:
                    del self._receiving[run.name]
        elif run.state == INACTIVE and self.sending.get(run.name) is run:
            self.keep_total(run)
            del self.sending[run.name]
        if not self.closed:
            self.step(lambda now: self._tell_end(run, failure, now))
        if run.state != RETRYING and failure is None and not self.closed:
            run.log("AMQ9001I", f"Channel {run.name} ({run.kind}) has ended normally.")
        self.server.link_left()

    def _tell_end(self, run: Run, failure: MQError | None, now: float) -> None:
        engine, subject = self.server.engine, _subject(run)
        if run.stop_wish and failure is None and not self.server.stopping and run.stopped_by_user:
            channel_events.stopped_by_user(engine, subject, now)
        qualifier = mq.MQRQ_CHANNEL_STOPPED_OK
        if failure is not None:
            qualifier = mq.MQRQ_CHANNEL_STOPPED_ERROR
            if run.state in (RETRYING, STOPPED):
                retries = run.state == RETRYING
                qualifier = mq.MQRQ_CHANNEL_STOPPED_RETRY if retries else mq.MQRQ_CHANNEL_STOPPED_DISABLED
        channel_events.stopped(engine, subject, qualifier, failure.reason if failure is not None else 0, now)

    def keep_total(self, run: Run) -> None:
        """Add what a sending channel has confirmed to its total, for a counter of metrics."""
        number, run.counts.confirmed = run.counts.confirmed, 0
        if number:
            self.totals[run.name] = self.totals.get(run.name, 0) + number

    def blocked(self, name: str, peer: Peer, partner: str, decision: Decision) -> None:
        """Report that a rule has refused a queue manager."""
        by_address = decision.blocked_by is not None and decision.blocked_by.kind == "BLOCKADDR"
        qualifier = mq.MQRQ_CHANNEL_BLOCKED_ADDRESS if by_address else mq.MQRQ_CHANNEL_BLOCKED_NOACCESS
        subject = Subject(name, peer.name)
        self.step(lambda now: channel_events.blocked(self.server.engine, subject, partner, qualifier, now))

    def tls_failed(self, name: str, peer: Peer, problem: str) -> None:
        """Report that TLS with a partner does not meet its channel's requirements."""
        qualifier = channel_events.SSL_CIPHER_SPEC_ERROR
        if "certificate" in problem:
            by_name = "SSLPEER" in problem
            qualifier = (
                channel_events.SSL_PEER_NAME_ERROR if by_name else channel_events.SSL_CLIENT_AUTH_ERROR
            )
        shown = peer.tls.peer if peer.tls is not None else ""
        subject = Subject(name, peer.name)
        self.step(lambda now: channel_events.tls_failed(self.server.engine, subject, qualifier, shown, now))

    def runs(self) -> list[Run]:
        """Return all channels that are not inactive."""
        return [*self.sending.values(), *self.receiving]

    # -- counting --------------------------------------------------------------------------

    @property
    def current(self) -> int:
        """How many count for MaxChannels, clients' channels among them."""
        return self.server.channels.current + self.own_current

    @property
    def own_current(self) -> int:
        """How many message channels are not inactive."""
        return len(self.sending) + len(self.receiving)

    def changed(self, run: Run, before: str) -> None:
        """Handle a new state of a run."""
        self.active += (run.state not in NOT_ACTIVE) - (before not in NOT_ACTIVE)
        self.clusters.changed(run)
        if isinstance(run, SendingChannel):
            run.noted()
            if run.state == RETRYING:
                self._retrying[run] = None
            else:
                self._retrying.pop(run, None)

    def figures(self) -> list[MessageChannelFigures]:
        """Return the figures of all channels; called with the engine held."""
        return figures(self, clock())

    # -- starting --------------------------------------------------------------------------

    def start(self, name: str, triggered: bool = False, forced: bool = False) -> None:
        """Start a channel that dials; by a trigger only if it is neither running, retrying nor stopped."""
        if self.closed or self.server.stopping:
            return
        definition = definition_of(self.server, name)
        if definition is None or definition.subtype not in (*SENDERS, "RQSTR"):
            return
        run = self.sending.get(name)
        runs = run is not None and run.state != STOPPED
        if triggered and (runs or self.server.engine.sync_book.is_held(name)):
            return
        if definition.subtype == "RQSTR":
            self._request(definition)
            return
        if run is None or run.kind != definition.subtype:
            run = SendingChannel(self, definition)
            try:
                self.check_limits(run)
            except MQError as failure:
                run.log("AMQ9513E", f"Channel {name} was not started: {failure}.")
                subject = _subject(run)
                self.step(lambda now: channel_events.not_activated(self.server.engine, subject, now))
                return
            self.sending[name] = run
        if not triggered:
            run.refill()
        run.forced = run.forced or forced
        run.start()

    def _start_elsewhere(self, name: str) -> None:
        """Go on with a shared channel whose member has died; in a thread of the facility."""
        self.server.loop.call_soon_threadsafe(partial(self.start, name, triggered=True))

    def _stop_elsewhere(self, name: str, mode: str) -> None:
        """Stop a shared channel because a member says so; in a thread of the facility."""
        self.server.loop.call_soon_threadsafe(self._stop_shared, name, mode)

    def _stop_shared(self, name: str, mode: str) -> None:
        run = self.sending.get(name)
        if run is not None:
            run.stopped_by_user = True
            run.stop(mode, INACTIVE)

    def is_shared(self, definition: Definition) -> bool:
        """Return whether a channel sends from a shared transmission queue."""
        queue = self.server.engine.queues.get(str(definition.attributes.get("XMITQ", "")))
        return isinstance(queue, SharedQueue)

    def _request(self, definition: Definition) -> None:
        if definition.name in self._receiving:
            return
        run = ReceivingChannel(self, definition)
        try:
            self.check_limits(run)
        except MQError as failure:
            run.log("AMQ9513E", f"Channel {definition.name} was not started: {failure}.")
            return
        self.enter(run)
        run.start()

    def _ring(self) -> None:
        """Handle a trigger message; called with the engine held, in any thread."""
        if not self._rung and not self.closed:
            self._rung = True
            self.server.loop.call_soon_threadsafe(self._read_triggers)

    def _read_triggers(self) -> None:
        self._rung = False
        claim = self._initq
        if claim is None or self.closed:
            return
        found: list[TriggerMessage] = []

        def read(now: float) -> None:
            claim.listen()
            queue = claim.queue
            while (
                queue.get_enabled and (message := self.server.engine.take(queue, None, None, now)) is not None
            ):
                try:
                    found.append(TriggerMessage.unpack(message.body or b"", message.descriptor.encoding))
                except MQError as failure:
                    text = f"A message on {INITIATION_QUEUE} is no trigger message: {failure}."
                    self.server.error_log.write("AMQ9999E", text)

        self.step(read)
        for trigger in found:
            for name in self._named_by(trigger):
                self.start(name, triggered=True)

    def _named_by(self, trigger: TriggerMessage) -> Iterator[str]:
        """Yield the channel that a trigger is for: TRIGDATA, else the first whose XMITQ the queue is."""
        if trigger.trigger_data.strip():
            yield trigger.trigger_data.split()[0]
            return
        senders = self._definitions(("SDR", "SVR"))
        serving = (each for each in senders if each.attributes["XMITQ"] == trigger.queue)
        yield from (each.name for each, _ in zip(serving, (1,), strict=False))

    def enter(self, run: ReceivingChannel) -> None:
        """Count a receiving channel in."""
        self.receiving[run] = None
        self._receiving.setdefault(run.name, {})[run] = None

    def receivers_of(self, name: str) -> list[ReceivingChannel]:
        """Return the runs of a receiving channel."""
        return list(self._receiving.get(name, ()))

    def runs_of(self, name: str) -> list[Run]:
        """Return the runs of a channel."""
        sending = self.sending.get(name)
        return [*([sending] if sending is not None else ()), *self.receivers_of(name)]


def _subject(run: Run) -> Subject:
    definition = run.definition
    queue = str(definition.attributes.get("XMITQ", "")) if definition is not None else ""
    address = run.link.peer.name if run.link is not None else ""
    return Subject(run.name, address, queue)
