"""SOAPInput: a flow that starts with SOAP requests for a path; an HTTPInput whose messages are envelopes.

Faults are SOAP in the version of the request. The identifier for the reply is in
LocalEnvironment.Destination.SOAP.Reply.ReplyIdentifier.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.http.faults import SOAP11, SOAP12
from penstock.flow.http.wsdl import operations_of
from penstock.flow.nodes.http_input import ROUTER_LABEL, HTTPInput
from penstock.flow.nodes.soap_extract import operation_of, taken_apart
from penstock.model.errors import MQError
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.http.exchange import Exchange
    from penstock.flow.http.request_reader import HttpRequest
    from penstock.flow.project import Project

REPLY_IDENTIFIER = Path("Destination", "SOAP", "Reply", "ReplyIdentifier")
_OPERATION = Path("SOAP", "Input", "Operation")


class SOAPInput(HTTPInput):
    """Takes SOAP requests: `SOAPInput("/orders")`; `extract_body` removes the envelope at once.

    The operation of a request is put in the list of labels for a RouteToLabel, with `label_prefix` before it;
    `wsdl`, a file of the project, maps elements to operations.
    """

    type_name: ClassVar[str] = "ComIbmSOAPInputNode"
    identifier: ClassVar[Path] = REPLY_IDENTIFIER
    malformed_status: ClassVar[int] = 500  # the status of SOAP's faults
    unreplied_status: ClassVar[int] = 500

    domain: str = field(default="SOAP", init=False, kw_only=True)
    _: KW_ONLY
    extract_body: bool = False
    wsdl: str = ""
    label_prefix: str = ""

    def missing(self, project: Project) -> Iterable[str]:
        yield from super().missing(project)
        if self.wsdl:
            try:
                operations_of(project.folder / self.wsdl)
            except MQError as raised:
                yield raised.detail
            except OSError as raised:
                yield f"{self.wsdl} cannot be read: {raised.strerror}"

    def fault_format_for(self, request: HttpRequest) -> str:
        """Return the client's SOAP version, by its Content-Type."""
        return SOAP12 if "application/soap+xml" in request.header("Content-Type") else SOAP11

    def routing(self, flow: CompiledFlow) -> Any:
        return operations_of(flow.project.folder / self.wsdl) if self.wsdl else {}

    def trees(
        self, exchange: Exchange, model: Any, now: float, routing: Any = None
    ) -> tuple[Message, Message]:
        message, local = super().trees(exchange, model, now)
        element = operation_of(message)
        operation = (routing or {}).get(element, element)
        if operation:
            local.set(_OPERATION, operation)
            local.set(ROUTER_LABEL, f"{self.label_prefix}{operation}")
        if self.extract_body:
            message = taken_apart(message, local, "XMLNSC")
        return message, local
