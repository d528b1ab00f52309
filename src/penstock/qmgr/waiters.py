# cython: nonecheck=True
"""Waiting getters and their conditions.

A put looks here before it uses its queue: a waiter whose condition matches gets the message at once.
Waiters by correlation id are found by that id, however many wait. A waiter is answered once;
`wake` is the host's way to let the caller go on. Compiled through `waiters.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.model._interrupts import python_follows

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.queue import Queue


@cython.freelist(32)
@cython.cclass
class Match:
    """The conditions of a get; None or -1 means any."""

    def __init__(
        self,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        group_id: bytes | None = None,
        seq_number: int = -1,
        offset: int = -1,
        token: bytes | None = None,
        selector: Any = None,
    ) -> None:
        self.msg_id = msg_id
        self.correl_id = correl_id
        self.group_id = group_id
        self.seq_number = seq_number
        self.offset = offset
        self.token = token
        self.selector = selector

    def is_plain(self) -> bool:
        """Return whether it is a correlation id and nothing else, or nothing."""
        only = self.msg_id is None and self.group_id is None and self.token is None and self.selector is None
        return only and self.seq_number < 0 and self.offset < 0

    def accepts(self, message: Message) -> bool:
        if self.msg_id is not None and message.msg_id != self.msg_id:
            return False
        if self.correl_id is not None and message.correl_id != self.correl_id:
            return False
        if self.group_id is not None and message.descriptor.group_id != self.group_id:
            return False
        if self.seq_number >= 0 and message.descriptor.seq_number != self.seq_number:
            return False
        if self.offset >= 0 and message.descriptor.offset != self.offset:
            return False
        if self.token is not None and message.token != self.token:
            return False
        if self.selector is None:
            return True
        python_follows()
        return bool(self.selector.matches(message))


@cython.freelist(32)
@cython.cclass
class Waiter:
    """One waiting getter: its connection, its condition, and finally its result."""

    def __init__(
        self, queue: Queue, match: Match | None, unit: Any, wake: Any, retry: Any = None, cost: int = 0
    ) -> None:
        self.queue = queue
        self.match = match
        self.unit = unit
        self.wake = wake
        self.retry = retry
        self.account: Any = None  # of the connection that waits
        self.handle: Any = None  # the handle it waits with: closing that ends the wait
        self.cost = cost  # of asking it about a message; 0: its correlation id, if any, is looked up
        self.searches = 0  # of its selector
        if match is not None and match.selector is not None:
            self.cost, self.searches = match.selector.cost, match.selector.searches
        elif match is not None and not match.is_plain():
            self.cost = 1
        self.active = True
        self.message: Message | None = None
        self.reason = 0
        self.position = 0


class Waiting:
    """The waiters of one queue, oldest first; those by correlation id separately."""

    def __init__(self) -> None:
        self.count = 0
        self.retrying = 0
        self.cost = self.searches = 0  # of asking all of them about a message
        self.anything: dict[Waiter, None] = {}  # each leaves at once, however many wait
        self.by_correl_id: dict[bytes, dict[Waiter, None]] = {}

    def add(self, waiter: Waiter) -> None:
        self.count += 1
        self.cost += waiter.cost
        self.searches += waiter.searches
        if waiter.retry is not None:
            self.retrying += 1
        match = waiter.match
        if match is None or match.correl_id is None:
            self.anything[waiter] = None
            return
        several = self.by_correl_id.get(match.correl_id)
        if several is None:
            self.by_correl_id[match.correl_id] = {waiter: None}
        else:
            several[waiter] = None

    def remove(self, waiter: Waiter) -> None:
        """Forget a waiter that was answered, timed out or cancelled."""
        if not waiter.active:
            return
        waiter.active = False
        self.count -= 1
        self.cost -= waiter.cost
        self.searches -= waiter.searches
        if waiter.retry is not None:
            self.retrying -= 1
        match = waiter.match
        if match is None or match.correl_id is None:
            del self.anything[waiter]
            return
        several = self.by_correl_id[match.correl_id]
        if len(several) == 1:
            del self.by_correl_id[match.correl_id]
        else:
            del several[waiter]

    def find(self, message: Message) -> Waiter | None:
        """Return the waiter that a message goes to, or None."""
        if self.by_correl_id:
            several = self.by_correl_id.get(message.correl_id)
            if several is not None:
                for waiter in several:
                    if waiter.retry is None and (waiter.match is None or waiter.match.accepts(message)):
                        return waiter
        for waiter in self.anything:
            if waiter.retry is None and (waiter.match is None or waiter.match.accepts(message)):
                return waiter
        return None

    def retriers(self) -> list[Waiter]:
        """Return the waiters whose wish needs a look at the whole queue (groups, browse)."""
        found = [waiter for waiter in self.anything if waiter.retry is not None]
        for several in self.by_correl_id.values():
            found.extend(waiter for waiter in several if waiter.retry is not None)
        return found

    def asking(self) -> list[Waiter]:
        """Return the waiters that it costs something to ask about a message."""
        return [waiter for waiter in self.everyone() if waiter.cost]

    def everyone(self) -> list[Waiter]:
        found = list(self.anything)
        for several in self.by_correl_id.values():
            found.extend(several)
        return found
