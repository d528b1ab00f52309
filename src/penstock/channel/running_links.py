"""The receiving ends of a queue manager that have a link, by channel and partner, while the process lives.

A new link finds the old one of its channel and partner here and ends it (`Receiver.adopt`). Also kept: how
many fast messages came by each of the last links, because a sending end asks for that when its line broke.
What must survive the process is in the sync book, not here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.channel.receiver import Receiver

PARTNERS_REMEMBERED_MAX = 20_000  # that have no link any more, of all channels
LINKS_REMEMBERED_MAX = 16  # of a channel and partner, with the fast messages that came by them
ENDED = "ENDED"  # the state of an end whose link is gone


@dataclass(slots=True)
class Running:
    """The receiving ends that have a link, and their counts, while the process lives."""

    process: int  # a number that no other run of this queue manager has: `Engine.seed`
    ends: dict[tuple[str, str], Receiver] = field(default_factory=dict)  # by channel and QMID of the partner
    taken: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)  # fast messages, by link
    links: int = 0

    def token(self) -> str:
        """Return a name for a new link that no link ever had."""
        self.links += 1
        return f"{self.process:x}.{self.links:x}"

    def enter(self, key: tuple[str, str], end: Receiver) -> None:
        """Note the end that runs for a channel and partner; forget the first that ended if they are many."""
        self.ends.pop(key, None)
        self.ends[key] = end
        if len(self.ends) > PARTNERS_REMEMBERED_MAX:
            gone = next((each for each, of_it in self.ends.items() if of_it.state == ENDED), None)
            if gone is not None:
                del self.ends[gone]
                self.taken.pop(gone, None)

    def count_of(self, key: tuple[str, str], link: str, last: Receiver) -> int | None:
        """Return how many fast messages a link delivered; drop older links, and add the last link's."""
        counts = self.taken.setdefault(key, {})
        counts[last.token] = last.fast_taken
        older = list(counts)[: list(counts).index(link) if link in counts else -LINKS_REMEMBERED_MAX]
        for each in older:
            del counts[each]
        return counts.get(link)
