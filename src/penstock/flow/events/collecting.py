"""Which messages form a collection: by input terminal, correlation, number and time. No I/O, no clock.

A collection is complete when every terminal has its messages: as many as its `quantity`, or whatever came
within its `timeout` after the first. One whose `expiry` is over before that has expired.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.flow.events.event import Event


class Handler(NamedTuple):
    """What a Collector does with the messages of one input terminal; 0 and "" mean none.

    `path` is an XPath expression; the messages of a collection have the same value there. Where `pattern` is
    given (`*.order.xml`), the part of the value at its asterisk counts.
    """

    terminal: str
    quantity: int = 0
    timeout: float = 0.0
    path: str = ""
    pattern: str = ""


@dataclass
class Collection:
    """A collection in the making."""

    group: str
    began: float
    events: dict[str, list[Event]] = field(default_factory=dict)

    def ordered(self, handlers: Sequence[Handler]) -> list[Event]:
        """Return its events: by terminal in the order of the table, then as they came."""
        return [event for handler in handlers for event in self.events.get(handler.terminal, ())]

    def has_room(self, handler: Handler, now: float) -> bool:
        """Return whether a terminal takes another message."""
        mine = self.events.get(handler.terminal, ())
        if handler.quantity and len(mine) >= handler.quantity:
            return False
        return not (mine and handler.timeout and now >= mine[0].came + handler.timeout)

    def is_complete(self, handlers: Sequence[Handler], now: float) -> bool:
        """Return whether every terminal has its messages."""
        return all(self.events.get(each.terminal) and not self.has_room(each, now) for each in handlers)

    def due(self, handlers: Sequence[Handler], expiry: float) -> float | None:
        """Return when to look at it again, if no message comes; None for never."""
        times = [
            self.events[each.terminal][0].came + each.timeout
            for each in handlers
            if each.timeout and self.events.get(each.terminal)
        ]
        return min([*times, *([self.began + expiry] if expiry else [])], default=None)


class Collections:
    """The collections of a node, the oldest first."""

    def __init__(self, handlers: Sequence[Handler], expiry: float) -> None:
        self.handlers = {each.terminal: each for each in handlers}
        self.expiry = expiry
        self.open: list[Collection] = []

    def add(self, event: Event) -> None:
        """Put an event into the first collection of its group that has room, or into a new one."""
        handler = self.handlers[event.terminal]
        for each in self.open:
            if (
                each.group == event.group
                and each.has_room(handler, event.came)
                and not self._over(each, event.came)
            ):
                each.events.setdefault(event.terminal, []).append(event)
                return
        self.open.append(Collection(event.group, event.came, {event.terminal: [event]}))

    def complete(self, now: float) -> list[Collection]:
        """Return the collections that are complete."""
        table = list(self.handlers.values())
        return [each for each in self.open if each.is_complete(table, now)]

    def expired(self, now: float) -> list[Collection]:
        """Return the collections whose time is over and that are not complete."""
        table = list(self.handlers.values())
        return [each for each in self.open if self._over(each, now) and not each.is_complete(table, now)]

    def _over(self, collection: Collection, now: float) -> bool:
        return bool(self.expiry) and now >= collection.began + self.expiry
