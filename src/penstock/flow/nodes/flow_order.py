"""FlowOrder: sends a message to `first`, and when that is done to `second`.

The second branch sees the first one's changes to Environment. If the first fails, the second does not run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import FAILURE, Node

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


class FlowOrder(Node):
    """Runs one branch after the other."""

    outputs = ("first", "second", FAILURE)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send("first", assembly)
        at.send("second", assembly)
