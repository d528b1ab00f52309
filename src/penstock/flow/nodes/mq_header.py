"""MQHeader: adds, changes or removes headers of a message: MQMD, MQDLH and others, by name.

`MQHeader(MQMD="modify", fields={"MQMD": {"Priority": 7}})`. A new header has the defaults of its structure.
The chain (each header names the format of the next) is corrected when the message is serialised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.graph.graph import near
from penstock.flow.node import OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message as QueueMessage
from penstock.tree import MISSING, Message, Path
from penstock.tree.builtin import DESCRIPTOR, HEADERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.tree import Reference
    from penstock.tree.headers.header import Header
    from penstock.tree.headers.mqmd import MQMD

ACTIONS = ("carryForward", "add", "modify", "delete")
_FOLLOWING = Path("Format"), Path("Encoding"), Path("CodedCharSetId")
_KNOWN: dict[str, MQMD | Header] = {"MQMD": DESCRIPTOR, **{header.name: header for header in HEADERS}}


class MQHeader(Node):
    """Changes headers: `actions` by the name of a header, `fields` for those that are added or changed."""

    def __init__(
        self,
        actions: Mapping[str, str] | None = None,
        fields: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        name: str = "",
        **more: str,
    ) -> None:
        super().__init__(name=name)
        self.actions = {**(actions or {}), **more}
        self.fields = {header: dict(values) for header, values in (fields or {}).items()}

    def check(self) -> Iterable[str]:
        for header in (*self.actions, *self.fields):
            if header not in _KNOWN:
                yield f"{header!r} is not one of {', '.join(_KNOWN)}"
        for header, action in self.actions.items():
            if action not in ACTIONS:
                yield f"action {action!r} for {header} is not one of {', '.join(ACTIONS)}"
        for header in self.fields:
            if self.actions.get(header) not in ("add", "modify"):
                yield f"fields of {header} need the action add or modify"
        for header, values in self.fields.items():
            known = _KNOWN[header].field_names if header in _KNOWN else ()
            for name in values:
                if known and name not in known:
                    yield f"{header} has no field {name!r}{near(name, known)}"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        for header, action in self.actions.items():
            if action == "add":
                self._fill(add_header(message, header), header)
            elif action == "modify":
                found = message.reference(Path(header))
                if found is None:
                    raise error(mq.PSRC_FLOW_NODE, f"the message has no {header} to change")
                self._fill(found, header)
            elif action == "delete":
                _remove(message, header)
        at.send(OUT, assembly.sending(message))

    def _fill(self, folder: Reference, header: str) -> None:
        for name, value in self.fields.get(header, {}).items():
            folder.set(Path(name), value)


def add_header(message: Message, header: str) -> Reference:
    """Add a header in front of the body, MQMD before all others; an existing one is kept."""
    found = message.reference(Path(header))
    if found is not None:
        return found
    folders = list(message)
    if header == "MQMD":
        behind = next((each for each in folders if each.name != "Properties"), None)
        source = Message()
        new = source.add_folder(DESCRIPTOR, QueueMessage(b""))
    else:
        behind = message.body
        source = Message()
        new = source.add_folder(_KNOWN[header])
    made = message.reference().add_last_child(header) if behind is None else behind.add_previous(header)
    made.domain = new.form
    made.assign(new)
    before = made.copy()
    if header != "MQMD" and before.to_previous():
        _describe(made, before)
    return made


def _remove(message: Message, header: str) -> None:
    """Remove a header; its predecessor takes over its description of what follows."""
    found = message.reference(Path(header))
    if found is None:
        return
    before = found.copy()
    if header != "MQMD" and before.to_previous():
        _describe(before, found)
    found.delete()


def _describe(folder: Reference, like: Reference) -> None:
    for path in _FOLLOWING:
        value = like.get(path)
        if value is not MISSING and value is not None:
            folder.set(path, value)
