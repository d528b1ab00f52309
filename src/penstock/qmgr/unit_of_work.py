# cython: nonecheck=True
"""A unit of work: its puts and gets, until it ends.

Uncommitted puts are on no queue: they are kept here until the unit commits.
Uncommitted gets stay in their place, held. The engine ends a unit; this module only records.
Compiled through `unit_of_work.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.qmgr.states import ACTIVE

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue


@cython.freelist(32)
@cython.cclass
class UnitOfWork:
    """Puts and gets that become visible together or not at all."""

    def __init__(self, number: int, started: float, owner: Any) -> None:
        self.number = number
        self.started = started
        self.owner = owner
        self.state = ACTIVE
        self.xid: str | None = None
        self.user = ""  # who prepared it
        self.count = 0
        self.logged = False
        self.first_position = 0
        self.ending = False  # it is committed, and its messages are being removed or shown
        self.puts: list[Message] = []
        self.gets: list[Message] = []
        self.after: list[Any] | None = None
        self.shared: Any = None  # SharedUnit, made for the first message of a shared queue

    def add_put(self, queue: Queue, message: Message) -> None:
        message.queue = queue
        self.puts.append(message)
        self.count += 1

    def add_get(self, message: Message) -> None:
        self.gets.append(message)
        self.count += 1

    def spare(self) -> None:
        """Make the following backout leave the backout counts of its messages unchanged."""
        if self.state == ACTIVE:
            for message in self.gets:
                message.backout_count -= 1
            if self.shared is not None:
                self.shared.spared = True

    def when_ended(self, action: Any) -> None:
        """Remember an action, `action(committed: bool)`, for the moment the unit has ended."""
        if self.after is None:
            self.after = []
        self.after.append(action)
