"""What the engine needs of a journal and of a queue, as types.

A `Journal` takes records and has positions: the real one (`store.journal`), its stand-in during a replay
(`host.starting`), and lists in tests. A `MessageQueue` is the interface of every queue for checks, waits and
displays, wherever its messages are; `qmgr.queue.Queue` keeps them in memory. mypy checks both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.objects import Definition


class Journal(Protocol):
    """Where the engine writes its records; they are on disk later."""

    @property
    def end(self) -> int:
        """The position behind the last record."""

    def append(self, kind: int, head: bytes, body: bytes = b"") -> int:
        """Add a record; return the position behind it. Who waits for that has the record on disk."""


class MessageQueue(Protocol):
    """A queue: its current definition, its figures, and the gets that wait for a message."""

    name: str
    id: int
    definition: Definition
    deleted: bool
    temporary: bool  # a temporary dynamic queue
    put_enabled: bool
    get_enabled: bool
    depth: int
    depth_max: int
    puts_failed: int
    length_max: int
    uncommitted: int
    inputs: int  # handles that are open for input
    outputs: int
    exclusive: bool  # open for input by one handle alone
    last_put: float
    last_get: float
    waiting: Any  # Waiting, made for the first waiter

    def oldest(self) -> Message | None:
        """Return the message that was put first."""
