"""HTTPInput: a flow that starts with the requests for a path. `running.http_listener` drives it.

Many inputs, also of several flows in the process, share a port. The identifier of the request is stored in
LocalEnvironment.Destination.HTTP.RequestIdentifier, where an HTTPReply of any of these flows finds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qsl

from penstock.flow.http.content import charset_of
from penstock.flow.http.faults import AUTO, FORMATS, accepted_form
from penstock.flow.http.rest_api import read_api
from penstock.flow.http.server import HOST, PORT
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, InputNode
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.label import Label
from penstock.flow.nodes.validate import CONTENTS
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree import Message, Path
from penstock.tree.headers.http import HTTPHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.http.exchange import Exchange
    from penstock.flow.http.request_reader import HttpRequest
    from penstock.flow.http.rest_api import Chosen
    from penstock.flow.project import Project
    from penstock.flow.running.listener import Listener

TIMEOUT = "timeout"
QUERY_FIELDS_MAX = 1000
PORT_MAX = 65_535
CERTIFICATE, KEY = "tls/certificate.pem", "tls/key.pem"  # of a project's HTTPS inputs
_HEADER = HTTPHeader("HTTPInputHeader")
ROUTER_LABEL = Path("Destination", "RouterList", "DestinationData", "labelName")
_REST = Path("REST", "Input")
_LINE, _QUERY = Path("HTTP", "Input", "RequestLine"), Path("HTTP", "Input", "QueryString")


class HTTPInput(BodyProperties, InputNode):
    """Takes requests: `HTTPInput("/orders", domain="XMLNSC")`; `/orders/*` takes all below, `/v1*` whatever
    begins so.

    `api` is the definition of a REST API (swagger, OpenAPI): the operation of a request is put in the list of
    labels for a RouteToLabel, its parameters in LocalEnvironment.REST.Input. `client_wait` is how long a
    client waits for its reply, in seconds; `reply_wait` how long after the flow has ended without one. With
    `https` the port uses TLS with `certificate` and `key`, PEM files of the project. With `validate` the
    whole body is checked before the flow runs. `fault_detail` tells clients of a failed flow the reason, the
    node and the text of the exception.
    """

    outputs = (OUT, FAILURE, TIMEOUT, CATCH)
    kind = Kind.EFFECT
    serves_http = True
    type_name: ClassVar[str] = "ComIbmWSInputNode"
    malformed_status: ClassVar[int] = 400
    unreplied_status: ClassVar[int] = 504
    identifier: ClassVar[Path] = Path("Destination", "HTTP", "RequestIdentifier")

    path: str
    _: KW_ONLY
    port: int = PORT
    host: str = HOST
    parse_query_string: bool = False
    validate: str = "none"
    fault_format: str = AUTO
    fault_detail: bool = False
    client_wait: float = 180.0
    reply_wait: float | None = None  # None: see `running.http_listener`
    https: bool = False
    certificate: str = ""
    key: str = ""
    api: str = ""

    def check(self) -> Iterable[str]:
        if not self.path.startswith("/"):
            yield f"path {self.path!r} has to begin with a slash"
        if self.fault_format not in FORMATS:
            yield f"fault format {self.fault_format!r} is not one of {', '.join(FORMATS)}"
        yield from self.wrong_choices(validate=CONTENTS)
        if self.client_wait <= 0:
            yield "client_wait has to be more than 0 seconds"
        if self.reply_wait is not None and self.reply_wait < 0:
            yield "reply_wait has to be 0 seconds or more"
        if not 0 <= self.port <= PORT_MAX:
            yield f"port {self.port} is none: 1 to {PORT_MAX}, or 0 for any that is free"

    def missing(self, project: Project) -> Iterable[str]:
        if self.api:
            try:
                read_api(project.folder / self.api)
            except MQError as raised:
                yield raised.detail
        certificate, key = self.tls_files()
        if not certificate:
            return
        for name in (certificate, key):
            if name and not (project.folder / name).is_file():
                yield (
                    f"HTTPS needs {name} in the project: a certificate in {CERTIFICATE} and its key in {KEY},"
                    " or the properties certificate and key"
                )

    def tls_files(self) -> tuple[str, str]:
        """Return the paths of certificate and key in the project; nothing if the port is plain HTTP."""
        if self.certificate:
            return self.certificate, self.key
        return (CERTIFICATE, self.key or KEY) if self.https else ("", "")

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.http_listener import HttpListener

        return HttpListener(self, flow, label, connect, **options)

    # -- from a request to trees -----------------------------------------------------------

    def routing(self, flow: CompiledFlow) -> Any:
        """Return what `trees` finds the operation of a request by; None if nothing is to be routed."""
        if not self.api:
            return None
        labels = {node.label for node in flow.flat.nodes.values() if isinstance(node, Label)}
        return read_api(flow.project.folder / self.api), labels

    def trees(
        self, exchange: Exchange, model: Any, now: float, routing: Any = None
    ) -> tuple[Message, Message]:
        """Return the message and the LocalEnvironment of a request; NoOperation if an API has none for it."""
        local = self.local_environment(exchange)
        if routing is not None:
            api, labels = routing
            _tell_operation(local, exchange.request, api.choose(exchange.request, self._base(), labels))
        return self.message(exchange.request, model, now), local

    def _base(self) -> str:
        return self.path.rstrip("*").rstrip("/")

    def fault_format_for(self, request: HttpRequest) -> str:
        """Return the format of a fault for a request."""
        if self.fault_format != AUTO:
            return self.fault_format
        return accepted_form(request.header("Accept"), request.header("Content-Type"))

    def message(self, request: HttpRequest, model: Any, now: float, domain: str = "") -> Message:
        """Return the tree of a request: Properties, HTTPInputHeader, body."""
        return self.arrived(
            request.body,
            model,
            domain,
            ccsid=charset_of(request.header("Content-Type")),
            put_time=now,
            folders=[(_HEADER, self._headers(request))],
        )

    def local_environment(self, exchange: Exchange) -> Message:
        """Return the LocalEnvironment of a request."""
        request, made = exchange.request, Message()
        made.set(self.identifier, exchange.identifier)
        line = made.create(_LINE)
        line.add_last_child("Method", request.method)
        line.add_last_child("RequestURI", request.target)
        line.add_last_child("HTTPVersion", request.version)
        if self.parse_query_string and request.query:
            fields = made.create(_QUERY)
            for name, value in _query_fields(request.query):
                fields.add_last_child(name, value)
        return made

    def _headers(self, request: HttpRequest) -> list[tuple[str, str]]:
        """Return the headers of a request, and those that only this server may set."""
        ours = {
            "X-Original-HTTP-Command": f"{request.method} {request.target} {request.version}",
            "X-Query-String": request.query,
            "X-Remote-Addr": request.client,
            "X-Server-Port": str(self.port),
        }
        names = {name.lower() for name in ours}
        theirs = [(name, value) for name, value in request.headers if name.lower() not in names]
        return [*theirs, *((name, value) for name, value in ours.items() if value)]


def _tell_operation(local: Message, request: HttpRequest, chosen: Chosen) -> None:
    """Put the operation of a request and its parameters into LocalEnvironment, and its label in the list."""
    local.set(ROUTER_LABEL, chosen.operation.name)
    place = local.create(_REST)
    place.add_last_child("Method", request.method)
    place.add_last_child("Operation", chosen.operation.name)
    place.add_last_child("Path", chosen.operation.path)
    place.add_last_child("URI", f"http://{request.header('Host')}{request.target}")
    parameters = place.add_last_child("Parameters")
    for name, value in chosen.values:
        parameters.add_last_child(name, value)


def _query_fields(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=QUERY_FIELDS_MAX)
    except ValueError as raised:
        what = f"a query has at most {QUERY_FIELDS_MAX} fields that a flow reads"
        raise error(mq.PSRC_HEADER_FIELD, what) from raised
