# cython: nonecheck=True
"""A waiting get of a client: its request, and its conversation.

The engine calls it under its lock, in whichever thread put the message; the conversation's gets answer
later, in the loop. Compiled through `waits.pxd`: request and reply means one of these a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Match, Waiter
    from penstock.serve.conversations.remote_gets import RemoteGets
    from penstock.serve.server import Server


@cython.freelist(64)
@cython.cclass
class Wait:
    """One client's get, until it is answered."""

    def __init__(
        self,
        gets: RemoteGets,
        request: int,
        name: str,
        match: Match | None,
        unit: UnitOfWork | None,
        count: int,
        ahead: int,
        deadline: float,
        again: Callable[[], None] | None,
    ) -> None:
        self.gets = gets
        self.server: Server = gets.server
        self.request = request
        self.name = name
        self.match = match
        self.unit = unit
        self.count = count  # 0 for a single message
        self.ahead = ahead  # how many more may come that can be lost with the client
        self.deadline = deadline  # 0 for ever
        self.again = again  # how to make a call again that is more than a plain get
        self.waiter: Waiter | None = None
        self.over = False
        self.fetched: list[Any] | None = None  # what was read for it, for its next try

    def __call__(self, waiter: Waiter) -> None:
        """Record that the engine has answered: the waiter calls its wait."""
        self.server.woke(self)
