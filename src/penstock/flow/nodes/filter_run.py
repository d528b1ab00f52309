"""A Filter node in a running flow: its module decides where a message goes.

`nodes/filter.py` has the node with its properties; `start` makes this from it. Like a Compute it creates no
tree that the module does not access. Compiled through `filter_run.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.esql.runtime.context import Context
from penstock.flow.nodes.compute_run import hand_back, renewed_for
from penstock.flow.processing import Processing, forward

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext


@cython.cclass
class Filtering(Processing):
    """A Filter's function."""

    def __init__(self, module: Any, at: NodeContext, databases: Any) -> None:
        self.module = module
        self.label = at.label
        self.trees = at.instance.context_trees
        self.ports = at.instance.ports
        self.true, self.false, self.unknown = at.wire("true"), at.wire("false"), at.wire("unknown")
        self.pattern = Context(
            deployment=at.deployment,
            labels=at.labels,
            randomness=self.ports.randomness,
            make_uuid=self.ports.make_uuid,
            databases=databases,
        )

    def process(self, assembly: Assembly) -> None:
        """Send a message to the terminal that the module chooses."""
        context = renewed_for(self.pattern, assembly, self.ports)
        if self.trees is not None:
            context.levels = self.trees.levels(assembly, self.label)
        try:
            answer = self.module.run(context)
        finally:
            hand_back(context, assembly)
        onward = self.true if answer is True else self.false if answer is False else self.unknown
        if onward is not None:
            forward(onward, assembly)
