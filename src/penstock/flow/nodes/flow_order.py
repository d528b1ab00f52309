"""FlowOrder: sends a message along `first`, and when that is done along `second`.

What the first way did to Environment is seen by the second. When the first way fails, the second is not gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import FAILURE, Node

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class FlowOrder(Node):
    """One way after the other."""

    outputs = ("first", "second", FAILURE)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send("first", assembly)
        at.send("second", assembly)
