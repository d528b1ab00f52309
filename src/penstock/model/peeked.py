"""A message that is shown and left on its queue: one row of `qm.peek`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from penstock.model.message import Message

FREE, EXPIRED, UNREADABLE = "", "expired", "unreadable"
FIRST = (9, 0)  # before the first message in delivery order
LAST = (-1, 0)  # behind the last one, for those who read backwards


class Peeked(NamedTuple):
    """A message on a queue; `lane` and `place` say where, for the next `qm.peek`."""

    lane: int
    place: int
    length: int  # of the whole body
    holder: str  # "" for a message that a get could take; "expired"; "unreadable: why"; or who holds it
    message: Message  # its body may be cut
