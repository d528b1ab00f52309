"""Parses a whole body to check it against its domain and model.

Called by ESQL's Validate options and the nodes that validate. Trees are otherwise parsed on demand, so that
an error in an unread part would go unnoticed. MRM is also checked against its model (`model.conformity`
describes how far), SWIFT against the rules of its type; DFDL is decoded, which applies its asserts; XML and
JSON without a model only have to be well-formed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.core._message import parse

if TYPE_CHECKING:
    from typing import Unpack

    from penstock.tree.core._message import BodyOptions, Message


def parse_validated(
    data: bytes, domain: str, model: object = None, **options: Unpack[BodyOptions]
) -> Message:
    """Parse bytes, decode every value and apply the rules of the domain; raise the first error."""
    found = parse(data, domain, model, timing="complete", **options)
    if domain == "SWIFT":
        from penstock.tree.swift.validation import check

        check(found)
    elif domain == "MRM":
        from penstock.tree.model import conformity
        from penstock.tree.model.logical import Model

        if isinstance(model, Model):
            conformity.check(found, model, options.get("message"))
    return found
