"""ResetContentDescriptor: reinterprets the body in another domain, model, type or format.

The bytes stay the same and are parsed differently. A changed body is serialised first, in its old form. A
property that is None keeps the message's value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.tree import MISSING, Message, Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

_SET, _TYPE, _FORMAT = (Path("Properties", name) for name in ("MessageSet", "MessageType", "MessageFormat"))


class ResetContentDescriptor(Node):
    """Parses a body again: `ResetContentDescriptor(domain="XMLNSC")`."""

    _: KW_ONLY
    domain: str | None = None
    model: str | None = None
    message_type: str | None = None
    message_format: str | None = None

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        at.send(OUT, assembly.sending(self._read_anew(assembly.message, at)))

    def _read_anew(self, message: Message, at: NodeContext) -> Message:
        body = message.body
        data = b"" if body is None else message.folder_bytes(body)
        ccsid, encoding, domain = message.ccsid, message.encoding, self.domain or message.domain
        said = {
            path: _text(message.get(path)) if own is None else own
            for path, own in ((_SET, self.model), (_TYPE, self.message_type), (_FORMAT, self.message_format))
        }
        model: Any = at.instance.project.model(said[_SET]) if said[_SET] else None
        made = _headers_of(message)
        for path, value in said.items():
            if message.exists(path) and _text(message.get(path)) != value:
                made.set(path, value)
        made.add_body(
            data,
            domain,
            model,
            message=(said[_TYPE].rpartition(":")[2] or None) if model is not None else None,
            format=(said[_FORMAT] or None) if model is not None else None,
            ccsid=ccsid or None,
            encoding=encoding or None,
        )
        return made


def _headers_of(message: Message) -> Message:
    """Return a new tree with the folders before the body; unchanged ones are not parsed."""
    made, body = Message(), message.body
    for folder in message:
        form = folder.form
        if form is None or folder == body:
            continue
        new = made.add_folder(form, None if folder.is_changed else folder.payload)
        if folder.is_changed or folder.payload is None:
            new.assign(folder)
    return made


def _text(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
