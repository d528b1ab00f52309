"""SOAPAsyncRequest: sends an envelope to a SOAP service and does not wait for its answer.

An HTTPAsyncRequest whose messages are envelopes; the answer starts the flow of the SOAPAsyncResponse with the
same correlator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.nodes.http_async_request import HTTPAsyncRequest
from penstock.flow.nodes.soap_request import SOAPRequest

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.http.client import Call
    from penstock.flow.locations import Location


class SOAPAsyncRequest(HTTPAsyncRequest):
    """Sends an envelope: `SOAPAsyncRequest("http://host/orders", correlator="orders")`."""

    type_name: ClassVar[str] = "ComIbmSOAPAsyncRequestNode"

    def __init__(
        self, url: str = "", *, correlator: str = "", action: str = "", timeout: float = 120.0, name: str = ""
    ) -> None:
        super().__init__(url, correlator=correlator, timeout=timeout, domain="SOAP", name=name)
        self.action = action
        self._envelopes = SOAPRequest(url, action=action)

    def request(self, assembly: Assembly, source: Location | None = None) -> Call:
        return self._envelopes.request(assembly, source)
