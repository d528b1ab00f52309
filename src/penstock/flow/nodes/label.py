"""Label: a target of RouteToLabel and PROPAGATE TO LABEL."""

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

    label: str

    def __post_init__(self) -> None:
        self.name = self.name or self.label
        super().__post_init__()

    def check(self) -> Iterable[str]:
        if not self.label:
            yield "a Label needs a label"

    def start(self, at: NodeContext) -> Process:
        return at.wire(OUT) or (lambda _: None)
