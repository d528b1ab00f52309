"""Subflow: a flow used as a node. Its terminals are the Input and Output nodes inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.node import IN, OUT, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.graph.graph import Flow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process


class _End(Node):
    outputs = (OUT,)

    def start(self, at: NodeContext) -> Process:
        return at.wire(OUT) or _discard


class Input(_End):
    """Where messages enter a subflow; its name is the name of the subflow's input terminal."""

    name: str = IN


class Output(_End):
    """Where messages leave a subflow; its name is the name of the subflow's output terminal."""

    name: str = OUT


class Subflow(Node):
    """A flow within a flow; `properties` set promoted properties of this one use of it."""

    type_name: ClassVar[str] = "ComIbmSubflow"

    def __init__(self, definition: Flow, *, name: str = "", **properties: Any) -> None:
        super().__init__(name=name or definition.name)
        self.definition = definition
        self.overrides: Mapping[str, Any] = properties
        self.inputs = tuple(node.name for node in definition.nodes if isinstance(node, Input))  # type: ignore[misc]
        self.outputs = tuple(node.name for node in definition.nodes if isinstance(node, Output))

    def entry(self, terminal: str) -> Node:
        """Return the node inside that an input terminal leads to."""
        return self.definition.node(terminal)

    def exit(self, terminal: str) -> Node:
        """Return the node inside that an output terminal comes from."""
        return self.definition.node(terminal)


def _discard(_: object) -> None:
    """Discard a message, behind an end that is not wired."""
