"""SOAPRequest: sends an envelope to a SOAP service and continues with its answer; faults have a terminal.

An HTTPRequest whose messages are envelopes: an XML message that has none is put into one. A response that is
not an envelope is the node's failure.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.http_request import HTTPRequest
from penstock.flow.nodes.soap_envelope import in_envelope
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.xml.soap_fault import fault_of

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.http.client import Call
    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.locations import Location

FAULT = "fault"


class SendsEnvelopes(HTTPRequest):
    """Sends the message in an envelope."""

    domain: str = field(default="SOAP", init=False, kw_only=True)
    method: str = field(default="POST", init=False, kw_only=True)
    _: KW_ONLY
    action: str = ""

    def request(self, assembly: Assembly, source: Location | None = None) -> Call:
        call = super().request(assembly if source is not None else in_envelope(assembly), source)
        if any(name.lower() == "soapaction" for name, _ in call.headers):
            return call
        return call._replace(headers=[*call.headers, ("SOAPAction", f'"{self.action}"')])


class SOAPRequest(SendsEnvelopes):
    """Sends an envelope: `SOAPRequest("http://host/orders", action="urn:order")`."""

    outputs = (OUT, FAULT, FAILURE)
    type_name: ClassVar[str] = "ComIbmSOAPRequestNode"

    def terminal_for(self, response: HttpResponse, sent: Assembly) -> str:
        try:
            return OUT if fault_of(sent.message) is None else FAULT
        except MQError as raised:
            what = f"the service answered {response.status} without an envelope: {raised.detail}"
            raise error(mq.PSRC_FLOW_HTTP_REQUEST, what) from raised
