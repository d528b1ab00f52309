"""Shared channels of one member: what the server's loop asks of the facility, in other threads than its own.

`MessageChannels` sets `starter` and `stopper` where a server runs. A channel whose member has died is started
by a peer: the one that gets its transmission queue exclusively. Statements are in `share.shared_channels`.
Lock order: the gate is never held while the facility is asked.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.channels import batches
from penstock.qmgr.sharing.wishes import Open, Settle, Ticket
from penstock.share import shared_channels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.host.queue_sharing.sharing import GroupMembership
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.share.shared_channels import Known, SharedChannel

STOP_WAKE = "channel-stop"
STOPPING_TRIES, STOPPING_SECONDS = 50, 0.1  # while a stopped channel ends elsewhere


class GroupChannels:
    """The shared channels that one member sees."""

    def __init__(self, membership: GroupMembership) -> None:
        self._membership = membership
        self.facility = membership.facility
        self.listed: list[SharedChannel] = []  # a second old
        self.starter: Callable[[str], None] | None = None
        self.stopper: Callable[[str, str], None] | None = None
        self._noted: dict[str, int] = {}
        self._lock = threading.Lock()
        membership.wakes[STOP_WAKE] = self._stopped

    def open(self, name: str, queue: SharedQueue, conname: str, *, forced: Callable[[], bool]) -> Known:
        """Begin a link: have the transmission queue for this member, and read what the group knows.

        A start by a command (`forced`) waits for the member where the channel is stopping.
        """
        for _ in range(STOPPING_TRIES):
            try:
                self._take(queue, queue.inputs)
                break
            except MQError as failure:
                if failure.reason != mq.MQRC_OBJECT_IN_USE or not forced():
                    raise
                if not shared_channels.is_stopped(self.facility, name):
                    raise
            time.sleep(STOPPING_SECONDS)
        else:
            self._take(queue, queue.inputs)
        return shared_channels.take(self.facility, name, queue.name, conname, forced=forced())

    def _take(self, queue: SharedQueue, inputs: int) -> None:
        """Have a transmission queue for this member alone; 2042 if another one has it open."""
        ticket = Ticket(0)
        self._membership.sharing.check_connected()
        self.facility.submit(Open(queue, inputs, queue.outputs, True, ticket))
        self._membership._wait(ticket)

    @contextmanager
    def _alone(self, queue: SharedQueue) -> Iterator[None]:
        """Have a transmission queue for a command: no member runs its channel meanwhile."""
        self._take(queue, queue.inputs + 1)
        try:
            yield
        finally:
            self.facility.submit(Open(queue, queue.inputs, queue.outputs, queue.exclusive, None))

    def reset(self, name: str, queue: SharedQueue, number: int) -> None:
        """RESET CHANNEL: the next message has this number, at both ends from the next start."""
        with self._alone(queue):
            if shared_channels.doubt(self.facility, name):
                text = f"channel {name} has batches in doubt"
                raise error(mq.MQRCCF_CHANNEL_INDOUBT, text, channel=name)
            shared_channels.reset(self.facility, name, number)

    def resolve(self, name: str, queue: SharedQueue, commits: bool, luwid: int | None) -> None:
        """RESOLVE CHANNEL: decide batches in doubt by hand."""
        with self._alone(queue):
            doubt = shared_channels.doubt(self.facility, name)
            count = batches.to_commit(doubt, name, commits, luwid)
            for place, batch in enumerate(doubt):
                ticket = Ticket(0)
                record = (batch.channel, batch.partner, batch.luwid, batch.last)
                self.facility.submit(Settle(batches.name_of(batch), place < count, None, ticket, record))
                self._membership._wait(ticket)

    def note(self, name: str, number: int, state: str, partner: str) -> None:
        """Keep a state of a channel that runs here, unless a later one is kept."""
        with self._lock, suppress(MQError):
            if number > self._noted.get(name, 0):
                self._noted[name] = number
                shared_channels.note(self.facility, name, state, partner)

    def keep_partner(self, name: str, partner: str, incarnation: str) -> None:
        """Keep the identity of the receiving end; without a facility the next link keeps it."""
        with suppress(MQError):
            shared_channels.keep_partner(self.facility, name, partner, incarnation)

    def stop(self, name: str, mode: str, *, held: bool) -> None:
        """STOP CHANNEL wherever it runs."""
        with suppress(MQError):
            if held:
                shared_channels.hold(self.facility, name)
            self.facility.notify(STOP_WAKE, f"{name}:{mode}")

    def _stopped(self, text: str) -> None:
        name, _, mode = text.partition(":")
        if self.stopper is not None:
            self.stopper(name, mode)

    def listed_now(self, found: list[SharedChannel]) -> None:
        """Take over what the group has; start what nobody runs any more."""
        self.listed = found
        if self.starter is not None and self._membership.connected:
            for each in found:
                if not each.member and each.state != shared_channels.STOPPED:
                    self.starter(each.name)
