"""The order of numbered messages: which may go on, which wait, which are missing. No I/O, no clock.

Each group has its own sequence. Messages wait until the one before them has gone on. If one is missing for
too long, those that wait are given up together with the numbers that are missing, and the group ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.flow.events.event import Event


LAST = ("last", "only")  # marks the event that ends its sequence


@dataclass
class Sequence:
    """The messages of one group that wait."""

    following: int | None = None  # the number that may go on; None until the first is known
    waiting: dict[int, list[Event]] = field(default_factory=dict)
    since: float = 0.0  # since when the next one is missing

    def add(self, event: Event, is_first: bool) -> None:
        """Keep a message until its turn; the first one of a sequence determines where it begins."""
        if is_first and self.following is None:
            self.following = event.number
        if not self.waiting:
            self.since = event.came
        self.waiting.setdefault(event.number, []).append(event)

    def run(self) -> list[Event]:
        """Return the messages that can be sent now, in order: consecutive numbers, also late ones.

        A run ends with the last message of its sequence.
        """
        if self.following is None:
            return []
        found: list[Event] = []
        following = self.following
        for number in sorted(self.waiting):
            if number > following:
                break
            found += self.waiting[number]
            following = max(following, number + 1)
            if any(event.terminal in LAST for event in self.waiting[number]):
                break
        return found

    def gone(self, identities: set[bytes], now: float) -> bool:
        """Remove messages that were sent; return whether the last one of the sequence was among them."""
        ended = False
        for number in sorted(self.waiting):
            left = []
            for event in self.waiting[number]:
                if event.identity not in identities:
                    left.append(event)
                    continue
                ended = ended or event.terminal in LAST
                self.following = max(self.following or number, number + 1)
            if left:
                self.waiting[number] = left
            else:
                del self.waiting[number]
        self.since = now
        return ended

    def missing(self) -> list[int]:
        """Return the numbers that are missing before the last one that waits."""
        if not self.waiting:
            return []
        begin = min(self.waiting) if self.following is None else self.following
        return [number for number in range(begin, max(self.waiting)) if number not in self.waiting]
