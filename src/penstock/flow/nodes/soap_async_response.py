"""SOAPAsyncResponse: a flow that starts with the answers to the requests of a SOAPAsyncRequest.

A fault goes to `fault`; an answer that is no envelope is a failure.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, ClassVar

from penstock.flow.node import CATCH, FAILURE, OUT
from penstock.flow.nodes.http_async_response import HTTPAsyncResponse
from penstock.flow.nodes.soap_request import FAULT
from penstock.model.errors import MQError
from penstock.tree.xml.soap_fault import fault_of

if TYPE_CHECKING:
    from penstock.flow.http.exchange import HttpResponse
    from penstock.tree import Message


class SOAPAsyncResponse(HTTPAsyncResponse):
    """Takes answers: `SOAPAsyncResponse("orders")`."""

    outputs = (OUT, FAULT, FAILURE, CATCH)
    type_name: ClassVar[str] = "ComIbmSOAPAsyncResponseNode"

    domain: str = field(default="SOAP", init=False, kw_only=True)

    def terminal_for(self, response: HttpResponse, message: Message) -> str:
        try:
            return OUT if fault_of(message) is None else FAULT
        except MQError:
            return FAILURE
