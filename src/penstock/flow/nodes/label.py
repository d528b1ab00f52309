"""Label: where RouteToLabel, or PROPAGATE TO LABEL, may send a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.node import OUT, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


class Label(Node):
    """A named entrance. Nothing is wired to its input; routers find it by `label`."""

    inputs = ("in",)
    outputs = (OUT,)

    def __init__(self, label: str, *, name: str = "") -> None:
        super().__init__(name=name or label)
        self.label = label

    def check(self) -> Iterable[str]:
        if not self.label:
            yield "a Label needs a label"

    def start(self, at: NodeContext) -> Process:
        return at.wire(OUT) or (lambda _: None)
