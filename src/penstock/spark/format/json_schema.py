"""A JSON schema as a type of the logical model, as far as columns can have it: objects, arrays, plain values.

What has no fixed columns (`oneOf`, objects without properties, several types for one value) is a text.
"""

from __future__ import annotations

from typing import Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model.logical import Field, Type

KINDS = {"string": "string", "integer": "integer", "number": "float", "boolean": "boolean"}
FORMATS = {"date": "date", "date-time": "dateTime", "time": "time"}
DEPTH_MAX = 20


def type_of_schema(schema: dict[str, Any]) -> Type:
    """Return the type of a schema's root, which is an object: 8405 for another."""
    found = _kind(schema, schema, 0)
    if not isinstance(found, Type):
        raise error(mq.PSRC_SPARK_OPTION, "the root of the JSON schema is no object with properties")
    return found


def _kind(node: dict[str, Any], root: dict[str, Any], depth: int) -> Type | str:
    node = _resolved(node, root)
    if depth > DEPTH_MAX:
        raise error(mq.PSRC_SPARK_OPTION, "a type of the JSON schema contains itself, which columns cannot")
    kind = _single(node.get("type", "object" if "properties" in node else ""))
    if kind == "object" and node.get("properties"):
        return Type(*(_field(name, each, root, depth) for name, each in node["properties"].items()))
    if kind == "string":
        return FORMATS.get(node.get("format", ""), "string")
    return KINDS.get(kind, "string")


def _field(name: str, node: dict[str, Any], root: dict[str, Any], depth: int) -> Field:
    node = _resolved(node, root)
    if _single(node.get("type", "")) == "array":
        return Field(name, _kind(node.get("items", {}), root, depth + 1), min=0, max=None)
    return Field(name, _kind(node, root, depth + 1), min=0)


def _resolved(node: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference inside the schema: 8405 for one that leads nowhere."""
    for _ in range(DEPTH_MAX):
        if not isinstance(node, dict):
            return {}
        reference = node.get("$ref")
        if reference is None:
            return node
        node = root
        for word in str(reference).removeprefix("#").strip("/").split("/"):
            node = node.get(word) if isinstance(node, dict) else None
        if node is None:
            raise error(mq.PSRC_SPARK_OPTION, f"the JSON schema has nothing at {reference}")
    raise error(mq.PSRC_SPARK_OPTION, "references of the JSON schema go in a circle")


def _single(kind: Any) -> str:
    """Return the type of a value that has one, besides null."""
    kinds = [each for each in (kind if isinstance(kind, list) else [kind]) if each != "null"]
    return str(kinds[0]) if len(kinds) == 1 else "any"
