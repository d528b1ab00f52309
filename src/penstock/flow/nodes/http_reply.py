"""HTTPReply: answers the request that LocalEnvironment names, at once.

The body of the message is the body of the response. Headers come from HTTPReplyHeader, the status from
LocalEnvironment.Destination.HTTP.ReplyStatusCode or HTTPReplyHeader's X-Original-HTTP-Status-Code. The reply
is sent when the message reaches the node: nothing that the flow does later can take it back. If
LocalEnvironment lost the identifier on the way, the request that the flow runs on is answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.http.content import content_type_of, header_pairs, number_of
from penstock.flow.http.exchange import HttpResponse, exchanges
from penstock.flow.kinds import Kind
from penstock.flow.new_messages import body_of
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.flow.writing import noted
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

STATUS = "X-Original-HTTP-Status-Code"
_STATUS_CODE = Path("Destination", "HTTP", "ReplyStatusCode")


class HTTPReply(Node):
    """Answers a request.

    With `ignore_transport_failures` a message whose client is gone still goes to `out`.
    """

    kind = Kind.EFFECT
    serves_http = True
    type_name: ClassVar[str] = "ComIbmWSReplyNode"
    identifier: ClassVar[Path] = Path("Destination", "HTTP", "RequestIdentifier")

    _: KW_ONLY
    ignore_transport_failures: bool = True
    default_headers: bool = True

    def start(self, at: NodeContext) -> Process:
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            response = self.response(assembly)
            sent = self._send(assembly, response)
            if onward is not None:
                written = [{"status": response.status, "sent": sent}]
                onward(assembly.sending(local_environment=noted(assembly, "HTTP", written)))

        return process

    def response(self, assembly: Assembly) -> HttpResponse:
        """Return the HTTP response for a message."""
        headers = header_pairs(assembly.message, "HTTPReplyHeader")
        said = number_of(assembly.local_environment.get(_STATUS_CODE))
        said = said or number_of(next((v for n, v in headers if n.lower() == STATUS.lower()), None))
        kept = [(name, value) for name, value in headers if not name.lower().startswith("x-original-http-")]
        if self.default_headers and not any(name.lower() == "content-type" for name, _ in kept):
            kept.append(("Content-Type", content_type_of(assembly.message)))
        return HttpResponse(said or self.default_status(assembly), kept, body_of(assembly.message))

    def default_status(self, assembly: Assembly) -> int:
        """Return the status of a reply that specifies none."""
        return 200

    def _send(self, assembly: Assembly, response: HttpResponse) -> bool:
        identifier = assembly.local_environment.get(self.identifier)
        if not isinstance(identifier, bytes):
            identifier = assembly.invocation.ports.request
        if identifier is None:
            raise error(mq.PSRC_FLOW_HTTP_REPLY, "LocalEnvironment holds no request identifier")
        try:
            sent = exchanges().find(identifier).answer(response)
        except MQError:
            if not self.ignore_transport_failures:
                raise
            return False
        if not sent and not self.ignore_transport_failures:
            raise error(mq.PSRC_FLOW_HTTP_REPLY, "the request has had its reply")
        return sent
