"""A step of the engine, and its wishes: the engine's interface to disk and host.

The engine does no I/O. What one call needs before its caller may answer is in its `Step`; what has to be
done sooner or later is in `Wishes`. Whoever holds the engine lock calls `begin`, then the engine, then `end`,
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

PUBLISH, COMMIT, CALL = 0, 1, 2  # what happens when an entry of `Wishes.pending` is on disk


class Wishes:
    """What the engine leaves to be done outside, collected until it is done."""

    def __init__(self) -> None:
        # position, kind, subject, message, where its records begin: finished by `Core.durable`
        self.pending: deque[tuple[int, int, Any, Any, int]] = deque()
        # for the next checkpoint
        self.unsaved: list[Message] = []  # persistent, visible, in no message file yet
        self.discards: list[int] = []  # places in message files that are not needed any more
        self.amended: list[Message] = []  # in a message file with an older backout count
        self.misfiled: list[Message] = []  # in a message file with an outdated head
        # for housekeeping
        self.spilling: list[Message] = []  # more than their queue's buffer holds
        self.unread: list[Message] = []  # bodies to read before the next tick can go on
        self.to_compile: list[str] = []  # selectors to compile before the next tick can go on
        self.notices: list[tuple[str, str]] = []  # number and text for the error log

    def pending_end(self) -> int:
        """Return the position of the last entry that waits for the disk, 0 for none."""
        return self.pending[-1][0] if self.pending else 0

    def take_spilling(self) -> list[Message]:
        """Return the messages to move out of memory; they are the caller's now."""
        taken, self.spilling = self.spilling, []
        return taken

    def take_for_tick(self) -> tuple[list[Message], list[str], list[tuple[str, str]]]:
        """Return the bodies to read, the selectors to compile and the notices to write."""
        taken = self.unread, self.to_compile, self.notices
        self.unread, self.to_compile, self.notices = [], [], []
        return taken

    def take_for_checkpoint(self) -> tuple[list[Message], list[Message], list[int], list[Message]]:
        """Return the unsaved, misfiled, discarded and amended messages."""
        taken = self.unsaved, self.misfiled, self.discards, self.amended
        self.unsaved, self.misfiled, self.discards, self.amended = [], [], [], []
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
        self.to_load: list[Message] | None = None  # bodies to read before the same call is made again

    def begin(self) -> None:
        """Begin a step: clear the needs of the previous one."""
        self.position = 0
        self.to_load = None

    def end(self) -> int:
        """End a step; return the position that the caller has to finish. Bodies to load are taken before."""
        self.to_load = None
        return self.position

    def wait_for(self, position: int) -> None:
        """Have the caller wait until a position is on disk."""
        self.position = position

    def load(self, messages: list[Message]) -> None:
        """Make the caller read bodies and repeat the call; at once if there are none to read."""
        self.to_load = messages

    def take_load(self) -> list[Message] | None:
        """Return the bodies to read, which are the caller's business now; None when the call needs none."""
        messages = self.to_load
        self.to_load = None
        return messages
