"""Rows of nodes that make another message of a message, and of those that ask databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import MESSAGE, Row, flag, flags, texts
from penstock.flow.importer.rows_routing import namespaces

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

DATABASE = texts(dataSource="data_source", transaction="transaction") | flags(
    throwExceptionOnDatabaseError="throw_database_errors"
)
_IDLE = frozenset({"connectDatasourceBeforeFlowStarts", "treatWarningsAsErrors", "validateMaster"})


def _retrieved(node: NodeDescription) -> dict[str, Any]:
    query = [
        (
            row.get("columnName", ""),
            row.get("operator", "="),
            row.get("value", ""),
            row.get("valueType", "Element").lower(),
        )
        for row in node.tables.get("queryElements", [])
    ]
    data = {
        row.get("columnName", ""): row.get("messageElement", "")
        for row in node.tables.get("dataElements", [])
    }
    return {"query": query, "data": data, **({"namespaces": namespaces(node)} if namespaces(node) else {})}


def _reset(node: NodeDescription) -> dict[str, Any]:
    """The `reset...` switches arm the changes: what is not armed stays as it was."""
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


ROWS = {
    "ComIbmCompute": Row(
        "Compute", DATABASE | texts(computeMode="mode"), esql="computeExpression", silent=_IDLE
    ),
    "ComIbmDatabase": Row("Database", DATABASE, esql="statement", silent=_IDLE),
    "ComIbmDatabaseRetrieve": Row(
        "DatabaseRetrieve",
        texts(dataSourceName="data_source") | flags(copyMessage="copy_message", allRows="multiple_rows"),
        tables=_retrieved,
        silent=frozenset(
            {
                *("sqlQuery", "tableNameComboValues", "columnNameComboValues", "operatorComboValues"),
                *("valueTypeComboValues", "columnValueComboValues"),
            }
        ),
    ),
    "ComIbmResetContentDescriptor": Row(
        "ResetContentDescriptor",
        tables=_reset,
        silent=frozenset(
            {
                *("resetMessageDomain", "messageDomain", "resetMessageSet", "messageSet"),
                *("resetMessageType", "messageType", "resetMessageFormat", "messageFormat"),
                *("validateTiming", "validateMaster"),
            }
        ),
    ),
    "ComIbmValidate": Row(
        "Validate",
        texts(domain="domain", set="model", type="message_type", validateMaster="validate")
        | flags(checkDomain="check_domain", checkSet="check_model", checkType="check_type"),
    ),
    "ComIbmMSLMapping": Row("Mapping", texts(mappingExpression="mapping")),
    "ComIbmXslMqsi": Row("XSLTransform", MESSAGE | texts(stylesheetName="stylesheet")),
}
