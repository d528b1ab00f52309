"""A body read from its first byte to its last, to know whether it is what its domain and model say.

ESQL's Validate options and the nodes that validate come here. Trees are otherwise read where somebody
touches them, so that a mistake further on would not be seen. MRM is held against its model too
(`model.conformity` says how far), SWIFT against the rules of its type; DFDL is decoded, which applies its
asserts; XML and JSON without a model only have to be well-formed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.core._message import parse

if TYPE_CHECKING:
    from penstock.tree.core._message import Message


def parse_validated(
    data: bytes,
    domain: str,
    model: object = None,
    *,
    message: str | None = None,
    format: str | None = None,
    ccsid: int | None = None,
    encoding: int | None = None,
    doctype: bool = False,
) -> Message:
    """Parse bytes, decode every value and apply the rules of the domain; raise what is wrong with them."""
    found = parse(
        data,
        domain,
        model,
        message=message,
        format=format,
        ccsid=ccsid,
        encoding=encoding,
        doctype=doctype,
        timing="complete",
    )
    if domain == "SWIFT":
        from penstock.tree.swift.validation import check

        check(found)
    elif domain == "MRM":
        from penstock.tree.model import conformity
        from penstock.tree.model.logical import Model

        if isinstance(model, Model):
            conformity.check(found, model, message)
    return found
