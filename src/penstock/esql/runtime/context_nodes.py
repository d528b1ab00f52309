"""CONTEXTREFERENCE and CONTEXTINVOCATIONNODE: what the nodes of a flow sent, by the name of a node.

The runner of a flow sets a context's `levels`: the context tree of the node's (sub)flow, then those of the
enclosing flows, innermost first. A name is searched in that order. An unknown one is None, and a reference to
it has not moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.trees.paths import computed_step, dynamic_path
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.esql.runtime.context import Context
    from penstock.tree import Message, Reference

NODES = "Nodes"
INVOCATION_NODE = Path("InvocationDetails", "NodeName")
PARTS = {
    "PAYLOAD": "Payload",
    "PAYLOADDETAILS": "PayloadDetails",
    "HEADERS": "Headers",
    "METADATA": "Metadata",
}


def context_node(ctx: Context, name: Any, level: Any = None, part: str = "") -> Reference | None:
    """Return what a node sent, by its name and optionally the name of its subflow."""
    for known, tree in ctx.levels or ():
        if level is None or known.rpartition(".")[2] == level:
            found = _section(tree, name, part)
            if found is not None:
                return found
    return None


def invocation_node(ctx: Context, part: str = "") -> Reference | None:
    """Return what the input node sent: how the message entered the flow."""
    if not ctx.levels:
        return None
    _, tree = ctx.levels[-1]
    return _section(tree, tree.get(INVOCATION_NODE), part)


def _section(tree: Message, name: Any, part: str) -> Reference | None:
    if not isinstance(name, str):
        return None
    section = tree.reference(dynamic_path(NODES, computed_step(name, "", None, None)))
    return section.reference(dynamic_path(PARTS[part])) if section is not None and part else section
