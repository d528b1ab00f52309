"""Rows of nodes that route messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import Row, flag, one_of, texts
from penstock.flow.importer.xmi import terminal_name

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription


def namespaces(node: NodeDescription) -> dict[str, str]:
    """Return the prefixes that the XPath expressions of a node use."""
    table = node.tables.get("nsMappingTable", [])
    return {row.get("nsPrefix", ""): row.get("namespace", "") for row in table}


def _filters(node: NodeDescription) -> dict[str, Any]:
    ways = [
        (row.get("filterPattern", ""), terminal_name(row.get("routingOutputTerminal", "")))
        for row in node.tables.get("filterTable", [])
    ]
    return {"filters": ways, **({"namespaces": namespaces(node)} if namespaces(node) else {})}


def _only_if_false(text: str) -> str:
    """Return "false" for a false value, which is then noted: a Filter always throws."""
    return "" if flag(text) else "false"


ROWS = {
    "ComIbmFilter": Row(
        "Filter",
        texts(dataSource="data_source")
        | {"throwExceptionOnDatabaseError": ("throw_database_errors", _only_if_false)},
        esql="filterExpression",
        silent=frozenset({"treatWarningsAsErrors", "transaction"}),
    ),
    "ComIbmLabel": Row("Label", texts(labelName="label")),
    "ComIbmRouteToLabel": Row(
        "RouteToLabel", {"mode": ("mode", one_of(routeToLast="last", routeToFirst="first"))}
    ),
    "ComIbmRoute": Row("Route", {"distributionMode": ("distribution", str)}, tables=_filters),
    "ComIbmFlowOrder": Row("FlowOrder"),
    "ComIbmTryCatch": Row("TryCatch"),
    "ComIbmThrow": Row(
        "Throw",
        texts(messageText="text", messageCatalog="catalog") | {"messageNumber": ("number", int)},
    ),
    "ComIbmPassthru": Row("Passthrough"),
    "ComIbmTrace": Row("Trace", texts(pattern="pattern", destination="destination", filePath="file")),
}
