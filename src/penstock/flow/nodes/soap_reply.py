"""SOAPReply: answers a SOAP request; a fault has status 500, as SOAP over HTTP requires.

An XML message that has no envelope is put into one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.nodes.http_reply import HTTPReply
from penstock.flow.nodes.soap_envelope import in_envelope
from penstock.flow.nodes.soap_input import REPLY_IDENTIFIER
from penstock.tree.xml.soap_fault import fault_of

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.http.exchange import HttpResponse
    from penstock.tree import Path


class SOAPReply(HTTPReply):
    """Answers the request of a SOAPInput."""

    type_name: ClassVar[str] = "ComIbmSOAPReplyNode"
    identifier: ClassVar[Path] = REPLY_IDENTIFIER

    def response(self, assembly: Assembly) -> HttpResponse:
        return super().response(in_envelope(assembly))

    def default_status(self, assembly: Assembly) -> int:
        return 200 if fault_of(assembly.message) is None else 500
