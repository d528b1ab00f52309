"""SOAPAsyncRequest: sends an envelope to a SOAP service and does not wait for its answer.

An HTTPAsyncRequest whose messages are envelopes; the answer starts the flow of the SOAPAsyncResponse with the
same correlator.
"""

from __future__ import annotations

from typing import ClassVar

from penstock.flow.nodes.http_async_request import HTTPAsyncRequest
from penstock.flow.nodes.soap_request import SendsEnvelopes


class SOAPAsyncRequest(SendsEnvelopes, HTTPAsyncRequest):
    """Sends an envelope: `SOAPAsyncRequest("http://host/orders", correlator="orders")`."""

    type_name: ClassVar[str] = "ComIbmSOAPAsyncRequestNode"
