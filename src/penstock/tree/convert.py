"""A body in another format: the fields of one message as the body of a new one.

Between two formats of one model, fields keep everything; between different domains only names and values are
copied, as by ESQL. XML and DFDL have one root element, SOAP has it in its Body, JSON its field Data, MRM has
the fields directly in the folder: this module puts them in the right position for the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._message import Message
from penstock.tree.core._types import JSON_TYPES
from penstock.tree.xml.soap import ELEMENTS, is_envelope, take_apart

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

_XML = ("XMLNSC", "XMLNS", "XML")
ROOT = "Message"


def convert(
    source: Message,
    domain: str,
    model: object = None,
    *,
    message: str | None = None,
    format: str | None = None,
    root: str = "",
    ccsid: int | None = None,
    encoding: int | None = None,
) -> Message:
    """Return a message with the same fields in another domain or format; the source stays as it is.

    `root` names the root element of XML where the source has none; without it that is `message`.
    """
    fields, own = _fields(source)
    if domain == "BLOB":
        raise error(
            mq.PSRC_SERIALISE_ERROR,
            "a body in BLOB has no fields to convert to; a message is its bytes already",
        )
    result = Message()
    place = result.body_as(domain, model, message=message, format=format, ccsid=ccsid, encoding=encoding)
    if domain == "SOAP" and own and is_envelope(fields):
        take_apart(place, fields)
        return result
    if domain == "SOAP" and source.domain == "SOAP":
        for part in fields:
            place.add_last_child(part.name).assign(part)
        return result
    name = root or own or message or ROOT
    namespace = fields.namespace if name == own and domain != "XML" else ""
    if domain == "SOAP":
        place = place.add_last_child("Body").add_last_child(name, namespace=namespace)
    elif domain in _XML:
        place = place.add_last_child(name, namespace=namespace, type=JSON_TYPES["Object"])
    elif domain == "DFDL":
        place = place.add_last_child(message or _only_message(model) or name)
    elif domain == "JSON":
        place = place.add_last_child("Data", type=JSON_TYPES["Object"])
    place.assign(fields)
    return result


def _only_message(model: object) -> str:
    """Return the name of a model's message, if it has one."""
    return next(iter(getattr(model, "messages", ())), "")


def _fields(source: Message) -> tuple[Reference, str]:
    """Return the field whose children are the fields of a message, and its name if it is significant."""
    body = source.body
    if body is None or source.domain in ("BLOB", "Properties"):
        raise error(
            mq.PSRC_SERIALISE_ERROR, f"a body in {source.domain or 'no domain'} has no fields to convert"
        )
    if source.domain == "JSON":
        return next(iter(body), body), ""
    if source.domain == "DFDL":
        found = next(iter(body), None)
        return (body, "") if found is None else (found, found.name)
    if source.domain not in _XML:
        return body, ""
    for field in body:
        if field.type in ELEMENTS:
            return field, field.name
    return body, ""
