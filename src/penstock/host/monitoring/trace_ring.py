"""The ring of recorded events: places that are written over, one assignment per fact.

A place is an `Event` that is used again when the ring has come round; text and dictionaries are made only
when somebody reads. The engine records through `put`, `got` and `ended`, channels through `note`. The caller
has the gate or the GIL. Compiled through `trace_ring.pxd`: it is on the way of every traced message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.qmgr.monitoring.tracing import Tracer
from penstock.qmgr.unit_of_work import UnitOfWork

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.monitoring.accounts import Account
    from penstock.qmgr.queue import Queue

EVENTS_MAX = 10_000
QUEUE, UNIT = "QUEUE", "UNIT"


class Event:
    """One event; which facts it has depends on its kind."""

    def __init__(self) -> None:
        self.number = 0
        self.time = 0.0
        self.kind = self.name = self.event = ""
        self.connection = 0
        self.unit = 0
        self.msg_id: bytes | None = None
        self.depth = self.length = 0
        self.persistent = False
        self.puts = self.gets = 0
        self.facts: dict[str, Any] | None = None

    def shown(self) -> dict[str, Any]:
        """Return the event with names, as programs and files have it."""
        about: dict[str, Any] = {"number": self.number, "time": self.time, "kind": self.kind}
        about |= {"name": self.name, "event": self.event}
        if self.facts is not None:
            return about | self.facts
        if self.msg_id is None:
            about |= {"unit": self.unit, "puts": self.puts, "gets": self.gets}
        else:
            about |= {"msg_id": self.msg_id.hex(), "unit": self.unit, "depth": self.depth}
            about |= {"bytes": self.length, "persistent": bool(self.persistent)}
        return about | {"connection": self.connection}


class TraceRing(Tracer):
    """The events of one queue manager, and what of the engine's work is recorded."""

    def __init__(self) -> None:
        self.number = 0  # of the last event
        self.everything = False
        self.queues: set[str] = set()
        self.connections: set[int] = set()
        self._events: list[Event] = []
        self._recorded = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing that the engine does is recorded."""
        return not (self.everything or self.queues or self.connections)

    def put(self, queue: Queue, message: Message, account: Account | None) -> None:
        """Record a put."""
        if self.everything or self._wants(queue, account):
            self._message(queue, message, account, "put")

    def got(self, queue: Queue, message: Message, account: Account | None) -> None:
        """Record a get."""
        if self.everything or self._wants(queue, account):
            self._message(queue, message, account, "get")

    def ended(self, unit: UnitOfWork, how: str) -> None:
        """Record the end of a unit of work."""
        number = 0 if unit.owner is None else unit.owner.number
        if not (self.everything or number in self.connections):
            return
        event = self._next(UNIT, str(unit.number), how)
        event.unit = unit.number
        event.connection = number
        event.puts = len(unit.puts)
        event.gets = len(unit.gets)
        event.msg_id = None

    def note(self, kind: str, name: str, event: str, facts: dict[str, Any]) -> None:
        """Record something else."""
        self._next(kind, name, event).facts = facts

    def take_number(self) -> int:
        """Return the number of an event that is kept elsewhere."""
        self.number += 1
        return self.number

    def events(self) -> Iterator[Event]:
        """Yield the events, oldest first."""
        start = self._recorded % EVENTS_MAX if self._recorded > EVENTS_MAX else 0
        yield from self._events[start:]
        yield from self._events[:start]

    def _wants(self, queue: Queue, account: Account | None) -> bool:
        if self.queues and queue.name in self.queues:
            return True
        return bool(self.connections) and account is not None and account.number in self.connections

    def _message(self, queue: Queue, message: Message, account: Account | None, how: str) -> None:
        event = self._next(QUEUE, queue.name, how)
        event.msg_id = message.msg_id
        event.depth = queue.depth
        event.length = message.length
        event.persistent = message.persistent
        unit = message.owner
        event.unit = unit.number if isinstance(unit, UnitOfWork) else 0
        event.connection = 0 if account is None else account.number

    def _next(self, kind: str, name: str, how: str) -> Event:
        """Return the place of the next event, with what all events have."""
        place = self._recorded % EVENTS_MAX
        self._recorded += 1
        if place < len(self._events):
            event = self._events[place]
        else:
            event = Event()
            self._events.append(event)
        self.number += 1
        event.number = self.number
        event.time = clock()
        event.kind = kind
        event.name = name
        event.event = how
        event.facts = None
        return event
