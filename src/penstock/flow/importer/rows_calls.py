"""Rows of nodes that call flows, and of asynchronous HTTP and SOAP requests."""

from __future__ import annotations

from penstock.flow.importer.row import CONNECTION, MESSAGE, Row, flags, seconds, texts
from penstock.flow.importer.rows_transports import WSDL, request_locations

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

ROWS = {
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
        _TARGET | texts(asyncResponseCorrelator="correlator"),
        silent=CONNECTION,
    ),
    "ComIbmCallableFlowAsyncResponse": Row(
        "CallableFlowAsyncResponse", texts(asyncResponseCorrelator="correlator"), silent=CONNECTION
    ),
    "ComIbmHTTPAsyncRequest": Row(
        "HTTPAsyncRequest",
        texts(URLSpecifier="url", httpMethod="method", asyncResponseCorrelator="correlator")
        | flags(followRedirection="follow_redirects", generateDefaultHttpHeaders="default_headers")
        | {"timeoutForServer": ("timeout", seconds), "requestTimeout": ("timeout", seconds)},
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
