"""The surroundings of a node in a running flow: its wires, its label, and the flow's instance.

`compiled` makes one for each node and instance and passes it to `Node.start`. `wire("out")` is the function
behind a terminal, or None if nothing is wired: a fast node asks for it once, when it starts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.esql.runtime.deployment import Deployment
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.instance import Instance
    from penstock.flow.node import Node, Process


class NodeContext:
    """A node's surroundings in one running instance of a flow.

    `label` is its name with those of the enclosing subflows (`Sub.Compute`), `labels` are the names for
    ESQL's NODELABEL and similar. `instance` has the project and the ports.
    """

    def __init__(self, node: Node, label: str, instance: Instance, wires: dict[str, Process]) -> None:
        self.node = node
        self.label = label
        self.instance = instance
        self._wires = wires

    @cached_property
    def deployment(self) -> Deployment:
        """SHARED variables and user-defined properties of the enclosing subflow or of the flow."""
        whole = self.instance.deployment
        part = self.instance.flow.flat.parts.get(self.label)
        return whole if part is None else whole.part(part.label, {**whole.properties, **part.properties})

    def wire(self, terminal: str) -> Process | None:
        """Return the function behind an output terminal; None if nothing is wired to it."""
        return self._wires.get(terminal)

    def send(self, terminal: str, assembly: Assembly) -> bool:
        """Send an assembly to a terminal; say whether anything is wired there. 8301 if there is no such
        terminal.
        """
        onward = self._wires.get(terminal)
        if onward is None:
            if terminal not in self.node.outputs:
                self.node.terminal(terminal)  # a typing error would lose a message
            return False
        onward(assembly)
        return True

    @cached_property
    def labels(self) -> dict[str, str]:
        """The names that ESQL knows."""
        return {
            "NODELABEL": self.label,
            "MESSAGEFLOWLABEL": self.instance.flow_name,
            "BROKERNAME": self.instance.broker_name,
            "EXECUTIONGROUPLABEL": self.instance.group_name,
            "QUEUEMANAGERNAME": self.instance.ports.queue_manager_name,
        }
