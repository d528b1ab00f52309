"""SOAPInput: a flow that starts with SOAP requests for a path; an HTTPInput whose messages are envelopes.

Faults are SOAP in the version of the request. The identifier for the reply is in
LocalEnvironment.Destination.SOAP.Reply.ReplyIdentifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.http.faults import SOAP11, SOAP12
from penstock.flow.http.server import HOST, PORT
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.soap_extract import operation_of, taken_apart
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from penstock.flow.http.exchange import Exchange
    from penstock.flow.http.request_reader import HttpRequest

REPLY_IDENTIFIER = Path("Destination", "SOAP", "Reply", "ReplyIdentifier")
_OPERATION = Path("SOAP", "Input", "Operation")


class SOAPInput(HTTPInput):
    """Takes SOAP requests: `SOAPInput("/orders")`; `extract_body` removes the envelope at once."""

    type_name: ClassVar[str] = "ComIbmSOAPInputNode"
    identifier: ClassVar[Path] = REPLY_IDENTIFIER
    malformed_status: ClassVar[int] = 500  # the status of SOAP's faults

    def __init__(
        self,
        path: str,
        *,
        port: int = PORT,
        host: str = HOST,
        extract_body: bool = False,
        client_wait: float = 180.0,
        certificate: str = "",
        key: str = "",
        name: str = "",
    ) -> None:
        super().__init__(
            path,
            port=port,
            host=host,
            domain="SOAP",
            client_wait=client_wait,
            certificate=certificate,
            key=key,
            name=name,
        )
        self.extract_body = extract_body

    def fault_format_for(self, request: HttpRequest) -> str:
        """Return the client's SOAP version, by its Content-Type."""
        return SOAP12 if "application/soap+xml" in request.header("Content-Type") else SOAP11

    def trees(self, exchange: Exchange, model: Any, now: float) -> tuple[Message, Message]:
        message, local = super().trees(exchange, model, now)
        operation = operation_of(message)
        if operation:
            local.set(_OPERATION, operation)
        if self.extract_body:
            message = taken_apart(message, local, "XMLNSC")
        return message, local
