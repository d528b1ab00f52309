"""Whether the data sources that a flow names are bound to databases (`penstock dsn`).

Asked by `check_flow`, for `penstock flow check` and `deploy`. It connects to no database. Names that a
program works out while it runs are not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.reach import sources_of
from penstock.flow.esql_modules import EsqlNode
from penstock.flow.graph.validation import Finding
from penstock.flow.stand_ins import JAVA
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.node import Node
    from penstock.flow.project import Project


def check_data_sources(flow: CompiledFlow, severity: str = "warning") -> list[Finding]:
    """Return the nodes whose data sources are unknown here, or that name none for a statement."""
    found: dict[Finding, None] = {}
    for label, node in flow.flat.nodes.items():
        for text in _wrong(node, flow.project):
            found[Finding(severity, label, text)] = None
    return list(found)


def _wrong(node: Node, project: Project) -> Iterator[str]:
    own = str(node.properties().get("data_source") or "")
    named = sources_of(node.esql_module(project)) if isinstance(node, EsqlNode) and node.module else set()
    if None in named and not own and not project.databases.default:
        yield "its ESQL uses a table without naming a data source: set data_source"
    of_java = data_sources_of_java(node, project)
    for name in sorted({own, *of_java, *(each for each in named if each)} - {""}):
        try:
            project.databases.url(name)
        except MQError as raised:
            who = "its Java names it: " if name in of_java else ""
            yield f"{who}{raised.detail} ({raised.reason}); bind it with `penstock dsn add {name} URL`"


def data_sources_of_java(node: Node, project: Project) -> set[str]:
    """Return the data sources that the Java of a node names."""
    module, _, name = str(node.properties().get("function") or "").partition(":")
    class_ = project.stand_ins.java.class_(name) if module == JAVA else None
    if class_ is None:
        return set()
    from penstock.flow.java.data_sources import data_sources_of

    return data_sources_of(class_)
