"""Cluster channels of a server: started by messages, with changing queues, and the repository's messages.

The engine's part is `qmgr/clusters`. Here are the calls that need a loop: messages on the command queue are
applied, a channel starts when a message for it arrives, a channel that is to use another transmission queue
has its messages moved before it starts, and messages of a channel that retries are sent another way.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.qmgr.channels import transmission
from penstock.qmgr.clusters.cluster_names import COMMAND
from penstock.qmgr.clusters.record import MEMBER
from penstock.serve.message_channels.own_address import own_address
from penstock.serve.message_channels.run import RETRYING, RUNNING, SWITCHING

if TYPE_CHECKING:
    from penstock.qmgr.channels.transmission import Claim
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.run import Run

FLAP_SECONDS = 1.0  # a channel that is back sooner keeps its messages


class ClusterChannels:
    """What message channels of a server do for clusters."""

    def __init__(self, channels: MessageChannels) -> None:
        self._channels = channels
        self._server = channels.server
        self._clusters = channels.server.engine.clusters
        self._command: Claim | None = None
        self._rung = False
        self._starting: dict[str, None] = {}

    def begin(self) -> None:
        """Apply what has arrived, and start the channels that have messages or batches in doubt."""
        found: list[str] = []

        def take(now: float) -> None:
            self._clusters.listening = own_address(self._server.listeners.addresses())
            self._clusters.transmission.starter = self._start_soon
            self._clusters.transmission.collector = self._collect_soon
            self._clusters.restarted(now)
            found.extend(self._clusters.transmission.watch_all())
            self._command = transmission.claim(self._server.engine, COMMAND, self._ring, "NORMAL", now)

        self._clusters.observers.append(self)
        try:
            self._channels.step(take)
        except MQError as failure:
            text = f"The repository manager cannot use {COMMAND}: {failure}. Nothing of clusters is learned."
            self._server.error_log.write("AMQ9511E", text)
        self._ring()
        in_doubt = self._server.engine.in_doubt
        found += [each for each in self._clusters.members_part.senders() if each in in_doubt]
        for name in dict.fromkeys(found):
            self._channels.start(name, triggered=True)
        self._server.channels.balancing.begin(self._server.host.settings.auto_cluster.cluster_name)

    def listener_started(self) -> None:
        """Advertise where members reach this queue manager, if its CLUSRCVR does not specify it."""
        if self._command is None:  # `begin` asks for itself
            return
        address = own_address(self._server.listeners.addresses())
        self._channels.step(partial(self._clusters.listens_at, address))

    def close(self) -> None:
        """Stop; the loop ends."""
        self._server.channels.balancing.close()
        self._clusters.transmission.starter = self._clusters.transmission.collector = None
        claim, self._command = self._command, None
        if claim is not None and not self._server.host.closed:
            self._channels.step(claim.give_back)

    # -- messages of the repository --------------------------------------------------------

    def _ring(self) -> None:
        """Handle a new message; called with the engine held, in any thread."""
        if not self._rung and not self._channels.closed:
            self._rung = True
            self._server.loop.call_soon_threadsafe(self._apply)

    def _apply(self) -> None:
        self._rung = False
        claim = self._command
        if claim is None or self._channels.closed:
            return
        more = False

        def apply(now: float) -> None:
            nonlocal more
            claim.listen()
            more = self._clusters.apply_arrivals(now)

        self._channels.step(apply)
        if more:
            self._ring()

    # -- channels --------------------------------------------------------------------------

    def _start_soon(self, name: str) -> None:
        """Handle a message for a channel that does not run; called with the engine held, in any thread."""
        if name not in self._starting and not self._channels.closed:
            self._starting[name] = None
            self._server.loop.call_soon_threadsafe(self._start, name)

    def _start(self, name: str) -> None:
        self._starting.pop(name, None)
        self._channels.start(name, triggered=True)

    def switched(self, run: Run) -> bool:
        """Continue the change of a channel's transmission queue; False while messages are left to move."""
        done = True

        def switch(now: float) -> None:
            nonlocal done
            done = self._clusters.transmission.switching.switch(run.name, now)

        self._channels.step(switch)
        if not done:
            run.state = SWITCHING
        return done

    def _collect_soon(self, name: str) -> None:
        """Note a message on a queue that its channel has left; with the engine held, in any thread."""
        if not self._channels.closed:
            self._server.loop.call_soon_threadsafe(self._collect, name)

    def _collect(self, name: str) -> None:
        more = False

        def collect(now: float) -> None:
            nonlocal more
            more = self._clusters.transmission.switching.collect(name, now)

        if not self._channels.closed:
            self._channels.step(collect)
        if more:
            self._server.loop.call_soon(self._collect, name)

    def changed(self, run: Run) -> None:
        """Handle a new state of a channel."""
        if run.kind != "CLUSSDR" or self._channels.closed:
            return
        self._clusters.channel_changed(run.name, run.state)
        if run.state == RETRYING:
            self._server.loop.call_later(FLAP_SECONDS, self._choose_again, run.name)
        elif run.state == RUNNING:
            for name, state in list(self._clusters.states.items()):
                if state == RETRYING:
                    self._server.loop.call_soon(self._choose_again, name)

    def _choose_again(self, name: str) -> None:
        if self._channels.closed or self._clusters.channel_state(name) != RETRYING:
            return
        more = False

        def choose(now: float) -> None:
            nonlocal more
            more = self._clusters.workload.choose_again(name, now)

        self._channels.step(choose)
        if more:
            self._server.loop.call_soon(self._choose_again, name)

    def cluster_changed(self, cluster: str, kind: str, name: str, owner: str, now: float) -> None:
        """Handle a record: a member that sends one can be reached again, perhaps at another address."""
        if kind == MEMBER and self._clusters.channel_state(name) == RETRYING and not self._channels.closed:
            self._server.loop.call_soon_threadsafe(self._retry_now, name)

    def member_started(self, qmid: str, now: float) -> None:
        """Handle a channel with a member: one that is back need not wait for the next retry."""
        for key in self._clusters.state.repository.owned(qmid):
            if key.kind == MEMBER:
                self.cluster_changed(key.cluster, MEMBER, key.name, qmid, now)

    def _retry_now(self, name: str) -> None:
        run = self._channels.sending.get(name)
        if run is not None and run.state == RETRYING:
            run.start()

    def started(self, run: Run, qmid: str) -> None:
        """Handle the start of a channel."""
        if run.kind in ("CLUSSDR", "CLUSRCVR"):
            self._channels.step(partial(self._clusters.member_started, qmid, run.name))
