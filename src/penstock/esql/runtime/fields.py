"""Functions of fields: FIELDNAME, FIELDTYPE, SAMEFIELD, ASBITSTREAM ... and what PARSE does.

They take a Reference, or None where there is no such field. CARDINALITY, EXISTS and their like are calls of
the tree that the compiler writes itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.function_errors import argument_error, type_error
from penstock.tree.bitstream import bitstream as bytes_of
from penstock.tree.bitstream import parse_into as parse_bytes_into

if TYPE_CHECKING:
    from penstock.esql.runtime.outside import Outside
    from penstock.tree import Reference


def fieldname(field: Reference | None) -> str | None:
    """FIELDNAME(field)."""
    return None if field is None else field.name


def fieldnamespace(field: Reference | None) -> str | None:
    """FIELDNAMESPACE(field); empty when it has none."""
    return None if field is None else field.namespace


def fieldtype(field: Reference | None) -> int | None:
    """FIELDTYPE(field), the number that constants such as XMLNSC.Attribute stand for."""
    return None if field is None else field.type


def fieldvalue(field: Reference | None) -> Any:
    """FIELDVALUE(field): its own value, without its children."""
    return None if field is None else field.value


def samefield(one: Reference | None, other: Reference | None) -> bool:
    """SAMEFIELD(one, other): whether both are one field of one tree."""
    return one is not None and one == other


def asbitstream(
    ctx: Outside,
    field: Reference | None,
    options: int | None = None,
    encoding: int | None = None,
    ccsid: int | None = None,
    set_: str | None = None,
    type_: str | None = None,
    format_: str | None = None,
) -> bytes | None:
    """ASBITSTREAM(field ...): the bytes of a field in its domain; a CCSID or ENCODING of 0 says nothing."""
    if field is None:
        return None
    return bytes_of(
        field,
        model=_model(ctx, set_),
        message=type_ or None if set_ else None,
        format=format_ or None if set_ else None,
        ccsid=ccsid or None,
        encoding=encoding or None,
    )


def _model(ctx: Outside, set_: str | None) -> object:
    """Return the model that SET names; None if it names none, and the field's own counts."""
    return ctx.deployment.model(set_) if set_ else None


def bitstream(ctx: Outside, field: Reference | None) -> bytes | None:
    """BITSTREAM(field), the old form of ASBITSTREAM."""
    return asbitstream(ctx, field)


def parse_into(
    ctx: Outside,
    field: Reference,
    data: Any,
    domain: str,
    options: int | None = None,
    encoding: int | None = None,
    ccsid: int | None = None,
    set_: str | None = None,
    type_: str | None = None,
    format_: str | None = None,
) -> None:
    """Fill a new folder from bytes, as the PARSE clause of CREATE does; NULL leaves it empty."""
    if data is None:
        return
    if type(data) is not bytes:
        raise type_error("PARSE", data)
    if not domain:
        raise argument_error("PARSE needs the DOMAIN of the field that it fills")
    parse_bytes_into(
        field,
        data,
        domain,
        _model(ctx, set_),
        message=type_ or None if set_ else None,
        format=format_ or None if set_ else None,
        ccsid=ccsid or None,
        encoding=encoding or None,
    )
