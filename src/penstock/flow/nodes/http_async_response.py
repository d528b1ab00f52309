"""HTTPAsyncResponse: a flow that starts with the responses to the requests of an HTTPAsyncRequest.

Properties.ReplyIdentifier is the identifier of the request, which an AggregateReply behind it knows. A
request without a response goes to `failure`, one with a status of 400 or more to `error`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.http.asynchronous import async_requests
from penstock.flow.http.content import charset_of
from penstock.flow.kinds import Kind
from penstock.flow.new_messages import arrived
from penstock.flow.node import CATCH, FAILURE, OUT, InputNode
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.http_async_request import CONTEXT
from penstock.tree import Message, Path
from penstock.tree.headers.http import HTTPHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.http.asynchronous import Arrived
    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.running.async_listener import Response
    from penstock.flow.running.listener import Listener
    from penstock.flow.running.unit_runner import UnitRunner

ERROR = "error"
_CONTEXT = Path("HTTP", "UserContext")
_HEADER = HTTPHeader("HTTPResponseHeader")


class HTTPAsyncResponse(BodyProperties, InputNode):
    """Takes responses: `HTTPAsyncResponse("price", domain="JSON")`."""

    outputs = (OUT, ERROR, FAILURE, CATCH)
    kind = Kind.EFFECT
    serves_http = True
    type_name: ClassVar[str] = "ComIbmHTTPAsyncResponseNode"

    correlator: str

    def check(self) -> Iterable[str]:
        if not self.correlator:
            yield "a response node needs the correlator of its request node"

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.async_listener import AsyncListener

        model = self.model_in(flow.project)

        def take(runner: UnitRunner, wait: float) -> Response | None:
            found = async_requests().take(self.correlator, wait)
            return None if found is None else self._response(found, model, runner.ports.clock())

        return AsyncListener(flow, label, connect(), take, **options)

    def domain_for(self, content_type: str) -> str:
        """Return the domain of a response of a content type."""
        return self.domain

    def terminal_for(self, response: HttpResponse, message: Message) -> str:
        """Return the terminal for a response."""
        return OUT if response.status < 400 else ERROR

    def _response(self, found: Arrived, model: Any, now: float) -> Response:
        from penstock.flow.running.async_listener import Response

        told = Message()
        if found.context is not None:
            told.create(_CONTEXT).assign(found.context.reference(CONTEXT))
        if found.response is None:
            return Response(arrived(b"", "BLOB", correl_id=found.identifier), told, OUT, found.problem)
        message = self._message(found.response, found.identifier, model, now)
        return Response(message, told, self.terminal_for(found.response, message))

    def _message(self, response: HttpResponse, identifier: bytes, model: Any, now: float) -> Message:
        kind = next((value for name, value in response.headers if name.lower() == "content-type"), "")
        headers = [("X-Original-HTTP-Status-Code", str(response.status)), *response.headers]
        return self.arrived(
            response.body,
            model,
            self.domain_for(kind),
            ccsid=charset_of(kind),
            put_time=now,
            correl_id=identifier,
            folders=[(_HEADER, headers)],
        )
