"""Named moments in the life of a batch, at which crash tests stop, kill or cut: the code that ships has them.

`plan` is None in production, and nothing happens. A crash test puts a function there, in the process that it
starts; it is called with the name of the moment that is reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GOT, MOVED = "got", "moved"
PREPARE_APPENDED, PREPARE_DURABLE = "prepare-appended", "prepare-durable"
CONFIRM_WRITTEN, CONFIRM_READ = "confirm-written", "confirm-read"
COMMIT_APPENDED, COMMIT_DURABLE = "commit-appended", "commit-durable"
CONFIRMED_WRITTEN, CONFIRMED_READ = "confirmed-written", "confirmed-read"
BATCH_COMMITTED = "batch-committed"
ADOPTED, ANSWERED = "adopted", "answered"
AT_SENDER = (
    GOT,
    MOVED,
    PREPARE_APPENDED,
    PREPARE_DURABLE,
    CONFIRM_WRITTEN,
    CONFIRMED_READ,
    BATCH_COMMITTED,
)
AT_RECEIVER = (CONFIRM_READ, COMMIT_APPENDED, COMMIT_DURABLE, CONFIRMED_WRITTEN, ADOPTED, ANSWERED)

plan: Callable[[str], None] | None = None


def reached(name: str) -> None:
    """Note that a moment has come."""
    if plan is not None:
        plan(name)
