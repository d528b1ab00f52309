"""What a caller gives as a message: turned into bytes and descriptor fields.

Shared by one-shot puts and object handles, so that both take the same things.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from typing import TYPE_CHECKING, Any

from penstock.face.arguments import check_names, name_of
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Descriptor
from penstock.model.message_handle import MessageHandle

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS = frozenset(field.name for field in dataclass_fields(Descriptor))
BESIDE_FIELDS = frozenset(("qmgr", "context_from", "descriptor"))  # further arguments of every put


def body_and_fields(
    method: Callable[..., Any], body: Any, given: dict[str, Any]
) -> tuple[bytes, dict[str, Any], str, Any]:
    """Return the body as bytes, descriptor fields, the object's queue manager, and a context handle.

    Text becomes UTF-8 with format MQSTR. A name that no descriptor has is refused, with the likely one of
    the method that was called.
    """
    fields = dict(given)
    qmgr = fields.pop("qmgr", "")
    source = fields.pop("context_from", None)
    described = fields.pop("descriptor", None)
    if described is not None:
        fields = {name: getattr(described, name) for name in FIELDS} | fields
    if not fields.keys() <= FIELDS:
        check_names(method, fields, FIELDS | BESIDE_FIELDS)
    data = _as_bytes(body, fields)
    return (
        data,
        fields,
        name_of(qmgr, mq.MQRC_UNKNOWN_OBJECT_Q_MGR),
        None if source is None else _context_handle(source),
    )


def put_values(
    options: Any,
    persistent: Any,
    correl_id: Any,
    msg_id: Any,
    priority: Any,
    expiry: Any,
    properties: Any,
) -> dict[str, Any]:
    """Return the arguments that every put takes, by name."""
    return {
        "options": options,
        "persistent": persistent,
        "correl_id": correl_id,
        "msg_id": msg_id,
        "priority": priority,
        "expiry": expiry,
        "properties": properties,
    }


def put_details(
    method: Callable[..., Any],
    correl_id: Any,
    msg_id: Any,
    priority: Any,
    expiry: Any,
    properties: Any,
    options: int,
    fields: dict[str, Any],
) -> dict[str, Any]:
    """Return the arguments of several puts besides persistence; empty for plain puts."""
    if fields:
        check_names(method, fields, FIELDS | BESIDE_FIELDS)
    given = {
        "correl_id": correl_id,
        "msg_id": msg_id,
        "priority": priority,
        "expiry": expiry,
        "properties": properties,
        "options": options or None,
    }
    return {name: value for name, value in given.items() if value is not None} | fields


def _context_handle(source: Any) -> Any:
    if not hasattr(source, "handle"):
        raise error(
            mq.MQRC_CONTEXT_HANDLE_ERROR, f"context_from is a queue that is open, not {type(source).__name__}"
        )
    return source.handle


def as_properties(given: Any) -> Any:
    """Return the properties of a put: a mapping, or what a message handle holds."""
    if isinstance(given, MessageHandle):
        return given.properties()
    if given is None or isinstance(given, Mapping):
        return given
    try:
        return dict(given)
    except (TypeError, ValueError):
        raise error(
            mq.MQRC_PROPERTY_TYPE_ERROR, f"properties are a mapping of names to values, not {given!r:.60}"
        ) from None


def _as_bytes(body: Any, fields: dict[str, Any]) -> bytes:
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        fields.setdefault("format", mq.MQFMT_STRING)
        fields.setdefault("ccsid", 1208)
        try:
            return body.encode("utf-8")
        except UnicodeEncodeError:
            raise error(mq.MQRC_BUFFER_ERROR, "a text with half of a surrogate pair is not UTF-8") from None
    if isinstance(body, bytearray | memoryview):
        return bytes(body)
    raise error(mq.MQRC_BUFFER_ERROR, f"a body is bytes or str, not {type(body).__name__}")
