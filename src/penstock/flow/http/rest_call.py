"""A call of one operation of a REST API: method, address and headers, from the definition and a message.

Values of parameters come from `LocalEnvironment.Destination.REST.Request.Parameters`, then from the node's
expressions. A parameter in the path without a value is an error; others without one are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

from penstock.flow.path_values import PathValue
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path, Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.http.rest_api import Operation, RestApi

_REQUEST = ("Destination", "REST", "Request")
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


class RequestLine(NamedTuple):
    """What an operation adds to a request; `has_body` is whether the definition declares a body."""

    method: str
    url: str
    headers: list[tuple[str, str]]
    has_body: bool


class RestCalls:
    """The operations that a node calls: `operation` by default, with values by `expressions`."""

    def __init__(self, api: RestApi, operation: str, base_url: str, expressions: Mapping[str, str]) -> None:
        self.operations = {each.name: each for each in api.operations}
        self.operation = operation
        self.address = (base_url or api.address).rstrip("/")
        self.expressions = {name: PathValue(text) for name, text in expressions.items() if text.strip()}

    def line(self, assembly: Assembly) -> RequestLine:
        """Return the request line for a message; 8334 if the operation or a part of its path is unknown."""
        name = _told(assembly, "Operation") or self.operation
        operation = self.operations.get(name)
        if operation is None:
            raise error(mq.PSRC_FLOW_HTTP_REQUEST, f"the definition has no operation {name!r}")
        address = (_told(assembly, "BaseURL") or self.address).rstrip("/")
        values = self._values(operation, assembly)
        query = [(each, value) for (where, each), value in values.items() if where == "query"]
        headers = [(each, value) for (where, each), value in values.items() if where == "header"]
        url = address + _path(operation, values) + (f"?{urlencode(query)}" if query else "")
        has_body = any(where in ("body", "formData") for where, _ in operation.declared)
        return RequestLine(operation.method, url, headers, has_body)

    def _values(self, operation: Operation, assembly: Assembly) -> dict[tuple[str, str], str]:
        found = {}
        for where, name in operation.declared:
            expression = self.expressions.get(name)
            value = _told(assembly, "Parameters", name)
            if not value and expression is not None:
                value = expression.text(assembly)
            if value:
                found[where, name] = value
        return found


def _path(operation: Operation, values: dict[tuple[str, str], str]) -> str:
    """Return the path with the values of its parameters."""

    def value(found: re.Match[str]) -> str:
        given = values.get(("path", found[1]), "")
        if not given:
            what = f"operation {operation.name}: there is no value for {found[1]}, which is in its path"
            raise error(mq.PSRC_FLOW_HTTP_REQUEST, what)
        return quote(given, safe="")

    return _PARAMETER.sub(value, operation.path)


def _told(assembly: Assembly, *steps: str) -> str:
    """Return a value below LocalEnvironment.Destination.REST.Request; empty if there is none."""
    if not assembly.has_local_environment:
        return ""
    value = assembly.local_environment.get(Path(*_REQUEST, *(Step(each) for each in steps)))
    return "" if value is MISSING or value is None else str(value)
