"""Rows of nodes that route messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import Row, flag, one_of, texts
from penstock.flow.importer.xmi import terminal_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.flow.importer.description import NodeDescription


def namespaces(node: NodeDescription) -> dict[str, str]:
    """Return the prefixes that the XPath expressions of a node use."""
    table = node.tables.get("nsMappingTable", [])
    return {row.get("nsPrefix", ""): row.get("namespace", "") for row in table}


def filters(node: NodeDescription) -> dict[str, Any]:
    """Return the expressions of a node and the terminals that they lead to."""
    ways = [
        (row.get("filterPattern", ""), terminal_name(row.get("routingOutputTerminal", "")))
        for row in node.tables.get("filterTable", [])
    ]
    return {"filters": ways, **({"namespaces": namespaces(node)} if namespaces(node) else {})}


def _only_if_false(text: str) -> str:
    """Return "false" for a false value, which is then noted: a Filter always throws."""
    return "" if flag(text) else "false"


def _logged(node: NodeDescription) -> dict[str, Any]:
    """Return the values that a Log writes; its map is JSON with one expression for each."""
    values: dict[str, str] = {}
    inputs = {
        row.get("inputName", ""): row.get("inputLocation", "") for row in node.tables.get("mappingInput", [])
    }
    for row in node.tables.get("requestMap", []):
        for name, expression in _expressions(row.get("map", "")):
            variable, *steps = expression.strip().removeprefix("$mappingInput_").split(".")
            values[name] = ".".join([inputs.get(variable, variable).removeprefix("$"), *steps])
    return {"values": values} if values else {}


def _expressions(text: str) -> Iterator[tuple[str, str]]:
    for mapping in json.loads(text or "{}").get("mappings", []):
        for each in mapping.get("customMessages", {}).get("mappings", []):
            for name, content in each.items():
                yield str(name), str(content.get("expression", ""))


def _unreadable_map(node: NodeDescription) -> str | None:
    try:
        _logged(node)
    except (ValueError, AttributeError, TypeError):
        return "the map of its values cannot be read"
    return None


ROWS = {
    "ComIbmLog": Row(
        "Log",
        texts(logMessage="message") | {"logLevel": ("level", str)},
        tables=_logged,
        refuse=_unreadable_map,
    ),
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
    "ComIbmRoute": Row("Route", {"distributionMode": ("distribution", str)}, tables=filters),
    "ComIbmFlowOrder": Row("FlowOrder"),
    "ComIbmTryCatch": Row("TryCatch"),
    "ComIbmThrow": Row(
        "Throw",
        texts(messageText="text", messageCatalog="catalog") | {"messageNumber": ("number", int)},
    ),
    "ComIbmPassthru": Row("Passthrough"),
    "ComIbmTrace": Row("Trace", texts(pattern="pattern", destination="destination", filePath="file")),
}
