"""Rows of TCP/IP nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, numbers, seconds, texts
from penstock.flow.importer.rows_transports import DELIMITERS, delimiter

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

_ADDRESS = texts(connectionDetails="address")
_READS = (
    MESSAGE
    | _ADDRESS
    | texts(recordDetection="records")
    | numbers(recordLength="length")
    | {"timeoutForRead": ("timeout", seconds), "timeoutWaitingForRecord": ("timeout", seconds)}
)
_WRITES = (
    _ADDRESS
    | texts(recordDefinition="records", validateMaster="validate")
    | numbers(recordLength="length")
    | {"timeoutSendingData": ("timeout", seconds)}
)
_STREAMS = CONNECTION | {
    *("modifyInputStream", "modifyOutputStream", "inputStreamModification", "outputStreamModification"),
    *("closeConnection", "closeAfter", "paddingBytes", "timeoutWaitingForConnection", "replyId", "sendTo"),
    *("recordDelimiter", "customDelimiter", "delimiterType", "securityIdentity", "waitInterval"),
}


def _policy(node: NodeDescription) -> str | None:
    address = node.properties.get("connectionDetails", "")
    if address.startswith("{"):
        return f"its address is in policy {address}: override connectionDetails with host:port"
    return None


ROWS = {
    f"ComIbm{name}": Row(name, properties, tables=delimiter, silent=_STREAMS | DELIMITERS, refuse=_policy)
    for side in ("Client", "Server")
    for name, properties in (
        (f"TCPIP{side}Input", _READS),
        (f"TCPIP{side}Receive", _READS),
        (f"TCPIP{side}Output", _WRITES),
    )
}
