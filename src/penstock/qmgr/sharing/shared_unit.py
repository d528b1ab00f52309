"""The shared part of a unit of work: messages got from shared queues and messages put to them.

Puts are in this member's memory until the commit; gets are claimed in the facility. `UnitOfWork.shared` has
it; `sharing` ends it. Values only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.sharing.shared_queue import SharedQueue
    from penstock.qmgr.sharing.wishes import Row


class SharedUnit:
    """What a unit has done on shared queues."""

    __slots__ = ("gets", "lost", "puts", "spared")

    def __init__(self) -> None:
        self.puts: list[tuple[SharedQueue, Message]] = []
        self.gets: list[tuple[SharedQueue, Message, Row]] = []
        self.spared = False  # a backout leaves the backout counts unchanged
        self.lost = False  # the facility was lost: its claims are not this unit's any more
