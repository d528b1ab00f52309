"""Database: an ESQL DATABASE module works on tables; the message is sent on unchanged.

With `transaction` "automatic" its work is committed or rolled back with the flow's unit of work; with
"commit" it is committed when the module ends, whatever happens to the message later. The module may change
Environment, nothing else of the assembly. If a module does not return TRUE, the message ends here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.database_work import TRANSACTIONS, Statements
from penstock.flow.esql_modules import EsqlNode, reach_of_module
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, OUT
from penstock.flow.nodes.compute_run import hand_back, renewed_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.esql.runtime.context import Context
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project


class Database(EsqlNode):
    """Runs a DATABASE module: `Database("esql/audit.esql", module="Audit", data_source="SHOP")`."""

    kind = Kind.EFFECT

    _: KW_ONLY
    transaction: str = "automatic"
    throw_database_errors: bool = True

    def check(self) -> Iterable[str]:
        if not self.module:
            yield "a Database needs the name of its ESQL module"
        if not self.data_source:
            yield "a Database needs a data source"
        yield from self.wrong_choices(transaction=TRANSACTIONS)

    def reach(self, project: Project) -> Kind:
        """A module that only reads has no effect, so its messages may share a unit of work."""
        return reach_of_module(self.esql_module(project))

    def start(self, at: NodeContext) -> Process:
        module = self.esql_module(at.instance.project)
        statements = Statements(at, self.data_source, self.transaction)
        onward, ports, trees = at.wire(OUT), at.instance.ports, at.instance.context_trees
        pattern = statements.pattern(throws_database_errors=self.throw_database_errors)

        def work(context: Context) -> bool:
            if not statements.commits:
                return module.run(context) is True
            with statements.unit():
                return module.run(context) is True

        def process(assembly: Assembly) -> None:
            context = renewed_for(pattern, assembly, ports)
            if trees is not None:
                context.levels = trees.levels(assembly, at.label)
            try:
                goes_on = work(context)
            finally:
                hand_back(context, assembly)
            if goes_on and onward is not None:
                onward(assembly)

        return process
