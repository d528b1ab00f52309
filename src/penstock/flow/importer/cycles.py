"""Cycles in flow files: a wire that leads back is cut, and ends at a placeholder.

Flows here are acyclic; a real broker lets a wire lead back to an earlier node. The rest of such a flow still
runs: only a message that would follow the cut wire fails, with 8362 and the name of the target node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.graph.flattening import flatten
from penstock.flow.graph.graph import Wire
from penstock.flow.graph.validation import ring_of
from penstock.flow.nodes.unavailable import Unavailable
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.flow.graph.graph import Flow

CUTS_MAX = 100


def cut_rings(flow: Flow) -> None:
    """Cut the wires of a flow that close a cycle; one inside a subflow stays, and the check refuses it."""
    for _ in range(CUTS_MAX):
        try:
            ring = ring_of(flatten(flow))
        except MQError:
            return
        closing = next(
            (wire for wire in flow.wires if ring and [wire.source.name, wire.target.name] == ring[-2:]), None
        )
        if closing is None:
            return
        _cut(flow, closing)


def _cut(flow: Flow, wire: Wire) -> None:
    back = wire.target.name
    end = flow.add(Unavailable("ring", f"the wire leads back to {back}", outputs=()), f"back to {back}")
    flow.wires[flow.wires.index(wire)] = Wire(wire.source, wire.output, end, "in")
