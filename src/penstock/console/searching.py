"""Search through a queue: messages are looked at, slice after slice, and none is taken or changed.

A request ends when it has found a page, has looked at 25,000 messages or has taken two seconds; it returns
what it found and where to go on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from penstock.console.masking import masked_rows
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.peeked import FIRST, LAST

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.model.peeked import Peeked

ROWS = 50
SLICE = 1000
EXAMINED_MAX = 25_000
SECONDS_MAX = 2.0
BODY_BYTES = 64 << 10  # of each body that is searched
PREVIEW_BYTES = 512


@dataclass
class Conditions:
    """What messages are wanted; empty ones accept all."""

    text: str = ""
    name: str = ""  # of a property or a header
    value: str | None = None
    since: float = 0.0
    until: float = 0.0

    @property
    def wants_all(self) -> bool:
        """Whether every message is accepted."""
        return not (self.text or self.name or self.since or self.until)

    def accepts(self, row: Peeked) -> bool:
        """Say whether a message is wanted."""
        message = row.message
        if message.put_time < self.since or 0 < self.until <= message.put_time:
            return False
        if self.name and not self._has_property(row):
            return False
        if not self.text:
            return True
        needle = self.text.encode().lower()
        ids = message.msg_id.hex() + " " + message.correl_id.hex()
        return needle in bytes(message.body or b"").lower() or self.text.lower() in ids

    def _has_property(self, row: Peeked) -> bool:
        message = row.message
        found: object = (message.properties or {}).get(self.name)
        if found is None:
            found = getattr(message.descriptor, self.name.lower(), None)
        if found is None and self.name.lower() in ("priority", "persistent", "backout_count"):
            found = getattr(message, self.name.lower())
        if found is None:
            return False
        return self.value is None or str(found).strip().lower() == self.value.lower()


@dataclass
class Found:
    """What a search came to."""

    rows: list[Peeked] = field(default_factory=list)
    examined: int = 0
    after: tuple[int, int] | None = None  # where to go on; None at the end of the queue


def conditions_of(text: str, property_: str, since: str, until: str) -> Conditions:
    """Return the conditions that a person typed; 2046 for a time that is none."""
    name, equals, value = property_.partition("=")
    return Conditions(
        text.strip(), name.strip(), value.strip() if equals else None, _moment(since), _moment(until)
    )


def _moment(text: str) -> float:
    if not text:
        return 0.0
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise error(mq.MQRC_OPTIONS_ERROR, f"{text[:40]} is not a time such as 2026-11-18T10:30") from None


def search(
    qm: ClientQueueManager,
    queue: str,
    wanted: Conditions,
    after: tuple[int, int] | None,
    backwards: bool,
    rows_max: int = ROWS,
) -> Found:
    """Return the next messages that are wanted."""
    found = Found()
    place = after or (LAST if backwards else FIRST)
    end = time.monotonic() + SECONDS_MAX
    count, size = (rows_max, PREVIEW_BYTES) if wanted.wants_all else (SLICE, BODY_BYTES)
    while True:
        rows = qm.peek(queue, after=place, count=count, body_bytes=size, backwards=backwards)
        for row in masked_rows(rows, queue):
            found.examined += 1
            place = (row.lane, row.place)
            if wanted.accepts(row):
                found.rows.append(row)
                if len(found.rows) == rows_max:
                    found.after = place
                    return found
        if not rows:
            return found
        if found.examined >= EXAMINED_MAX or time.monotonic() > end:
            found.after = place
            return found


def place_of(text: str) -> tuple[int, int] | None:
    """Return the place that an address names; 2046 for what is none.

    >>> place_of("4.1024"), place_of("")
    ((4, 1024), None)
    """
    if not text:
        return None
    lane, _, place = text.partition(".")
    if not (lane.lstrip("-").isdigit() and place.isdigit() and len(place) < 19):
        raise error(mq.MQRC_OPTIONS_ERROR, f"{text[:40]} is not a place on a queue")
    return int(lane), int(place)
