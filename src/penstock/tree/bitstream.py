"""Bytes of one field, and bytes into one field: ESQL's ASBITSTREAM and the PARSE clause of CREATE.

`Message` parses and writes a whole message; this is for a folder or a field anywhere in a tree, also in trees
that are not messages (Environment). Both use a temporary message, so that an untouched body is still written
as it arrived.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._domains import domain_of_model
from penstock.tree.core._message import Message, parse

if TYPE_CHECKING:
    from typing import Unpack

    from penstock.tree.core._message import ParseOptions
    from penstock.tree.core._reference import Reference


JSON_BODY = "Data"


def bitstream(
    field: Reference,
    *,
    domain: str = "",
    model: object = None,
    message: str | None = None,
    format: str | None = None,
    ccsid: int | None = None,
    encoding: int | None = None,
) -> bytes:
    """Return the bytes of a field in a domain, its own if none is named.

    With a `model`, `message` and `format` select one of its messages and formats. A domain's folder gives its
    contents; any other field is written itself, as the only one of its message. Raises 8131 if neither the
    field nor the call specifies a domain.
    """
    form = field.form
    if model is not None or (domain and (form is None or form.name != domain)):
        form = domain_of_model(
            domain or (form.name if form is not None else _natural(model)), model, message, format
        )
    if form is None:
        raise error(mq.PSRC_DOMAIN_UNKNOWN, f"field {field.name!r} belongs to no domain: say which")
    if not form.part:
        return form.serialise_from(field)
    if field.source is not None and form is field.form and ccsid is None:
        return field.source
    whole = Message()
    if model is None:
        folder = whole.add_folder(form)
    else:  # which stays in force, whatever model the field came by
        folder = whole.body_as(form.name, model, message=message, format=format)
    if field.is_domain_folder or (field.form is None and field.name == form.name):  # made without its model
        folder.assign(field)
    else:
        name = JSON_BODY if form.name == "JSON" else field.name
        folder.add_last_child(name, namespace=field.namespace, type=field.type).assign(field)
    return whole.serialise(ccsid=ccsid, encoding=encoding)


def _natural(model: object) -> str:
    """Return the domain of a model's messages: DFDL for a schema of DFDL."""
    formats = getattr(model, "formats", {})
    return "DFDL" if any(each.kind == "DFDL" for each in formats.values()) else "MRM"


def parse_into(
    field: Reference, data: bytes, domain: str, model: object = None, **options: Unpack[ParseOptions]
) -> None:
    """Parse bytes in a domain and make the result the children of a field, which joins the domain."""
    body = parse(data, domain, model, **options).body
    assert body is not None
    field.delete_children()
    field.domain = body.form
    field.assign(body)
