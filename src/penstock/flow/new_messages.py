"""Messages that nodes create: from files or HTTP requests, and copies without a body.

The counterpart of `parse_message` for bytes that do not come from a queue: Properties first, then folders
that the transport adds, then the body in its domain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import error
from penstock.model.message import NO_ID
from penstock.model.message import Message as QueueMessage
from penstock.tree import MISSING, Message, Path
from penstock.tree.builtin import PROPERTIES
from penstock.tree.headers.header import Header

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from penstock.flow.project import Project
    from penstock.tree import Domain

UTF8 = 1208
MODELLED = ("MRM", "DFDL")
# The last folder of a message that has no body.
_NO_BODIES = frozenset(
    (
        "Properties",
        "HTTPInputHeader",
        "HTTPReplyHeader",
        "HTTPRequestHeader",
        "HTTPResponseHeader",
        "EmailOutputHeader",
        "EmailInputHeader",
        "JMSTransport",
    )
)
_SET, _TYPE, _FORMAT = (Path("Properties", each) for each in ("MessageSet", "MessageType", "MessageFormat"))


def arrived(
    data: bytes,
    domain: str,
    model: object = None,
    *,
    set: str = "",
    type: str = "",
    format: str = "",
    ccsid: int = UTF8,
    encoding: int = MQENC_NATIVE,
    put_time: float = 0.0,
    correl_id: bytes = NO_ID,
    folders: Iterable[tuple[Domain, Any]] = (),
    base: Message | None = None,
) -> Message:
    """Return a message tree for bytes that do not come from a queue; the body is parsed on demand.

    With `base`, the folders and the body are added to that message, which has no body yet. A reply has the
    identifier of its request as `correl_id`.
    """
    message = Message() if base is None else base
    if base is None:
        source = QueueMessage(None, correl_id=correl_id, put_time=put_time)
        message.add_folder(PROPERTIES, (source, (encoding, ccsid, set, type, format, False)))
    for folder, payload in folders:
        message.add_folder(folder, payload)
    message.add_body(
        data,
        domain,
        model,
        message=(type.rpartition(":")[2] or None) if model is not None else None,  # {namespace}:name
        format=(format or None) if model is not None else None,
        ccsid=ccsid,
        encoding=encoding,
    )
    return message


def without_body(message: Message, but: Container[str] = ()) -> Message:
    """Return a new message with the Properties, MQMD and headers of another, and no body."""
    made = Message()
    for folder in message:
        form = folder.form
        if form is None or folder.name in but or _is_body(form):
            continue
        payload = folder.payload
        if payload is not None:  # it has not been read
            made.add_folder(form, payload)
        else:
            made.add_folder(form).assign(folder)
    return made


def body_of(message: Message) -> bytes:
    """Return the bytes of a message's body, without queue headers; none if it has no body.

    Several bodies follow each other, as `serialise_message` writes them.
    """
    body = message.body
    if body is None or (body.form is not None and body.form.name in _NO_BODIES):
        return b""
    before = [each for each in message if each.form is not None and each != body and _is_body(each.form)]
    return b"".join(message.folder_bytes(each) for each in (*before, body))


def _is_body(form: Domain) -> bool:
    return bool(form.part) and not isinstance(form, Header)


def bind_model(message: Message, project: Project) -> None:
    """Bind a new body in MRM or DFDL to the model that Properties name; 8132 if they name none.

    A body in DFDL whose type is not given has the type that its root element names.
    """
    body = message.body
    if body is None or body.form is not None or body.name not in MODELLED:
        return
    set_, type_, format_ = (_said(message.get(path)) for path in (_SET, _TYPE, _FORMAT))
    if body.name == "DFDL" and not set_ and not type_:
        type_ = next((each.name for each in body), "")
    if not set_ and (body.name != "DFDL" or not type_):
        raise error(mq.PSRC_DOMAIN_MODEL, f"Properties.MessageSet names no model for a body in {body.name}")
    model = project.model(set_, type_)
    message.body_as(body.name, model, message=type_.rpartition(":")[2] or None, format=format_ or None)


def _said(value: Any) -> str:
    return "" if value is MISSING or value is None else str(value)
