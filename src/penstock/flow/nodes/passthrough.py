"""Passthrough: sends every message on unchanged. A joint, or a carrier of a name or version in a subflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


class Passthrough(Node):
    """Changes nothing."""

    outputs = (OUT,)
    type_name: ClassVar[str] = "ComIbmPassthruNode"

    def start(self, at: NodeContext) -> Process:
        return at.wire(OUT) or (lambda _: None)
