"""The MQIIH of a request and of its reply. A request without one has none in its reply either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8
from penstock.model.constants import MQENC_NATIVE, MQFMT_IMS, MQFMT_NONE
from penstock.model.errors import error
from penstock.tree.headers.fixed import MQIIH

if TYPE_CHECKING:
    from penstock.model.message import Message

NO_TOKEN = bytes(16)
IN_CONVERSATION, NOT_IN_CONVERSATION = "C", " "
PROPERTY = "conversation"  # of messages without the header: the token in hexadecimal


class Request(NamedTuple):
    """A request: its body, and what the header or the properties say."""

    body: bytes
    fields: dict[str, Any]  # of the MQIIH; empty if there is none
    commit_mode: int | None
    token: str  # for security
    conversation: bytes


def read(message: Message) -> Request:
    """Return a request; 8346 for a header that cannot be."""
    body, own = message.body or b"", message.descriptor
    properties = message.properties or {}
    if own.format.strip() != MQFMT_IMS.strip():
        return Request(body, {}, None, str(properties.get("token", "")), _token(properties.get(PROPERTY)))
    values = MQIIH.unpack(body, own.encoding, own.ccsid if own.ccsid > 0 else UTF8)
    fields: dict[str, Any] = dict(zip(MQIIH.names, values, strict=True))
    mode = str(fields["CommitMode"]).strip()
    if mode not in ("", "0", "1"):
        raise error(mq.PSRC_BRIDGE_REQUEST, f"MQIIH.CommitMode is {mode!r}, neither 0 nor 1")
    token = str(fields["Authenticator"]).strip() or str(properties.get("token", ""))
    conversation = bytes(fields["TranInstanceId"])
    return Request(body[MQIIH.length :], fields, int(mode) if mode else None, token, conversation)


def reply_body(request: Request, body: bytes, conversation: bytes) -> tuple[bytes, str]:
    """Return the bytes of a reply and their format, with a header if the request had one."""
    if not request.fields:
        return body, MQFMT_NONE
    state = IN_CONVERSATION if conversation != NO_TOKEN else NOT_IN_CONVERSATION
    format_ = str(request.fields["ReplyToFormat"]).strip() or str(request.fields["Format"]).strip()
    fields = {
        **request.fields,
        "Format": format_,
        "TranState": state,
        "TranInstanceId": conversation,
        "Authenticator": "",
        "Encoding": MQENC_NATIVE,
        "CodedCharSetId": UTF8,
    }
    packed = MQIIH.pack([fields[name] for name in MQIIH.names], MQENC_NATIVE, UTF8)
    return packed + body, MQFMT_IMS


def _token(value: Any) -> bytes:
    try:
        found = bytes.fromhex(str(value)) if value else NO_TOKEN
    except ValueError:
        found = b""
    if len(found) != len(NO_TOKEN):
        raise error(mq.PSRC_BRIDGE_REQUEST, f"property {PROPERTY} is no token of 32 hexadecimal digits")
    return found
