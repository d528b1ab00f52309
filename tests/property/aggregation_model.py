"""What aggregations should do, in the simplest words: lists in memory, no units of work, no batches."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Trip:
    """An aggregation: its requests in order, and the replies that came."""

    requests: list[bytes]
    timeout: bool  # does it end by itself?
    over: bool  # was its time over before any reply could come?
    replies: dict[int, str] = field(default_factory=dict)
    is_open: bool = True

    def line(self) -> str:
        return " ".join(f"F={self.replies[n]}" for n in sorted(self.replies))


class Model:
    """All trips, the replies on their way, those that are held, and what came out."""

    def __init__(self, holds: bool) -> None:
        self.holds = holds
        self.trips: list[Trip] = []
        self.coming: list[tuple[bytes, str]] = []
        self.held: list[tuple[bytes, str]] = []
        self.outputs: dict[str, list[str]] = {"OUT": [], "LATE": [], "UNKNOWN": []}

    def collect(self, count: int | None = None) -> None:
        """Work on replies that are coming: all, or some."""
        count = len(self.coming) if count is None else count
        done, self.coming = self.coming[:count], self.coming[count:]
        for identifier, text in done:
            self.reply(identifier, text, self.holds)

    def reply(self, identifier: bytes, text: str, hold: bool) -> None:
        trip = next((each for each in self.trips if identifier in self.missing(each)), None)
        if trip is not None and trip.over:
            self.end(trip, "LATE")
            trip = None
        if trip is not None:
            trip.replies[trip.requests.index(identifier)] = text
            if len(trip.replies) == len(trip.requests):
                self.end(trip, "OUT")
        elif hold:
            self.held.append((identifier, text))
        else:
            self.outputs["UNKNOWN"].append(text)

    def missing(self, trip: Trip) -> list[bytes]:
        return [each for n, each in enumerate(trip.requests) if trip.is_open and n not in trip.replies]

    def end(self, trip: Trip, queue: str) -> None:
        trip.is_open = False
        self.outputs[queue].append(trip.line())

    def examine(self, count: int | None = None) -> None:
        """Look at replies that were held."""
        count = len(self.held) if count is None else count
        done, self.held = self.held[:count], self.held[count:]
        for identifier, text in done:
            self.reply(identifier, text, hold=False)

    def due(self) -> list[Trip]:
        """Return the trips that the timers would end, in any order."""
        waits = bool(self.coming)
        return [each for each in self.trips if each.is_open and each.timeout and (each.over or not waits)]

    def kept(self) -> dict[str, int]:
        """Return how many records there should be."""
        opened = [trip for trip in self.trips if trip.is_open]
        counts = {
            "CONTROL": len(opened),
            "REQUEST": sum(len(self.missing(trip)) for trip in opened),
            "REPLY": sum(len(trip.replies) for trip in opened),
            "TIMEOUT": sum(trip.timeout for trip in opened),
            "UNKNOWN": len(self.held),
        }
        return {name: count for name, count in counts.items() if count}
