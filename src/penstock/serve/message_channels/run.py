"""The common part of all running channels: identity, counts and end.

A run is one row of channel status. A sending channel has one from its start until it is inactive, through
retries and stops; a receiving one while it has a link.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from penstock.channel.counts import Counts
from penstock.host.monitoring.trace import CHANNEL
from penstock.serve.message_channels.definitions import definition_of
from penstock.serve.message_channels.timers import NEVER

if TYPE_CHECKING:
    from penstock.channel.receiver import Receiver
    from penstock.channel.sender import Sender
    from penstock.model.errors import MQError
    from penstock.qmgr.objects import Definition
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.link import ChannelLink

INACTIVE, INITIALIZING, STARTING, BINDING = "INACTIVE", "INITIALIZING", "STARTING", "BINDING"
REQUESTING, RUNNING, PAUSED, STOPPING = "REQUESTING", "RUNNING", "PAUSED", "STOPPING"
RETRYING, STOPPED, SWITCHING = "RETRYING", "STOPPED", "SWITCHING"
NOT_ACTIVE = (INACTIVE, RETRYING, STOPPED, STARTING)  # of these none counts for MaxActiveChannels


class Run:
    """One instance of a message channel."""

    def __init__(self, channels: MessageChannels, definition: Definition) -> None:
        self.channels = channels
        self.server = channels.server
        self.name = definition.name
        self.kind = definition.subtype
        self._state = INACTIVE
        self.link: ChannelLink | None = None
        self.end: Sender | Receiver | None = None
        self.user = ""  # MCAUSER in force
        self.failure: MQError | None = None  # what ended the last link
        self.counts = self._no_counts()  # since `begun`, through all links
        self.begun = time.time()
        self.stopped_by_user = False
        self.stop_wish = ""  # STOPPED or INACTIVE, if a stop was requested
        self.due = NEVER

    @property
    def state(self) -> str:
        """What the channel does now, as channel status calls it."""
        return self._state

    @state.setter
    def state(self, state: str) -> None:
        before, self._state = self._state, state
        if before != state:
            self.channels.changed(self, before)

    @property
    def definition(self) -> Definition | None:
        """The current definition; None if it was deleted."""
        found = definition_of(self.server, self.name)
        return found if found is not None and found.subtype == self.kind else None

    def begin_anew(self) -> None:
        """Count from zero: the channel is started again."""
        self.channels.keep_total(self)
        self.counts = self._no_counts()
        self.begun = time.time()

    def _no_counts(self) -> Counts:
        """Return counts that begin at zero, except for what was not delivered since the server started."""
        counts = Counts(time.perf_counter)
        known = self.channels.undelivered.setdefault(self.name, (counts.undelivered, counts.reported))
        counts.undelivered, counts.reported = known
        return counts

    def add_link(self, link: ChannelLink) -> None:
        """Keep what a link has counted, which has ended."""
        counts = self.counts
        counts.bytes_in += link.bytes_in
        counts.bytes_out += link.bytes_out
        counts.buffers_in += link.buffers_in
        counts.buffers_out += link.buffers_out

    def stop(self, mode: str, status: str) -> None:
        """End by STOP CHANNEL; the state afterwards is STOPPED or INACTIVE."""
        raise NotImplementedError

    def log(self, number: str, text: str) -> None:
        """Write to the error log, and keep the text for status displays."""
        self.server.error_log.write(number, text)
        self.server.host.trace.keep(CHANNEL, self.name, number, text)
