"""RESTAsyncRequest: calls an operation of a REST API and does not wait for the response.

The response starts the flow of the RESTAsyncResponse with the same correlator.
"""

from __future__ import annotations

from typing import ClassVar

from penstock.flow.nodes.http_async_request import HTTPAsyncRequest
from penstock.flow.nodes.rest_request import CallsOperation


class RESTAsyncRequest(CallsOperation, HTTPAsyncRequest):
    """Calls an operation: `RESTAsyncRequest("shop.yaml", "getOrder", correlator="orders")`."""

    type_name: ClassVar[str] = "ComIbmRESTAsyncRequestNode"
