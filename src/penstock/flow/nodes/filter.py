"""Filter: an expression or a FILTER module decides where a message goes. It changes nothing.

TRUE, FALSE and UNKNOWN have a terminal each; a message for an unwired terminal ends there.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from penstock.esql.compiler.compile import compile_expression
from penstock.esql.reach import text_reads_context
from penstock.flow.esql_modules import EsqlNode, reach_of_module
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE
from penstock.flow.nodes.filter_run import Filtering

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project


class Filter(EsqlNode):
    """Decides: `Filter("Body.Order.Total > 1000")`, or a module: `Filter(esql="f.esql", module="Large")`."""

    outputs = ("true", "false", "unknown", FAILURE)

    expression: str = ""
    esql: str = field(default="", kw_only=True)

    @property
    def kind(self) -> Kind:  # type: ignore[override]
        """A filter with a data source looks things up there."""
        return Kind.READS if self.data_source else Kind.PURE

    def reach(self, project: Project) -> Kind:
        return reach_of_module(self.esql_module(project)) if self.module else self.kind

    def missing(self, project: Project) -> Iterable[str]:
        return super().missing(project) if self.module else ()

    def check(self) -> Iterable[str]:
        if bool(self.expression) == bool(self.module):
            yield "a Filter has an expression or a module, one of the two"

    def reads_context(self, project: Project) -> bool:
        if self.expression:
            return text_reads_context(self.expression)
        return super().reads_context(project)

    def start(self, at: NodeContext) -> Process:
        instance = at.instance
        if self.expression:
            cache = instance.project.cache
            module = compile_expression(self.expression, at.label, cache=cache).module("Expression")
        else:
            module = self.esql_module(instance.project)
        return Filtering(module, at, instance.databases(self.data_source))
