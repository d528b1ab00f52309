"""Whether ESQL propagates to terminals that exist: as in the product, one that does not fails when it runs.

Called by `check_flow`. The ESQL check has the same as a warning (W336); here `flow check` reports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.esql_modules import EsqlNode
from penstock.flow.graph.validation import Finding

if TYPE_CHECKING:
    from penstock.flow.graph.compiled import CompiledFlow

NO_TERMINAL = "W336"


def check_terminals(flow: CompiledFlow) -> list[Finding]:
    """Return a warning for each PROPAGATE of the nodes' files to a terminal that does not exist."""
    from penstock.esql.checker.check import check
    from penstock.esql.files import read_source

    files: dict[str, str] = {}
    for label, node in flow.flat.nodes.items():
        if isinstance(node, EsqlNode) and node.esql:
            files.setdefault(node.esql, label)
    return [
        Finding("warning", label, f"{file}, line {each.line}: {each.text}; a message there fails")
        for file, label in files.items()
        if "PROPAGATE" in (source := read_source(flow.project.folder / file)).text.upper()
        for each in check([source])[0].warnings
        if each.code == NO_TERMINAL
    ]
