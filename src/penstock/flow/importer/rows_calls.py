"""Rows of nodes that call flows, and of asynchronous HTTP and SOAP requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flags, seconds, texts
from penstock.flow.importer.rows_events import GROUP_REQUEST
from penstock.flow.importer.rows_transports import WSDL, request_locations

if TYPE_CHECKING:
    from penstock.flow.importer.description import NodeDescription

_TARGET = texts(targetEndpointName="endpoint", targetApplication="application") | {
    "requestTimeout": ("timeout", seconds),
    "timeout": ("timeout", seconds),
}
_LOCATIONS = frozenset(
    {
        *("httpVersion", "protocol", "allowedCiphers", "useWholeInputMsgAsRequest"),
        *("requestMsgLocationInTree", "replaceInputMsgWithWSResponse", "responseMsgLocationInTree"),
        *("acceptCompressedResponses", "requestCompressionType", "httpProxyLocation"),
    }
)
_OPERATION = texts(
    definitionFile="definition",
    operationName="operation",
    baseURL="base_url",
    messageDomainProperty="domain",
) | {"timeoutForServer": ("timeout", seconds)}
_OPERATION_SILENT = CONNECTION | _LOCATIONS | {"definitionType", "messageSetProperty", "keyAlias"}


def _parameters(node: NodeDescription) -> dict[str, Any]:
    """Return the expressions of parameters, and where the parts of a response go that is not the message."""
    found: dict[str, Any] = {}
    table = {row.get("name", ""): row.get("expression", "") for row in node.tables.get("parameters", [])}
    if table:
        found["parameters"] = table
    given = node.properties
    output = given.get("outputDataLocation", "")
    if output not in ("", "$OutputRoot"):
        found |= {"output_location": output, "result_location": given.get("resultDataLocation", "")}
    body = given.get("requestDataLocation", given.get("bodyDataLocation", ""))
    if body not in ("", "$Body"):
        found["request_location"] = body
    return found


_OPERATION_LOCATIONS = frozenset(
    {"outputDataLocation", "resultDataLocation", "requestDataLocation", "bodyDataLocation"}
)

ROWS = {
    "ComIbmRESTRequest": Row(
        "RESTRequest",
        _OPERATION,
        tables=_parameters,
        silent=_OPERATION_SILENT | _OPERATION_LOCATIONS,
    ),
    "ComIbmRESTAsyncRequest": Row(
        "RESTAsyncRequest",
        _OPERATION | texts(asyncResponseCorrelator="correlator") | GROUP_REQUEST,
        tables=_parameters,
        silent=_OPERATION_SILENT | _OPERATION_LOCATIONS,
    ),
    "ComIbmRESTAsyncResponse": Row(
        "RESTAsyncResponse",
        MESSAGE | texts(asyncRequestCorrelator="correlator", asyncResponseCorrelator="correlator"),
        silent=CONNECTION,
    ),
    "ComIbmCallableFlowInvoke": Row(
        "CallableFlowInvoke", _TARGET, silent=CONNECTION | {"targetRestApi", "targetType"}
    ),
    "ComIbmCallableFlowInput": Row(
        "CallableFlowInput",
        texts(callableInputEndpoint="endpoint"),
        project="application",
        silent=CONNECTION,
    ),
    "ComIbmCallableFlowReply": Row("CallableFlowReply", silent=CONNECTION),
    "ComIbmCallableFlowAsyncInvoke": Row(
        "CallableFlowAsyncInvoke",
        _TARGET | texts(asyncResponseCorrelator="correlator") | GROUP_REQUEST,
        silent=CONNECTION,
    ),
    "ComIbmCallableFlowAsyncResponse": Row(
        "CallableFlowAsyncResponse", texts(asyncResponseCorrelator="correlator"), silent=CONNECTION
    ),
    "ComIbmHTTPAsyncRequest": Row(
        "HTTPAsyncRequest",
        texts(URLSpecifier="url", httpMethod="method", asyncResponseCorrelator="correlator")
        | flags(followRedirection="follow_redirects", generateDefaultHttpHeaders="default_headers")
        | {"timeoutForServer": ("timeout", seconds), "requestTimeout": ("timeout", seconds)}
        | GROUP_REQUEST,
        tables=request_locations,
        silent=CONNECTION | _LOCATIONS,
    ),
    "ComIbmHTTPAsyncResponse": Row(
        "HTTPAsyncResponse",
        MESSAGE | texts(asyncRequestCorrelator="correlator", asyncResponseCorrelator="correlator"),
        silent=CONNECTION,
    ),
    "ComIbmSOAPAsyncRequest": Row(
        "SOAPAsyncRequest",
        texts(webServiceURL="url", soapAction="action", asyncResponseCorrelator="correlator")
        | {"requestTimeout": ("timeout", seconds)},
        silent=CONNECTION | WSDL | _LOCATIONS,
    ),
    "ComIbmSOAPAsyncResponse": Row(
        "SOAPAsyncResponse",
        texts(asyncRequestCorrelator="correlator", asyncResponseCorrelator="correlator"),
        silent=CONNECTION | WSDL,
    ),
}
