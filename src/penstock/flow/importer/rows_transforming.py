"""Rows of nodes that transform messages, and of those that query databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import MESSAGE, Row, flag, flags, seconds, texts
from penstock.flow.importer.rows_routing import filters, namespaces

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

DATABASE = texts(dataSource="data_source", transaction="transaction") | flags(
    throwExceptionOnDatabaseError="throw_database_errors"
)
VALUE_KINDS = {"Element": "element", "Column": "column", "None": "none"}
_IDLE = frozenset({"connectDatasourceBeforeFlowStarts", "treatWarningsAsErrors"})
_QUERY_EDITOR = frozenset(
    {
        *("sqlQuery", "tableNameComboValues", "columnNameComboValues", "operatorComboValues"),
        *("valueTypeComboValues", "columnValueComboValues"),
    }
)
_VALIDATE = texts(validateMaster="validate")


def _query(node: NodeDescription) -> list[tuple[str, ...]]:
    """Return the conditions of a query, with XPath of the tables as paths with dots."""
    return [
        (
            ".".join(part for part in (row.get("tableName", ""), row.get("columnName", "")) if part),
            row.get("operator", "="),
            _dotted(row.get("value", "")),
            VALUE_KINDS.get(row.get("valueType", "Element"), "constant"),
        )
        for row in node.tables.get("queryElements", [])
    ]


def _retrieved(node: NodeDescription) -> dict[str, Any]:
    """Return conditions and targets of a DatabaseRetrieve."""
    query = _query(node)
    data = {
        row.get("columnName", ""): _dotted(row.get("messageElement", ""))
        for row in node.tables.get("dataElements", [])
    }
    return {"query": query, "data": data, **({"namespaces": namespaces(node)} if namespaces(node) else {})}


def _dotted(path: str) -> str:
    """Return `$Root/JSON/Data` as `Root.JSON.Data`; text that does not begin with a variable is returned
    unchanged.
    """
    return path[1:].replace("/", ".") if path.startswith("$") else path


def _reset(node: NodeDescription) -> dict[str, Any]:
    """Return the changes that the `reset...` switches enable; the others have no effect."""
    armed = {
        "domain": ("resetMessageDomain", "messageDomain"),
        "model": ("resetMessageSet", "messageSet"),
        "message_type": ("resetMessageType", "messageType"),
        "message_format": ("resetMessageFormat", "messageFormat"),
    }
    return {
        argument: node.properties.get(value, "")
        for argument, (switch, value) in armed.items()
        if flag(node.properties.get(switch, ""))
    }


def _checked(node: NodeDescription) -> dict[str, Any]:
    """Return the properties that the `check...` switches of a Validate enable."""
    switches = {"domain": "checkDomain", "model": "checkSet", "message_type": "checkType"}
    names = {"domain": "domain", "model": "set", "message_type": "type"}
    return {
        argument: node.properties.get(names[argument], "")
        for argument, switch in switches.items()
        if flag(node.properties.get(switch, ""))
    }


def _routed(node: NodeDescription) -> dict[str, Any]:
    """Return conditions and expressions of a DatabaseRoute."""
    return {"query": _query(node), **filters(node)}


ROWS = {
    "ComIbmDatabaseRoute": Row(
        "DatabaseRoute",
        texts(dataSourceName="data_source", distributionMode="distribution"),
        tables=_routed,
        silent=_QUERY_EDITOR,
    ),
    "ComIbmDatabaseInput": Row(
        "DatabaseInput",
        texts(dataSource="data_source") | {"pollingInterval": ("polling", seconds)},
        esql="databaseInputExpression",
        silent=_IDLE
        | {
            *("retryMechanism", "retryThreshold", "shortRetryInterval", "longRetryInterval"),
            *("messageDomainProperty", "messageSetProperty", "messageTypeProperty", "messageFormatProperty"),
            *("tableName", "keyColumns", "componentLevel", "additionalInstances", "transactionMode"),
        },
    ),
    "ComIbmCompute": Row(
        "Compute", DATABASE | _VALIDATE | texts(computeMode="mode"), esql="computeExpression", silent=_IDLE
    ),
    "ComIbmDatabase": Row("Database", DATABASE, esql="statement", silent=_IDLE),
    "ComIbmDatabaseRetrieve": Row(
        "DatabaseRetrieve",
        texts(dataSourceName="data_source") | flags(copyMessage="copy_message", allRows="multiple_rows"),
        defaults={"copy_message": False},
        tables=_retrieved,
        silent=_QUERY_EDITOR,
    ),
    "ComIbmResetContentDescriptor": Row(
        "ResetContentDescriptor",
        _VALIDATE,
        tables=_reset,
        silent=frozenset(
            {
                *("resetMessageDomain", "messageDomain", "resetMessageSet", "messageSet"),
                *("resetMessageType", "messageType", "resetMessageFormat", "messageFormat"),
                "validateTiming",
            }
        ),
    ),
    "ComIbmValidate": Row(
        "Validate",
        texts(validateMaster="content"),
        tables=_checked,
        silent=frozenset({"domain", "set", "type", "checkDomain", "checkSet", "checkType"}),
    ),
    "ComIbmMSLMapping": Row("Mapping", texts(mappingExpression="map", dataSource="data_source")),
    "ComIbmXslMqsi": Row("XSLTransform", MESSAGE | texts(stylesheetName="stylesheet")),
}
