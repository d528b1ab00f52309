"""The work that a node with stored messages does in one unit, and the interface that decides it.

A `Keeper` receives events and returns what is ready; `running/event_listener.py` does it: takes events off
the queue, puts records back, sends messages. All of it happens, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from penstock.flow.events.event import Event
    from penstock.model.message import Message as QueueMessage
    from penstock.tree import Message


class Out(NamedTuple):
    """A message for a terminal, and its LocalEnvironment."""

    terminal: str
    message: Message
    local_environment: Message


class Sending(NamedTuple):
    """One unit of work; `key` is the same when it is tried again."""

    key: Hashable
    takes: list[bytes]
    messages: Callable[[], list[Out]]
    puts: list[QueueMessage]


class Keeper(Protocol):
    """Decides what becomes of kept messages. It does no I/O."""

    def add(self, event: Event) -> None:
        """Learn of an event."""

    def ready(self, now: float) -> list[Sending]:
        """Return what can be done now, in order."""

    def done(self, sending: Sending, now: float) -> None:
        """Remove the finished work."""

    def due(self) -> float | None:
        """Return when something will be ready, if no event comes; None for never."""
