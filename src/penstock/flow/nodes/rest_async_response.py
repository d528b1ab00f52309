"""RESTAsyncResponse: a flow that starts with the responses to the requests of a RESTAsyncRequest.

An HTTPAsyncResponse that parses a response by its content type, unless it has a domain.
"""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from penstock.flow.http.content import domain_of
from penstock.flow.nodes.http_async_response import HTTPAsyncResponse


class RESTAsyncResponse(HTTPAsyncResponse):
    """Takes responses: `RESTAsyncResponse("orders")`."""

    type_name: ClassVar[str] = "ComIbmRESTAsyncResponseNode"

    domain: str = field(default="", kw_only=True)

    def domain_for(self, content_type: str) -> str:
        return self.domain or domain_of(content_type)
