"""HTTPAsyncRequest: sends the message to an HTTP server and does not wait for the response.

The response starts the flow of the HTTPAsyncResponse with the same correlator, in the same process.
LocalEnvironment.Destination.HTTP.UserContext goes along and comes back in LocalEnvironment.HTTP.UserContext.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from penstock.flow.http.asynchronous import async_requests
from penstock.flow.locations import location
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.group_request import GroupProperties
from penstock.flow.nodes.http_request import HTTPRequest
from penstock.flow.writing import noted
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Message

CONTEXT = Path("Destination", "HTTP", "UserContext")


class HTTPAsyncRequest(HTTPRequest, GroupProperties):
    """Sends a request: `HTTPAsyncRequest("http://host/price", correlator="price")`."""

    outputs = (OUT, FAILURE)  # type: ignore[assignment]
    serves_http = True  # the response comes to this process
    type_name: ClassVar[str] = "ComIbmHTTPAsyncRequestNode"

    _: KW_ONLY
    correlator: str = ""

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.correlator:
            yield "an asynchronous request needs the correlator of its response node"
        if self.response_location:
            yield "response_location is for the response node"

    def start(self, at: NodeContext) -> Process:
        source = location(self.request_location) if self.request_location else None
        onward = at.wire(OUT)

        def process(assembly: Assembly) -> None:
            group = self.group_around(assembly)
            request, identifier = self.request(assembly, source), assembly.ports.new_id()
            async_requests().send(
                *(self.correlator, request, self.timeout, self.follow_redirects, identifier),
                user_context(assembly),
            )
            written = [{"replyIdentifier": identifier, "URL": request.url}]
            self.note_requests(group, written)
            if onward is not None:
                onward(assembly.sending(local_environment=noted(assembly, "HTTP", written)))

        return process


def user_context(assembly: Assembly) -> Message | None:
    """Return a copy of LocalEnvironment that holds UserContext; None if there is none."""
    if not assembly.has_local_environment or assembly.local_environment.reference(CONTEXT) is None:
        return None
    return assembly.copied_local_environment()
