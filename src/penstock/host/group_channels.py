"""Shared channels of one member: what the server's loop asks of the facility, in other threads than its own.

`MessageChannels` sets `starter` and `stopper` where a server runs. A channel whose member has died is started
by a peer: the one that gets its transmission queue exclusively. Statements are in `share.shared_channels`.
Lock order: the gate is never held while the facility is asked.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.qmgr.sharing.wishes import Open, Ticket
from penstock.share import shared_channels

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.host.sharing import GroupMembership
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.share.shared_channels import Known, SharedChannel

STOP_WAKE = "channel-stop"


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

    def open(self, name: str, queue: SharedQueue, conname: str, *, forced: bool) -> Known:
        """Begin a link: have the transmission queue for this member, and read what the group knows."""
        ticket = Ticket(0)
        wish = Open(queue, queue.inputs, queue.outputs, True, ticket)
        self._membership.sharing.check_connected()
        self.facility.submit(wish)
        self._membership._wait(ticket)
        return shared_channels.take(self.facility, name, queue.name, conname, forced=forced)

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
