"""RESTRequest: calls an operation of a REST API by its definition and continues with the response.

An HTTPRequest whose method and address come from a swagger or OpenAPI file of the project. The response is
parsed by its content type, unless the node has a domain.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.flow.http.content import domain_of
from penstock.flow.http.rest_api import read_api
from penstock.flow.http.rest_call import RestCalls
from penstock.flow.locations import location
from penstock.flow.nodes.http_request import HTTPRequest
from penstock.flow.path_values import wrong_paths
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.http.client import Call
    from penstock.flow.http.exchange import HttpResponse
    from penstock.flow.locations import Location
    from penstock.flow.node import Process
    from penstock.flow.project import Project

_RESULT_ROOT = "$ResultRoot"


class CallsOperation(HTTPRequest):
    """Sends requests that a definition describes: `definition` is its file, `operation` an operationId.

    `parameters` are XPath expressions by name. `base_url` replaces the address in the definition.
    """

    url: str = field(default="", init=False)
    method: str = field(default="POST", init=False, kw_only=True)
    definition: str = ""
    operation: str = ""
    base_url: str = field(default="", kw_only=True)
    parameters: dict[str, str] = field(default_factory=dict, kw_only=True)
    domain: str = field(default="", kw_only=True)

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.definition:
            yield f"a {type(self).__name__} needs the file of its definition"
        if not self.operation:
            yield f"a {type(self).__name__} needs its operation"
        if self.base_url and not self.base_url.startswith(("http://", "https://")):
            yield f"base_url {self.base_url!r} has to begin with http:// or https://"
        for name, text in self.parameters.items():
            yield from (each.replace("expression", name, 1) for each in wrong_paths(expression=text))

    def missing(self, project: Project) -> Iterable[str]:
        if not self.definition or not self.operation:
            return
        try:
            api = read_api(project.folder / self.definition)
        except MQError as raised:
            yield raised.detail
            return
        if self.operation not in {each.name for each in api.operations}:
            yield f"{self.definition} has no operation {self.operation!r}"
        if not api.address and not self.base_url:
            yield f"{self.definition} names no server: base_url is needed"

    def start(self, at: NodeContext) -> Process:
        api = read_api(at.instance.project.folder / self.definition)
        self._calls = RestCalls(api, self.operation, self.base_url, self.parameters)
        return super().start(at)

    def request(self, assembly: Assembly, source: Location | None = None) -> Call:
        line = self._calls.line(assembly)
        call = super().request(assembly, source)
        body = call.body if line.has_body else b""
        headers = [each for each in call.headers if body or each[0].lower() != "content-type"]
        return call._replace(method=line.method, url=line.url, headers=[*headers, *line.headers], body=body)

    def domain_for(self, content_type: str) -> str:
        return self.domain or domain_of(content_type)


class RESTRequest(CallsOperation):
    """Calls an operation: `RESTRequest("shop.yaml", "getOrder", parameters={"id": "$Body/Order/Id"})`.

    With `output_location`, what is at `result_location` of the response (`$ResultRoot/JSON/Data`) is put
    there, and the message that came in goes on.
    """

    type_name: ClassVar[str] = "ComIbmRESTRequestNode"

    response_location: str = field(default="", init=False, kw_only=True)
    result_location: str = field(default="", kw_only=True)
    output_location: str = field(default="", kw_only=True)

    def check(self) -> Iterable[str]:
        yield from super().check()
        for name, text in (("result_location", self._result), ("output_location", self.output_location)):
            try:
                location(text or "$Root")
            except MQError as raised:
                yield f"{name}: {raised.detail}"
        if self.result_location and not self.output_location:
            yield "result_location needs output_location"

    @property
    def _result(self) -> str:
        """The location in the response as one in a message."""
        if self.result_location.startswith(_RESULT_ROOT):
            return f"$Root{self.result_location.removeprefix(_RESULT_ROOT)}"
        return self.result_location

    def _received(
        self, assembly: Assembly, response: HttpResponse, model: Any, target: Location | None
    ) -> Assembly:
        received = super()._received(assembly, response, model, target)
        if not self.output_location:
            return received
        sent = assembly.sending(assembly.message.copy(), assembly.copied_local_environment())
        found = location(self._result or "$Root").reference(received)
        place = location(self.output_location).create_in(sent)
        if found is not None:
            place.assign(found)
        return sent
