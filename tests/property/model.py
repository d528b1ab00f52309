"""The model of a queue manager that property and crash tests compare with: lists, no disks."""

from __future__ import annotations

from dataclasses import dataclass, field

QUEUES = ("PRIO", "FIFO", "HIGH")


@dataclass(eq=False)
class Entry:
    body: bytes
    persistent: bool
    priority: int
    correl_id: bytes | None
    lane: int = 0
    count: int = 0
    held: bool = False


@dataclass
class Unit:
    puts: list[tuple[str, Entry]] = field(default_factory=list)
    gets: list[tuple[str, Entry]] = field(default_factory=list)


class Model:
    """What a queue manager promises, without disks."""

    def __init__(self) -> None:
        self.queues: dict[str, list[Entry]] = {name: [] for name in QUEUES}
        self.by_priority = {"PRIO": True, "FIFO": False, "HIGH": False}
        self.units: dict[int, Unit] = {}
        self.prepared: dict[str, Unit] = {}

    def show(self, queue: str, entry: Entry) -> None:
        entry.lane = entry.priority if self.by_priority[queue] else 0
        self.queues[queue].append(entry)

    def visible(self, queue: str) -> list[Entry]:
        return sorted((e for e in self.queues[queue] if not e.held), key=lambda e: -e.lane)

    def candidate(self, queue: str, unit: Unit | None, correl_id: bytes | None) -> Entry | None:
        fits = [e for e in self.visible(queue) if correl_id is None or e.correl_id == correl_id]
        own = [] if unit is None else [e for q, e in unit.puts if q == queue]
        own = [e for e in own if correl_id is None or e.correl_id == correl_id]
        if self.by_priority[queue]:
            own.sort(key=lambda e: -e.priority)
        return (fits or own or [None])[0]

    def get(self, queue: str, entry: Entry, unit: Unit | None) -> None:
        if unit is not None and (queue, entry) in unit.puts:
            unit.puts.remove((queue, entry))
        elif unit is not None:
            entry.held = True
            unit.gets.append((queue, entry))
        else:
            self.queues[queue].remove(entry)

    def commit(self, unit: Unit) -> None:
        for queue, entry in unit.gets:
            self.queues[queue].remove(entry)
        for queue, entry in unit.puts:
            self.show(queue, entry)

    def back_out(self, unit: Unit) -> None:
        for _, entry in unit.gets:
            entry.held = False
            entry.count += 1

    def restart(self, clean: bool) -> None:
        for unit in self.units.values():
            self.back_out(unit)
        self.units = {}
        for unit in self.prepared.values():
            for queue, entry in unit.gets:
                if not entry.persistent:
                    self.queues[queue].remove(entry)
            unit.puts = [(q, e) for q, e in unit.puts if e.persistent]
            unit.gets = [(q, e) for q, e in unit.gets if e.persistent]
        for name, entries in self.queues.items():
            self.queues[name] = [e for e in entries if e.persistent or (clean and name == "HIGH")]
