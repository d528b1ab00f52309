"""The definition of a REST API (swagger 2, OpenAPI 3; JSON or YAML): its operations, and which one a request
is for.

Used by an HTTPInput with a definition and by nodes that call an operation (`rest_call`). Only what they need
is validated. A path without parameters counts before one with; parameters are those that the definition
declares.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, unquote

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from pathlib import Path

    from penstock.flow.http.request_reader import HttpRequest

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
OPERATIONS_MAX = 5_000
BYTES_MAX = 16 << 20
QUERY_FIELDS_MAX = 1000
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


class NoOperation(Exception):
    """A request that no operation handles: the status of its answer, and the methods that the path has."""

    def __init__(self, status: int, why: str, allowed: tuple[str, ...] = ()) -> None:
        super().__init__(why)
        self.status = status
        self.allowed = allowed


class Operation(NamedTuple):
    """One operation: `pattern` matches paths below the base, `declared` are (where, name) of parameters.

    A request body is declared as ("body", name), form fields as ("formData", name).
    """

    name: str
    method: str
    path: str
    pattern: re.Pattern[str]
    declared: tuple[tuple[str, str], ...]


class Chosen(NamedTuple):
    """The operation of a request, and the values of its parameters in the order of the definition."""

    operation: Operation
    values: list[tuple[str, str]]


class RestApi:
    """The operations of a definition. `address` is that of its server, empty if it names no host."""

    def __init__(self, base: str, operations: list[Operation], address: str = "") -> None:
        self.base = base
        self.address = address
        self.operations = sorted(operations, key=lambda each: len(_PARAMETER.findall(each.path)))

    def choose(self, request: HttpRequest, base: str, labels: Container[str]) -> Chosen:
        """Return the operation of a request below a base path; NoOperation with 404, 405 or 501."""
        path = request.path.removeprefix(base) or "/"
        found = [(each, match) for each in self.operations if (match := each.pattern.fullmatch(path))]
        if not found:
            raise NoOperation(404, f"the API has no resource {path}")
        nearest = found[0][0].path
        chosen = next((each for each in found if each[0].method == request.method), None)
        if chosen is None:
            allowed = tuple(dict.fromkeys(each.method for each, _ in found))
            raise NoOperation(405, f"{nearest} has no {request.method}", allowed)
        operation, match = chosen
        if operation.name not in labels:
            raise NoOperation(501, f"operation {operation.name} is not implemented")
        return Chosen(operation, list(_values(operation, match, request)))


def _values(operation: Operation, match: re.Match[str], request: HttpRequest) -> Iterator[tuple[str, str]]:
    names = _PARAMETER.findall(operation.path)
    in_path = {name: unquote(value) for name, value in zip(names, match.groups(), strict=True)}
    query = parse_qsl(request.query, keep_blank_values=True, max_num_fields=QUERY_FIELDS_MAX)
    for where, name in operation.declared:
        if where == "path" and name in in_path:
            yield name, in_path[name]
        elif where == "query":
            yield from ((name, value) for each, value in query if each == name)
        elif where == "header" and request.header(name):
            yield name, request.header(name)


def read_api(path: Path) -> RestApi:
    """Read a definition; 8304 when it is none."""
    try:
        content = path.read_bytes()
    except OSError as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} cannot be read: {raised.strerror}") from raised
    if len(content) > BYTES_MAX:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} is larger than {BYTES_MAX} bytes")
    import yaml  # which reads JSON too

    try:
        found = yaml.load(content, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as raised:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path}: {raised}") from raised
    if not isinstance(found, dict) or not isinstance(_paths(found), dict):
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} is no definition of a REST API: it has no paths")
    operations = list(_operations(found))
    if len(operations) > OPERATIONS_MAX:
        raise error(mq.PSRC_FLOW_PROJECT, f"{path} has more than {OPERATIONS_MAX} operations")
    return RestApi(_base(found), operations, _address(found))


def _paths(found: dict[str, Any]) -> Any:
    """Return the paths; a new API of the toolkit has a definition without any yet."""
    is_definition = "openapi" in found or "swagger" in found
    return found.get("paths", {} if is_definition else None)


def _base(found: dict[str, Any]) -> str:
    """Return the base path: `basePath`, or the path of the first server."""
    address = str(found.get("basePath") or _server(found))
    return "/" + re.sub(r"^\w+://[^/]*", "", address).strip("/")


def _server(found: dict[str, Any]) -> str:
    """Return the address of the first server (OpenAPI 3), with the default values of its variables."""
    servers = found.get("servers")
    first = servers[0] if isinstance(servers, list) and servers and isinstance(servers[0], dict) else {}
    variables = first.get("variables")
    address = str(first.get("url") or "")
    for name, said in variables.items() if isinstance(variables, dict) else ():
        if isinstance(said, dict):
            address = address.replace("{" + str(name) + "}", str(said.get("default", "")))
    return address


def _address(found: dict[str, Any]) -> str:
    """Return scheme, host and base path of the server; empty if the definition has no host."""
    if found.get("host"):
        schemes = found.get("schemes")
        known = [str(each) for each in schemes] if isinstance(schemes, list) else []
        scheme = "https" if "https" in known and "http" not in known else "http"
        return f"{scheme}://{found['host']}{_base(found).rstrip('/')}"
    address = _server(found)
    return address.rstrip("/") if address.startswith(("http://", "https://")) else ""


def _operations(found: dict[str, Any]) -> Iterator[Operation]:
    for path, item in _paths(found).items():
        shared = _parameters(item.get("parameters"), found) if isinstance(item, dict) else []
        for method in METHODS:
            said = item.get(method) if isinstance(item, dict) else None
            if isinstance(said, dict):
                name = str(said.get("operationId") or "") or _made_name(method, str(path))
                declared = dict.fromkeys([*shared, *_parameters(said.get("parameters"), found)])
                if "requestBody" in said:
                    declared["body", "body"] = None
                yield Operation(name, method.upper(), str(path), _pattern(str(path)), tuple(declared))


def _made_name(method: str, path: str) -> str:
    """Return the name of an operation without operationId, as the toolkit makes one.

    >>> _made_name("get", "/orders/{number}")
    'getOrdersNumber'
    """
    return method + "".join(word[0].upper() + word[1:] for word in re.findall(r"\w+", path))


def _parameters(said: Any, whole: dict[str, Any]) -> list[tuple[str, str]]:
    found = []
    for each in said if isinstance(said, list) else ():
        told = _referred(each, whole)
        if isinstance(told, dict) and told.get("name"):
            found.append((str(told.get("in", "query")), str(told["name"])))
    return found


def _referred(said: Any, whole: dict[str, Any]) -> Any:
    """Return a parameter, or the one that `$ref` names in the same file."""
    if not isinstance(said, dict) or "$ref" not in said:
        return said
    place: Any = whole
    for step in str(said["$ref"]).removeprefix("#/").split("/"):
        place = place.get(step) if isinstance(place, dict) else None
    return place


def _pattern(path: str) -> re.Pattern[str]:
    """Return what matches a path with its parameters; a slash at the end makes no difference.

    >>> _pattern("/customers/{id}").fullmatch("/customers/7/").groups()
    ('7',)
    """
    literal = _PARAMETER.split(path.rstrip("/"))[::2]
    return re.compile("([^/]+)".join(re.escape(part) for part in literal) + "/?")
