"""HTTPHeader: adds, changes or removes the HTTP header folders of a message.

Each of the four folders has its own action. "add" makes the folder anew, "modify" keeps its other fields. An
HTTPRequest sends HTTPRequestHeader, an HTTPReply sends HTTPReplyHeader.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.model.errors import MQError
from penstock.tree import Path
from penstock.tree.headers.http import HTTPHeader as HeaderFolder
from penstock.tree.headers.http import header_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.tree import Message, Reference

KEEP, ADD, MODIFY, DELETE = "carryForward", "add", "modify", "delete"
ACTIONS = (KEEP, ADD, MODIFY, DELETE)
FOLDERS = {
    "input": "HTTPInputHeader",
    "response": "HTTPResponseHeader",
    "request": "HTTPRequestHeader",
    "reply": "HTTPReplyHeader",
}
_FORMS = {name: HeaderFolder(folder) for name, folder in FOLDERS.items()}


class HTTPHeader(Node):
    """Changes header folders: `HTTPHeader(input="delete", request="add", fields={"request": {"X-A": "1"}})`.

    The actions are carryForward, add, modify, delete; the folders of an incoming request and of a response
    can only be kept or deleted.
    """

    _: KW_ONLY
    input: str = KEEP
    response: str = KEEP
    request: str = KEEP
    reply: str = KEEP
    fields: dict[str, dict[str, str]] = field(default_factory=dict)

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(
            input=(KEEP, DELETE), response=(KEEP, DELETE), request=ACTIONS, reply=ACTIONS
        )
        for folder, fields in self.fields.items():
            if folder not in FOLDERS:
                yield f"fields of {folder!r}: the folders are {', '.join(FOLDERS)}"
            elif getattr(self, folder) not in (ADD, MODIFY):
                yield f"fields of {folder} need the action add or modify"
            for name, value in fields.items():
                if not _is_header(name, value):
                    yield f"{name!r}: {value!r} is no HTTP header"

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        for name, folder_name in FOLDERS.items():
            action = getattr(self, name)
            if action in (ADD, DELETE):
                message.delete(Path(folder_name))
            if action in (ADD, MODIFY):
                folder = _folder(message, name)
                for header, value in self.fields.get(name, {}).items():
                    _set(folder, header, value)
        at.send(OUT, assembly.sending(message))


def _is_header(name: str, value: str) -> bool:
    try:
        return header_lines(f"{name}: {value}".encode("latin-1")) == [(name, value.strip(" \t"))]
    except (UnicodeEncodeError, MQError):
        return False


def _folder(message: Message, name: str) -> Reference:
    """Return a header folder, in front of the body; a new one is empty."""
    found = message.reference(Path(FOLDERS[name]))
    if found is not None:
        return found
    body = message.body
    made = (
        message.reference().add_last_child(FOLDERS[name])
        if body is None
        else body.add_previous(FOLDERS[name])
    )
    made.domain = _FORMS[name]
    return made


def _set(folder: Reference, header: str, value: str) -> None:
    """Set a header whatever the case of its name."""
    for each in folder:
        if each.name.lower() == header.lower():
            each.value = value
            return
    folder.add_last_child(header, value)
