"""Counts and times of every node, on request: a tap around each node's function.

The time of a node excludes the nodes behind its wires. One thread writes the counts of one instance; a reader
may see a message half counted, which affects no sum.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


BOUNDS_SECONDS = (0.00001, 0.0001, 0.001, 0.01, 0.1, 1.0, 10.0)  # of the histogram of a node's times


@dataclass(slots=True)
class NodeCount:
    """The counters of a node: messages, failures, seconds of its own, and how many messages took how long."""

    node: str
    type: str
    messages: int = 0
    failed: int = 0
    seconds: float = 0.0
    histogram: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_SECONDS) + 1))


class Counters:
    """The counters of a flow's nodes. `tap` is for `CompiledFlow.start`."""

    def __init__(self) -> None:
        self._counts: list[NodeCount] = []
        self._thread = threading.local()

    def tap(self, at: NodeContext, process: Process) -> Process:
        """Return a node's function that counts."""
        count = NodeCount(at.label, type(at.node).__name__)
        self._counts.append(count)
        thread = self._thread

        def counted(assembly: Assembly) -> None:
            outer, thread.inside = getattr(thread, "inside", 0.0), 0.0
            begun = perf_counter()
            try:
                process(assembly)
            except BaseException:
                count.failed += 1
                raise
            finally:
                took = perf_counter() - begun
                count.messages += 1
                own = took - thread.inside
                count.seconds += own
                count.histogram[bisect_left(BOUNDS_SECONDS, own)] += 1
                thread.inside = outer + took

        return counted

    def rows(self) -> list[NodeCount]:
        """Return the counts by node, all instances together."""
        found: dict[str, NodeCount] = {}
        for each in list(self._counts):
            total = found.setdefault(each.node, NodeCount(each.node, each.type))
            total.messages += each.messages
            total.failed += each.failed
            total.seconds += each.seconds
            total.histogram = [one + two for one, two in zip(total.histogram, each.histogram, strict=True)]
        return list(found.values())

    def as_json(self) -> list[dict[str, Any]]:
        """Return the counts as plain data."""
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
