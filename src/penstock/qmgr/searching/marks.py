"""Marks that browsers leave on messages, so that several can share a queue.

A mark for a handle is that handle's own and lasts as long as it is open. A mark for the cooperating set
(handles opened with CO_OP) ends after MARKINT, or when the handle that made it closes. Kept by the
queue from the first mark on; a message that is got loses its marks. Called by `browsing` and `getting`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue

MILLISECONDS = 1000
SETTING = mq.MQGMO_MARK_BROWSE_HANDLE | mq.MQGMO_MARK_BROWSE_CO_OP
REMOVING = mq.MQGMO_UNMARK_BROWSE_HANDLE | mq.MQGMO_UNMARK_BROWSE_CO_OP
CO_OP = mq.MQGMO_MARK_BROWSE_CO_OP | mq.MQGMO_UNMARK_BROWSE_CO_OP
OPTIONS = SETTING | REMOVING | mq.MQGMO_UNMARKED_BROWSE_MSG


@dataclass(slots=True, eq=False)
class Mark:
    """Who has marked one message."""

    until: float = 0.0
    by: Handle | None = None
    handles: list[Handle] = field(default_factory=list)

    def shared(self, now: float) -> bool:
        """Return whether a cooperating browser has the message."""
        return self.by is not None and not self.by.closed and self.until > now

    def hides_from(self, handle: Handle, now: float) -> bool:
        """Return whether this handle's browse for unmarked messages passes the message by."""
        return handle in self.handles or (handle.has(mq.MQOO_CO_OP) and self.shared(now))


def hidden(queue: Queue, handle: Handle, message: Message, now: float) -> bool:
    """Return whether a browse for unmarked messages must pass this one by."""
    mark = None if queue.marks is None else queue.marks.get(message)
    return mark is not None and mark.hides_from(handle, now)


def check_free(queue: Queue, message: Message, now: float) -> None:
    """Raise 2200 when a cooperating browser has marked the message."""
    mark = None if queue.marks is None else queue.marks.get(message)
    if mark is not None and mark.shared(now):
        raise error(mq.MQRC_MSG_MARKED_BROWSE_CO_OP, "another cooperating browser has marked the message")


def interval_seconds(engine: Engine) -> float:
    """Return how long a mark of a cooperating browser lasts (MARKINT)."""
    interval = engine.definition.attributes["MARKINT"]
    return float("inf") if interval == "NOLIMIT" else int(str(interval)) / MILLISECONDS


def change(engine: Engine, handle: Handle, message: Message, options: int, now: float) -> None:
    """Set and remove marks by the options."""
    queue = handle.queue
    assert queue is not None
    if queue.marks is None:
        queue.marks = {}
        queue.watched = True
    mark = queue.marks.setdefault(message, Mark())
    mark.handles = [each for each in mark.handles if not each.closed and each is not handle]
    if options & mq.MQGMO_MARK_BROWSE_HANDLE:
        mark.handles.append(handle)
    if options & mq.MQGMO_MARK_BROWSE_CO_OP:
        mark.until = now + interval_seconds(engine)
        mark.by = handle
    if options & mq.MQGMO_UNMARK_BROWSE_CO_OP:
        mark.by = None
    if mark.by is None and not mark.handles:
        del queue.marks[message]


def forget(queue: Queue, message: Message) -> None:
    """Remove every mark of a message that is got: it is unmarked even when the get is backed out."""
    if queue.marks is not None:
        queue.marks.pop(message, None)
