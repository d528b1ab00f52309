"""HTTPRequest: sends the message to an HTTP server and continues with the response.

A status below 400 leads to `out`, any other response to `error`; no response at all is the node's failure. A
request cannot be taken back: a flow that fails later and runs again sends it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.failing import UNREACHABLE
from penstock.flow.http.client import Call, call
from penstock.flow.http.content import charset_of, content_type_of, header_pairs
from penstock.flow.kinds import Kind
from penstock.flow.locations import Location, location
from penstock.flow.new_messages import body_of, without_body
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.model.errors import MQError
from penstock.tree import MISSING, Path, bitstream, parse_into
from penstock.tree.headers.http import HTTP_FOLDERS, HTTPHeader

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.node import Process
    from penstock.tree import Message

ERROR = "error"
FAIL, PAUSE = "fail", "pause"  # the effect of an unreachable server: the message fails, or the flow pauses
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")
_URL, _METHOD = (
    Path("Destination", "HTTP", "RequestURL"),
    Path("Destination", "HTTP", "RequestLine", "Method"),
)
_RESPONSE = HTTPHeader("HTTPResponseHeader")


class HTTPRequest(BodyProperties):
    """Sends a request: `HTTPRequest("http://host/price", domain="JSON")`.

    The body is the message's, or what is at `request_location`. The response is the body that goes on, or is
    put at `response_location` of the message that came in. LocalEnvironment.Destination.HTTP.RequestURL
    and RequestLine.Method come before `url` and `method`; headers are those of HTTPRequestHeader. With
    `unreachable="pause"` a server that takes no connection pauses the flow, and the message is sent later.
    """

    outputs = (OUT, ERROR, FAILURE)
    kind = Kind.EFFECT
    type_name: ClassVar[str] = "ComIbmWSRequestNode"

    url: str = ""
    _: KW_ONLY
    method: str = "POST"
    timeout: float = 120.0
    request_location: str = ""
    response_location: str = ""
    follow_redirects: bool = False
    default_headers: bool = True
    unreachable: str = FAIL

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.wrong_choices(method=METHODS)
        if self.url and not self.url.startswith(("http://", "https://")):
            yield f"url {self.url!r} has to begin with http:// or https://"
        yield from self.wrong_choices(unreachable=(FAIL, PAUSE))
        if self.timeout <= 0:
            yield "timeout has to be more than 0 seconds"

    def start(self, at: NodeContext) -> Process:
        model: Any = self.model_in(at.instance.project)
        source = location(self.request_location) if self.request_location else None
        target = location(self.response_location) if self.response_location else None

        def process(assembly: Assembly) -> None:
            response = self._called(self.request(assembly, source))
            sent = self._received(assembly, response, model, target)
            at.send(self.terminal_for(response, sent), sent)

        return process

    def request(self, assembly: Assembly, source: Location | None = None) -> Call:
        """Return the HTTP request for a message."""
        local = assembly.local_environment if assembly.has_local_environment else None
        url, method = (_said(local, path) for path in (_URL, _METHOD))
        method = method or self.method
        headers = header_pairs(assembly.message, "HTTPRequestHeader")
        if self.default_headers and not any(name.lower() == "content-type" for name, _ in headers):
            headers.append(("Content-Type", self.content_type(assembly.message)))
        body = b"" if method in ("GET", "HEAD") else self._body(assembly, source)
        return Call(method, url or self.url, headers, body)

    def _called(self, request: Call) -> HttpResponse:
        try:
            return call(request, self.timeout, self.follow_redirects)
        except MQError as raised:
            raised.fields[UNREACHABLE] = self.unreachable == PAUSE and raised.fields.get(
                "not_connected", False
            )
            raise

    def content_type(self, message: Message) -> str:
        """Return the content type of a body whose message specifies none."""
        return content_type_of(message)

    def domain_for(self, content_type: str) -> str:
        """Return the domain of a response of a content type."""
        return self.domain

    def terminal_for(self, response: HttpResponse, sent: Assembly) -> str:
        """Return the terminal for a response."""
        return OUT if response.status < 400 else ERROR

    def _body(self, assembly: Assembly, source: Location | None) -> bytes:
        if source is None:
            return body_of(assembly.message)
        found = source.reference(assembly)
        if found is None:
            return b""
        value = found.value
        if isinstance(value, bytes):
            return value
        return bitstream(found, domain="" if found.is_domain_folder else assembly.message.domain)

    def _received(
        self, assembly: Assembly, response: HttpResponse, model: Any, target: Location | None
    ) -> Assembly:
        """Return the output assembly, with the response in it."""
        status = ("X-Original-HTTP-Status-Code", str(response.status))
        headers = [status, *((n, v) for n, v in response.headers if not n.lower().startswith("x-original-"))]
        kind = next((value for name, value in response.headers if name.lower() == "content-type"), "")
        if target is not None:
            sent = assembly.sending(assembly.message.copy(), assembly.copied_local_environment())
            domain = self.domain_for(kind)
            parse_into(target.create_in(sent), response.body, domain, model, ccsid=charset_of(kind))
            return sent
        message = self.arrived(
            response.body,
            model,
            self.domain_for(kind),
            ccsid=charset_of(kind),
            folders=[(_RESPONSE, headers)],
            base=without_body(assembly.message, HTTP_FOLDERS),
        )
        return assembly.sending(message=message)


def _said(local: Message | None, path: Path) -> str:
    value = MISSING if local is None else local.get(path)
    return "" if value is MISSING or value is None else str(value)
