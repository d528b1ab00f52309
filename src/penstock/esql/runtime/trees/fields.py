"""Functions of fields: FIELDNAME, FIELDTYPE, SAMEFIELD, ASBITSTREAM ... and PARSE.

They take a Reference, or None if there is no such field. CARDINALITY, EXISTS and so on are calls of the tree
that the compiler writes itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.esql.runtime.function_errors import argument_error, type_error
from penstock.esql.runtime.options import FOLDER, VALIDATED
from penstock.tree.assembly import message_bytes
from penstock.tree.bitstream import bitstream as bytes_of
from penstock.tree.bitstream import parse_into as parse_bytes_into
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    from penstock.esql.runtime.services import Outside
    from penstock.tree import Reference


XML_DOMAINS = frozenset(("XMLNSC", "XMLNS", "XML"))
MODELLED = frozenset(("MRM", "DFDL"))  # written by a model, which checks every value
ELEMENTS = frozenset((0x01000000, 0x03000000, 0x03000001))  # of XML, not declarations or comments


def fieldname(field: Reference | None) -> str | None:
    """FIELDNAME(field)."""
    return None if field is None else field.name


def fieldnamespace(field: Reference | None) -> str | None:
    """FIELDNAMESPACE(field); empty when it has none."""
    return None if field is None else field.namespace


def fieldtype(field: Reference | None) -> int | None:
    """FIELDTYPE(field), the number behind constants such as XMLNSC.Attribute."""
    return None if field is None else field.type


def fieldvalue(field: Reference | None) -> Any:
    """FIELDVALUE(field): its own value, without its children."""
    return None if field is None else field.value


def samefield(one: Reference | None, other: Reference | None) -> bool:
    """SAMEFIELD(one, other): whether both are one field of one tree."""
    return one is not None and one == other


class ParserOptions(NamedTuple):
    """The clauses of ASBITSTREAM and PARSE."""

    options: Any = None
    encoding: int | None = None
    ccsid: int | None = None
    set_: str | None = None
    type_: str | None = None
    format_: str | None = None

    @property
    def bits(self) -> int:
        """The value of OPTIONS."""
        if self.options is not None and type(self.options) is not int:
            raise type_error("OPTIONS", self.options)
        return self.options or 0

    def said(self, ctx: Outside) -> dict[str, Any]:
        """Return what is said of the body; without SET the field's own model is used."""
        return {
            "model": ctx.deployment.model(self.set_, self.type_ or "") if self.set_ else None,
            "message": (self.type_ or "").rpartition(":")[2] or None if self.set_ else None,
            "format": self.format_ or None if self.set_ else None,
            "ccsid": self.ccsid or None,
            "encoding": self.encoding or None,
        }


def asbitstream(ctx: Outside, field: Reference | None, *given: Any, **named: Any) -> bytes | None:
    """ASBITSTREAM(field ...): the bytes of a field in its domain; a CCSID or ENCODING of 0 is ignored.

    The rest are `ParserOptions`. A whole message is its headers and body, the body in that CCSID and
    ENCODING; a model applies only to a body. For a field within XML, FolderBitStream writes the field itself,
    RootBitStream (also the default) its contents.
    """
    if field is None:
        return None
    how = ParserOptions(*given, **named)
    bits, has_set = how.bits, bool(how.set_)
    if field.is_root:
        if has_set:
            raise argument_error("ASBITSTREAM of a whole message takes no SET: name the folder of its body")
        return message_bytes(field.message.copy(), how.ccsid or 0, how.encoding or 0)
    said = how.said(ctx)
    if has_set or bits & FOLDER or not _is_within(field, XML_DOMAINS):
        written = bytes_of(field, **said)
        if bits & VALIDATED and field.form is not None and (has_set or field.form.name not in MODELLED):
            _validate(field, field.form.name, written, said)
        return written
    inside = [each for each in field if _is_element(each)]
    return b"".join(bytes_of(each, **said) for each in inside) if inside else bytes_of(field, **said)


def _validate(field: Reference, domain: str, written: bytes, said: dict[str, Any]) -> None:
    """Parse the written bytes again; a body that is unchanged is in the message's own CCSID."""
    about = said
    if written is field.source:
        about = said | {"ccsid": field.ccsid or None, "encoding": field.encoding or None}
    parse_validated(written, domain, doctype=field.message.accepts_doctype, **about)


def _is_within(field: Reference, domains: frozenset[str]) -> bool:
    """Return whether a field belongs to one of some domains and is not the domain's folder."""
    return not field.is_domain_folder and field.form is not None and field.form.name in domains


def _is_element(field: Reference) -> bool:
    return field.type in ELEMENTS and not field.is_attribute


def bitstream(ctx: Outside, field: Reference | None) -> bytes | None:
    """BITSTREAM(field), the old form of ASBITSTREAM."""
    return asbitstream(ctx, field)


def parse_into(ctx: Outside, field: Reference, data: Any, domain: str, *given: Any, **named: Any) -> None:
    """Fill a new field from bytes, as the PARSE clause of CREATE does; NULL leaves it empty.

    The rest are `ParserOptions`. With FolderBitStream the field becomes the body element itself, unless it is
    the folder of a whole body.
    """
    if data is None:
        return
    if type(data) is not bytes:
        raise type_error("PARSE", data)
    if not domain:
        raise argument_error("PARSE needs the DOMAIN of the field that it fills")
    how = ParserOptions(*given, **named)
    bits, said = how.bits, how.said(ctx)
    if bits & VALIDATED:
        parse_validated(data, domain, **said)
    parse_bytes_into(field, data, domain, **said)
    above = field.copy()
    is_whole = above.to_parent() and above.is_root and field.name == domain
    if bits & FOLDER and domain in XML_DOMAINS and not is_whole:
        _become_body_element(field, domain)


def _become_body_element(field: Reference, domain: str) -> None:
    """Turn a field that holds a document into its body element; a name given by CREATE stays."""
    body = next(each for each in field if _is_element(each))
    if field.name in ("", domain):
        field.name = body.name
        field.namespace = body.namespace
    field.assign(body)
