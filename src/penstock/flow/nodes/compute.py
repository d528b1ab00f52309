"""Compute: an ESQL module creates the output messages.

`mode` specifies which of the module's output trees replace the input's: message, destination
(LocalEnvironment), exception, and their combinations. If Main returns TRUE, the trees go to `out`; PROPAGATE
sends to any terminal or label while the module runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.reach import OUTPUT_TREES, labels_of, trees_of
from penstock.flow.database_work import TRANSACTIONS, Statements
from penstock.flow.esql_modules import EsqlNode, reach_of_module, reaching_java
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY
from penstock.flow.nodes.compute_run import Computing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Node, Process
    from penstock.flow.project import Project

# mode -> do the module's message, LocalEnvironment, ExceptionList replace the input's?
MODES = {
    "message": (True, False, False),
    "destination": (False, True, False),
    "destinationAndMessage": (True, True, False),
    "exception": (False, False, True),
    "exceptionAndMessage": (True, False, True),
    "exceptionAndDestination": (False, True, True),
    "all": (True, True, True),
}
TERMINALS = ("out", "out1", "out2", "out3", "out4")


class Compute(EsqlNode):
    """Runs an ESQL module: `Compute("esql/billing.esql", module="Billing")`."""

    outputs = (*TERMINALS, FAILURE)

    _: KW_ONLY
    mode: str = "message"
    transaction: str = "automatic"
    throw_database_errors: bool = True

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A module with a data source may write to it; `reach` finds out."""
        return Kind.EFFECT if self.data_source else Kind.PURE

    def reach(self, project: Project) -> Kind:
        return reach_of_module(self.esql_module(project))

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(mode=MODES, transaction=TRANSACTIONS)
        if not self.module:
            yield "a Compute needs the name of its ESQL module"

    def sends_to(self, project: Project) -> Iterable[str]:
        if any(self.missing(project)):  # reported elsewhere
            return ()
        return sorted(labels_of(self.esql_module(project)))

    def doubts(self, project: Project, inputs: list[Node]) -> Iterable[str]:
        """Find output trees that the module sets and the mode drops."""
        named = trees_of(self.esql_module(project))
        for passed, (tree, name) in zip(MODES[self.mode][1:], OUTPUT_TREES.items(), strict=True):
            if tree in named and not passed:
                yield f"its ESQL uses {name}, which mode {self.mode!r} does not pass on"

    def start(self, at: NodeContext) -> Process:
        module = self.esql_module(at.instance.project)
        statements = Statements(at, self.data_source, self.transaction)
        wires = [at.wire(name) for name in TERMINALS]
        computing = Computing(module, at, statements, wires, MODES[self.mode], self.throw_database_errors)
        return reaching_java(at, module, computing)
