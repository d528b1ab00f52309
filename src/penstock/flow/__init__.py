"""Message flows: graphs of nodes that messages run through. Room `flow`, the broker.

`Flow` is the graph, `nodes` what stands in it, `Node` what a node of your own subclasses, `Project` a folder
of flows with their ESQL and models. `CompiledFlow` is a flow that was checked and can be started. This room
does not know Spark: room `spark` runs the same compiled flow.
"""

from penstock.flow import nodes
from penstock.flow.assembly import Assembly
from penstock.flow.graph.compiled import CompiledFlow
from penstock.flow.graph.graph import Flow
from penstock.flow.graph.node_context import NodeContext
from penstock.flow.kinds import Kind
from penstock.flow.node import InputNode, Node
from penstock.flow.project import Project

__all__ = ["Assembly", "CompiledFlow", "Flow", "InputNode", "Kind", "Node", "NodeContext", "Project", "nodes"]
