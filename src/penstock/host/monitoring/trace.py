"""What is traced on a queue manager: a channel, a queue, connections, a flow, or everything.

The last few milestones of a thing (`keep`) are always there. Everything else is recorded in a ring
(`trace_ring`) only while somebody looks: each reading keeps the watch on for some seconds, and a watch that
nobody renews ends by itself. Channels ask `watches` first, one look at a dictionary that is mostly empty; the
engine has a tracer only while there is something for it to record. Old events fall out of the ring; their
numbers show the gap. Bodies of messages are never recorded.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.face._clock import monotonic
from penstock.host.monitoring.trace_ring import QUEUE, Event, TraceRing
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from penstock.qmgr.connections import Connection

READ_MAX = 1_000  # events in one answer
WATCHES_MAX = 100
MILESTONES_MAX = 16  # of one thing
NAMES_MAX = 20_000  # things with milestones
WATCH_SECONDS = 10.0  # that a watch lasts after the last reading
DAY_SECONDS = 86_400.0  # a watch lasts no longer
CHANNEL, EVERYTHING, CONNECTION, FLOW = "CHANNEL", "ALL", "CONNECTION", "FLOW"
PROGRAM = "PROGRAM"  # connections with an application's name
KINDS = (CHANNEL, QUEUE, CONNECTION, FLOW, PROGRAM, EVERYTHING)
BY_CONNECTION = (CHANNEL, CONNECTION, FLOW, PROGRAM)


class Trace:
    """The watches of one queue manager, and its ring."""

    def __init__(self) -> None:
        self.watches: dict[tuple[str, str], float] = {}  # until when, by kind and name
        self.ring = TraceRing()
        self._milestones: dict[tuple[str, str], deque[tuple[int, float, str, str]]] = {}
        self._members: dict[tuple[str, str], set[int]] = {}  # connections of a watch, also those that ended

    def tracer_for(self, connected: Iterable[Connection]) -> TraceRing | None:
        """Return what the engine calls while it has something to record; None otherwise.

        To be asked again when a watch begins or ends, and when a program connects.
        """
        ring, everyone = self.ring, list(connected)
        ring.everything = (EVERYTHING, "") in self.watches
        ring.queues = {name for kind, name in self.watches if kind == QUEUE}
        programs = [each for each in self.watches if each[0] in BY_CONNECTION]
        for watch in programs:
            if watch not in self._members and len(self._members) >= WATCHES_MAX:
                del self._members[next(iter(self._members))]
            members = self._members.setdefault(watch, set())
            members.update(each.number for each in everyone if _is_of(each, *watch))
        ring.connections = {number for watch in programs for number in self._members.get(watch, ())}
        return ring if programs or not ring.is_idle else None

    def is_watched(self, kind: str, name: str) -> bool:
        """Return whether it, or everything, is watched; an expired watch is removed."""
        return self._lasts(kind, name) or self._lasts(EVERYTHING, "")

    def _lasts(self, kind: str, name: str) -> bool:
        until = self.watches.get((kind, name))
        if until is None:
            return False
        if until < monotonic():
            self.watches.pop((kind, name), None)
            return False
        return True

    def forget_expired(self) -> None:
        """Remove the watches whose time is over."""
        now = monotonic()
        for key in [key for key, until in list(self.watches.items()) if until < now]:
            self.watches.pop(key, None)

    def note(self, kind: str, name: str, event: str, **facts: Any) -> None:
        """Record an event of something that is watched."""
        self.ring.note(kind, name, event, facts)

    def keep(self, kind: str, name: str, event: str, text: str) -> None:
        """Record a milestone, whether it is watched or not."""
        kept = self._milestones.get((kind, name))
        if kept is None:
            if len(self._milestones) >= NAMES_MAX:
                del self._milestones[next(iter(self._milestones))]
            kept = self._milestones[kind, name] = deque(maxlen=MILESTONES_MAX)
        kept.append((self.ring.take_number(), time.time(), event, text))

    def read(self, kind: str, name: str, after: int = 0, seconds: float = 0.0) -> list[dict[str, Any]]:
        """Watch a thing from now on, and return its events behind a number.

        The watch lasts for `seconds`, or some seconds after the last reading; a negative number ends it, and
        all watches for the kind ALL.
        """
        if kind not in KINDS:
            raise error(mq.MQRC_OPTIONS_ERROR, f"{kind[:20]} cannot be traced; {', '.join(KINDS)} can")
        now = monotonic()
        self.forget_expired()
        if len(self.watches) >= WATCHES_MAX and (kind, name) not in self.watches:
            raise error(mq.MQRC_RESOURCE_PROBLEM, f"{WATCHES_MAX} things are traced already")
        if seconds < 0 and kind == EVERYTHING:
            self.watches.clear()
        elif seconds < 0:
            self.watches.pop((kind, name), None)
        else:
            until = now + min(max(seconds, WATCH_SECONDS), DAY_SECONDS)
            self.watches[kind, name] = max(until, self.watches.get((kind, name), 0.0))
        return self._recorded(kind, name, after)

    def _recorded(self, kind: str, name: str, after: int) -> list[dict[str, Any]]:
        found = [each for each in self.ring.events() if each.number > after]
        if kind == EVERYTHING:
            return [each.shown() for each in found[:READ_MAX]]
        members = self._members.get((kind, name), ())
        if kind in BY_CONNECTION and kind != CHANNEL:
            return [each.shown() for each in found if each.connection in members][:READ_MAX]
        rows = [
            each.shown() for each in found if (each.kind, each.name) == (kind, name) or _is_by(each, members)
        ]
        for number, at, event, text in list(self._milestones.get((kind, name), ())):
            if number > after:
                about = {"number": number, "time": at, "kind": kind, "name": name, "event": event}
                rows.append(about | {"text": text})
        rows.sort(key=lambda row: int(row["number"]))
        return rows[:READ_MAX]


def _is_by(event: Event, members: Collection[int]) -> bool:
    """Return whether one of some connections did it."""
    return event.facts is None and event.connection in members


def _is_of(connection: Connection, kind: str, name: str) -> bool:
    """Return whether a connection has an id, or serves a flow.

    The program name of a flow in a broker is the broker's, the group's and its own, joined by dots.
    """
    if kind == CONNECTION:
        return f"{connection.number:016X}" == name.upper()
    if kind == PROGRAM:
        return connection.application == name
    if kind == CHANNEL:
        return connection.channel == name
    return connection.application == name or connection.application.endswith(f".{name}")
