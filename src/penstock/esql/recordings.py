"""Recorded messages: `.mxml` files, the trees of a message as a broker had them between two nodes.

Every element gives the type of its value and its field type; the value is its text, or an attribute if there
are children too. A recording gives the trees to run a module on, or to compare its output with. Nothing else
is read from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts import cast as casts
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Message, Reference, domain_names, parse

if TYPE_CHECKING:
    from pathlib import Path

_ABOUT = "http://com.ibm.iib/lt/1.0"
_CASTS = frozenset(
    ("INTEGER", "FLOAT", "DECIMAL", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "GMTTIME", "GMTTIMESTAMP")
)


@dataclass(slots=True)
class Recording:
    """The trees of one recorded message."""

    message: Message
    environment: Message
    local_environment: Message
    exception_list: Message


def read_recording(path: Path) -> Recording:
    """Read an `.mxml` file; raises 8101 for anything else."""
    return recording_in(path.read_bytes(), path.name)


def recorded_body(data: bytes) -> bytes:
    """Return the body of a recorded message as bytes: its last folder, in that folder's domain."""
    message = recording_in(data, "it").message
    *_, body = iter(message)
    made = Message()
    made.body_as(body.name).assign(body)
    return made.serialise()


def recording_in(data: bytes, name: str) -> Recording:
    """Read the recording in a text; raises 8101, with its name, for anything else."""
    root = parse(data, "XMLNSC").reference()
    assert root is not None
    body = next(iter(root), None)
    assembly = next((each for each in body or () if each.name == "MessageAssembly"), None)
    if assembly is None:
        raise error(
            mq.PSRC_PARSE_ERROR,
            f"{name} is no recorded message: its first element is not MessageAssembly",
        )
    trees = {each.name: each for each in assembly}
    return Recording(
        *(_tree(trees.get(name)) for name in ("message", "environment", "localEnvironment", "exceptionList"))
    )


def _tree(recorded: Reference | None) -> Message:
    made = Message()
    root = made.reference()
    assert root is not None
    pending = [] if recorded is None else [(recorded, root)]
    while pending:
        source, target = pending.pop()
        for each in source:
            if each.is_attribute:
                continue
            field = _field(each, target)
            pending.append((each, field))
    return made


def _field(recorded: Reference, parent: Reference) -> Reference:
    about = {each.name: each.value for each in recorded if each.is_attribute and each.namespace == _ABOUT}
    kind = about.get("elementType")
    field = parent.add_last_child(
        recorded.name,
        namespace=recorded.namespace,
        type=int(kind, 16) if kind and not parent.is_root else None,
    )
    parser = about.get("parser")
    if parser in domain_names() and not parent.is_root:
        field.domain = parser
    if "valueType" in about:
        field.value = _value(about["valueType"], about.get("value", recorded.value))
    return field


def _value(kind: str, text: Any) -> Any:
    if text is None:
        return "" if kind == "CHARACTER" else None
    if kind == "BLOB":
        return bytes.fromhex(text)
    return casts.assign(kind, text) if kind in _CASTS else text
