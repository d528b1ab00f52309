"""A step of the engine, and its wishes: the engine's interface to disk and host.

The engine does no I/O. What one call needs before its caller may answer is in its `Step`; what has to be
done sooner or later is in `Wishes`. The holder of the engine lock calls `begin`, then the engine, then `end`,
and finishes the position that `end` returns; `host.session.ConnectionStep` does all of it in one `with`.

A new kind of wish (fetch a message from elsewhere, commit elsewhere, ask a repository) is a new field: of
`Step` when the caller has to wait for it, of `Wishes` when housekeeping does it. Compiled through `step.pxd`.
Invariant: between two steps nothing is left to load.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.deep.block import Block
    from penstock.qmgr.monitoring.accounts import Account

PUBLISH, COMMIT, CALL = 0, 1, 2  # what happens when an entry of `Wishes.pending` is on disk


class Wishes:
    """What the engine leaves to be done outside, collected until it is done."""

    def __init__(self) -> None:
        # position, kind, subject, message, where its records begin: finished by `Core.durable`
        self.pending: deque[tuple[int, int, Any, Any, int]] = deque()
        # for the next checkpoint
        self.unsaved: list[Message] = []  # persistent, visible, in no message file yet
        self.unsaved_kept = 0  # of them, when it was last seen which have no place in memory any more
        self.discards: list[int] = []  # places in message files that are not needed any more
        self.amended: list[Message] = []  # in a message file with an older backout count
        self.misfiled: list[Message] = []  # in a message file with an outdated head
        # for housekeeping
        self.dropping: list[list[Message]] = []  # puts of units that were backed out
        self.spilling: list[Message] = []  # more than their queue's buffer holds
        self.unsealed: list[Block] = []  # of packed messages, which are full: their ids are to be sorted
        self.unread: list[Any] = []  # bodies to read, and evaluations, before the next tick can go on
        self.to_compile: list[str] = []  # selectors to compile before the next tick can go on
        self.notices: list[tuple[str, str]] = []  # number and text for the error log

    def pending_end(self) -> int:
        """Return the position of the last entry that waits for the disk, 0 for none."""
        return self.pending[-1][0] if self.pending else 0

    def take_spilling(self) -> list[Message]:
        """Return the messages to move out of memory; they are the caller's now."""
        taken, self.spilling = self.spilling, []
        return taken

    def take_for_tick(self) -> tuple[list[Any], list[str], list[tuple[str, str]]]:
        """Return the bodies to read, the selectors to compile and the notices to write."""
        taken = self.unread, self.to_compile, self.notices
        self.unread, self.to_compile, self.notices = [], [], []
        return taken

    def take_for_checkpoint(self) -> tuple[list[Message], list[Message], list[int], list[Message]]:
        """Return the unsaved, misfiled, discarded and amended messages."""
        taken = self.unsaved, self.misfiled, self.discards, self.amended
        self.unsaved, self.misfiled, self.discards, self.amended = [], [], [], []
        self.unsaved_kept = 0
        return taken

    def give_back(
        self, unsaved: list[Message], misfiled: list[Message], discards: list[int], amended: list[Message]
    ) -> None:
        """Take back the work that a failed checkpoint has not done."""
        self.unsaved[:0] = unsaved
        self.misfiled[:0] = misfiled
        self.discards[:0] = discards
        self.amended[:0] = amended


class Step:
    """What the call that is in the engine needs before its caller may answer."""

    def __init__(self) -> None:
        self.position = 0  # of the journal: on disk before the answer; 0 for nothing
        self.to_load: list[Any] | None = None  # what to fetch before the same call is made again
        self.ticket: Any = None  # of a round of the group's facility: done before the answer
        self.answer: list[Any] | None = None  # what was fetched for the call that is made again
        self.account: Account | None = None  # counts what the connection does whose step this is
        self.searched = 0  # messages and terms that were looked at for gets that wait

    def begin(self) -> None:
        """Begin a step: clear the needs of the previous one."""
        self.position = 0
        self.to_load = None
        self.ticket = None
        self.answer = None
        self.account = None
        self.searched = 0

    def begin_for(self, account: Account) -> None:
        """Begin a step of a connection."""
        self.position = 0
        self.to_load = None
        self.ticket = None
        self.answer = None
        self.account = account
        self.searched = 0

    def end(self) -> int:
        """End a step; return the position that the caller has to finish. Bodies to load are taken before."""
        self.to_load = None
        if self.ticket is not None:
            self.ticket.position = self.position
            return -int(self.ticket.number)
        return self.position

    def wait_for_round(self, ticket: Any) -> None:
        """Have the caller wait for a round of the facility, after the position; `end` returns -number."""
        if self.ticket is not None:
            ticket.before = self.ticket
        self.ticket = ticket

    def no_round(self) -> None:
        """Let the caller go on without the round that was begun for it."""
        self.ticket = None

    def again(self, answer: list[Any] | None) -> None:
        """Say that the call is made again, with what was fetched for it."""
        self.answer = answer

    def wait_for(self, position: int) -> None:
        """Have the caller wait until a position is on disk."""
        self.position = position

    def load(self, messages: list[Any]) -> None:
        """Make the caller read bodies, or fetch what wishes ask for, and repeat the call.

        At once if there are none to read.
        """
        self.to_load = messages

    def take_load(self) -> list[Any] | None:
        """Return the bodies to read, which are the caller's business now; None when the call needs none."""
        messages = self.to_load
        self.to_load = None
        return messages
