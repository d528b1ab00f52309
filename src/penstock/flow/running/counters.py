"""The counts of a flow's nodes and wires, all its instances in this process together.

Every instance counts (`node_counts`); a reader gives `Counters` to `CompiledFlow.start`. Times
are of one message in 16, or of each where that is asked for.
"""

from __future__ import annotations

from typing import Any

from penstock.flow.node_counts import BOUNDS_SECONDS, NodeCount, Probe, Stopwatch, Wire

SAMPLED = 16  # of so many messages, one is timed

__all__ = ["BOUNDS_SECONDS", "SAMPLED", "Counters", "InstanceCounts"]


class InstanceCounts:
    """What one instance counts."""

    def __init__(self, every: int = 0, probe: Probe | None = None) -> None:
        self.watch = Stopwatch(every)
        self.probe = Probe() if probe is None else probe
        self.nodes: dict[str, NodeCount] = {}
        self.wires: list[Wire] = []

    def node(self, label: str, type: str) -> NodeCount:
        """Return the counts of a node."""
        return self.nodes.setdefault(label, NodeCount(label, type))

    def wire(self, onward: Any, name: str, begins: bool) -> Wire:
        """Return a wire that counts; `begins` for one of an input, where messages begin."""
        made = Wire(onward, name, self.probe, self.watch if begins else None)
        self.wires.append(made)
        return made


class Counters:
    """The counts of all instances that are started with it."""

    def __init__(self, every: int = SAMPLED) -> None:
        self._every = every
        self.instances: list[InstanceCounts] = []

    def new_probe(self) -> Probe:
        """Return what is shown what an instance's wires carry."""
        return Probe()

    def look(self) -> None:
        """Look whether messages are to be followed; called a few times a second."""

    def instance(self) -> InstanceCounts:
        """Return the counts of another instance."""
        made = InstanceCounts(self._every, self.new_probe())
        self.instances.append(made)
        return made

    def rows(self) -> list[NodeCount]:
        """Return the counts by node."""
        found: dict[str, NodeCount] = {}
        for each in (node for instance in list(self.instances) for node in instance.nodes.values()):
            total = found.setdefault(each.node, NodeCount(each.node, each.type))
            total.messages += each.messages
            total.failed += each.failed
            total.seconds += each.seconds
            for place, count in enumerate(each.histogram):
                total.histogram[place] += count
        return list(found.values())

    def wires(self) -> dict[str, int]:
        """Return how many messages passed each wire."""
        found: dict[str, int] = {}
        for each in (wire for instance in list(self.instances) for wire in instance.wires):
            found[each.name] = found.get(each.name, 0) + each.messages
        return found

    def as_json(self) -> list[dict[str, Any]]:
        """Return the counts of nodes as plain data."""
        return [
            {
                "node": each.node,
                "type": each.type,
                "messages": each.messages,
                "failed": each.failed,
                "seconds": round(each.seconds, 6),
                "histogram": each.histogram,
            }
            for each in self.rows()
        ]
