"""Nodes that run an ESQL module: what is known of the module before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.reach import Reach, calls_outside, reach_of, reads_context
from penstock.flow.kinds import Kind
from penstock.flow.node import KW_ONLY, Node
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.esql.library import Module
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.project import Project

_KINDS = {Reach.NOTHING: Kind.PURE, Reach.READS: Kind.READS, Reach.WRITES: Kind.EFFECT}


class EsqlNode(Node):
    """The base class of nodes with an ESQL module; it is named as its module."""

    esql: str = ""
    _: KW_ONLY
    module: str = ""
    data_source: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.module
        super().__post_init__()

    def esql_module(self, project: Project) -> Module:
        """Return the compiled module."""
        return project.module(self.esql, self.module)

    def missing(self, project: Project) -> Iterable[str]:
        try:
            self.esql_module(project)
        except MQError as raised:
            yield raised.detail

    def reads_context(self, project: Project) -> bool:
        return reads_context(self.esql_module(project))


def reach_of_module(module: Module) -> Kind:
    """Return the kind of a node that runs a module."""
    return _KINDS[reach_of(module)]


def reaching_java(at: NodeContext, module: Module, process: Process) -> Process:
    """Let the Java routines that a module calls reach the flow around them."""
    if not calls_outside(module):
        return process
    from penstock.flow.java.running import inside

    def run(assembly: Assembly) -> None:
        with inside(at.instance):
            process(assembly)

    return run
