"""Where a node stands in a running flow: its wires, its label, and what the flow's instance gives it.

Made by `compiled`, one for each node and instance, and handed to `Node.start`. `wire("out")` is the function
behind a terminal, or None when nothing is wired: a node that is quick asks for it once, when it starts.
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

    `label` is its name with those of the subflows around it (`Sub.Compute`), `labels` what ESQL calls
    NODELABEL and so on. `instance` has the project and the ports.
    """

    def __init__(self, node: Node, label: str, instance: Instance, wires: dict[str, Process]) -> None:
        self.node = node
        self.label = label
        self.instance = instance
        self._wires = wires

    @cached_property
    def deployment(self) -> Deployment:
        """SHARED variables and user-defined properties: those of the subflow it stands in, or of the flow."""
        whole = self.instance.deployment
        part = self.instance.flow.flat.parts.get(self.label)
        return whole if part is None else whole.part(part.label, {**whole.properties, **part.properties})

    def wire(self, terminal: str) -> Process | None:
        """Return what stands behind an output terminal; None when nothing is wired to it."""
        return self._wires.get(terminal)

    def send(self, terminal: str, assembly: Assembly) -> bool:
        """Send an assembly along a terminal; say whether anything is wired there. 8301 if there is none."""
        onward = self._wires.get(terminal)
        if onward is None:
            if terminal not in self.node.outputs:
                self.node.terminal(terminal)  # a message would be lost by a slip of the pen
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
