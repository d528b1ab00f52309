"""A bounded record of events of watched objects, such as channels.

The last few milestones of a thing (`keep`) are always there. Everything else (`note`) is recorded only while
somebody looks: each reading keeps the watch on for some seconds, and a watch that nobody renews ends by
itself. Whoever records asks `watches` first, one look at a dictionary that is mostly empty. Old events fall
out of the ring; their numbers show the gap. Bodies of messages are never recorded.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from penstock.face._clock import monotonic
from penstock.model import constants as mq
from penstock.model.errors import error

EVENTS_MAX = 10_000
READ_MAX = 1_000  # events in one answer
WATCHES_MAX = 100
MILESTONES_MAX = 16  # of one thing
NAMES_MAX = 20_000  # things with milestones
WATCH_SECONDS = 10.0  # that a watch lasts after the last reading
CHANNEL = "CHANNEL"
KINDS = (CHANNEL,)


class Trace:
    """The ring of one queue manager."""

    def __init__(self) -> None:
        self.watches: dict[tuple[str, str], float] = {}  # until when, by kind and name
        self._events: deque[dict[str, Any]] = deque(maxlen=EVENTS_MAX)
        self._milestones: dict[tuple[str, str], deque[tuple[int, float, str, str]]] = {}
        self._number = 0

    def is_watched(self, kind: str, name: str) -> bool:
        """Return whether it is watched; an expired watch is removed."""
        until = self.watches.get((kind, name))
        if until is None:
            return False
        if until < monotonic():
            self.watches.pop((kind, name), None)
            return False
        return True

    def note(self, kind: str, name: str, event: str, **facts: Any) -> None:
        """Record an event."""
        self._number += 1
        about = {"number": self._number, "time": time.time(), "kind": kind, "name": name, "event": event}
        self._events.append(about | facts)

    def keep(self, kind: str, name: str, event: str, text: str) -> None:
        """Record a milestone, whether it is watched or not."""
        self._number += 1
        kept = self._milestones.get((kind, name))
        if kept is None:
            if len(self._milestones) >= NAMES_MAX:
                del self._milestones[next(iter(self._milestones))]
            kept = self._milestones[kind, name] = deque(maxlen=MILESTONES_MAX)
        kept.append((self._number, time.time(), event, text))

    def read(self, kind: str, name: str, after: int = 0) -> list[dict[str, Any]]:
        """Watch a thing from now on, and return its events behind a number."""
        if kind not in KINDS:
            raise error(mq.MQRC_OPTIONS_ERROR, f"{kind[:20]} cannot be traced; {', '.join(KINDS)} can")
        now = monotonic()
        for key in [key for key, until in list(self.watches.items()) if until < now]:
            self.watches.pop(key, None)
        if len(self.watches) >= WATCHES_MAX and (kind, name) not in self.watches:
            raise error(mq.MQRC_RESOURCE_PROBLEM, f"{WATCHES_MAX} things are traced already")
        self.watches[kind, name] = now + WATCH_SECONDS
        found = [each for each in list(self._events) if (each["kind"], each["name"]) == (kind, name)]
        for number, at, event, text in list(self._milestones.get((kind, name), ())):
            about = {"number": number, "time": at, "kind": kind, "name": name, "event": event}
            found.append(about | {"text": text})
        found.sort(key=lambda each: each["number"])
        return [each for each in found if each["number"] > after][:READ_MAX]
