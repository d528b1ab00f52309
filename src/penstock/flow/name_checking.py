"""Whether the ESQL of a flow finds everything it names: routines of a schema that is not among the files.

Called by `check_flow`. The program compiles, because the schema may come with another project, but a message
that gets there fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.reach import missing_of
from penstock.flow.esql_modules import EsqlNode
from penstock.flow.graph.validation import Finding

if TYPE_CHECKING:
    from penstock.flow.graph.compiled import CompiledFlow


def check_names(flow: CompiledFlow) -> list[Finding]:
    """Return the nodes whose modules ask for names that no file declares."""
    return [
        Finding("unavailable", label, f"its ESQL uses {name}, which no file of the project declares")
        for label, node in flow.flat.nodes.items()
        if isinstance(node, EsqlNode) and node.module
        for name in sorted(missing_of(node.esql_module(flow.project)))
    ]
