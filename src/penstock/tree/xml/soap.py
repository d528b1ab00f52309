"""SOAP: an envelope as Context, Header and Body; versions 1.1 and 1.2.

The envelope itself is not in the tree: Context has its version and namespaces, Header and Body have its
contents, as XMLNSC fields, so copies to and from XMLNSC keep everything. XMLNSC scans and writes the XML. An
unchanged body is written as it arrived; anything else in UTF-8 or the character set of the message. Faults
are in `soap_fault`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena import Domain
from penstock.tree.core._message import Message, parse
from penstock.tree.core._path import Path, Step
from penstock.tree.core._types import XML_TYPES, XMLNSC_TYPES
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

NAMESPACES = {
    "1.1": "http://schemas.xmlsoap.org/soap/envelope/",
    "1.2": "http://www.w3.org/2003/05/soap-envelope",
}
VERSIONS = {uri: version for version, uri in NAMESPACES.items()}
PREFIX = "soapenv"
_XMLNS = "http://www.w3.org/2000/xmlns/"
_DECLARATION = XMLNSC_TYPES["NamespaceDecl"]
_OF_VERBOSE = {XML_TYPES[name]: XMLNSC_TYPES[name] for name in ("Attribute", "NamespaceDecl")}
ELEMENTS = tuple(XMLNSC_TYPES[name] for name in ("Folder", "Field", "CDataField"))
_ENVELOPE = Path("XMLNSC", Step("Envelope", None))
_CONTEXT, _HEADER, _BODY = Path("Context"), Path("Header"), Path("Body")
_VERSION, _NAMESPACE = Path("SOAP_Version"), Path("Namespace")


class SOAP(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("SOAP", namespaces=True, family="XMLNSC")

    def parse_into(self, folder: Reference, data: bytes) -> None:
        ccsid = folder.ccsid or None
        message = parse(data, "XMLNSC", ccsid=ccsid, encoding=folder.encoding, mixed=True, timing="immediate")
        envelope = message.reference(_ENVELOPE)
        if envelope is None or not is_envelope(envelope):
            raise error(mq.PSRC_SOAP_ENVELOPE, "the root element is no Envelope of SOAP 1.1 or 1.2")
        take_apart(folder, envelope)

    def serialise_from(self, folder: Reference) -> bytes:
        context = folder.reference(_CONTEXT)
        version = "1.1"
        if context is not None and context.get(_VERSION) not in (MISSING, None):
            version = as_characters(context.get(_VERSION))
        uri = NAMESPACES.get(version)
        if uri is None:
            raise error(
                mq.PSRC_SOAP_ENVELOPE, f"SOAP_Version is 1.1 or 1.2, not {version!r}", version=version
            )
        message = Message()
        envelope = message.create(Path("XMLNSC", Step("Envelope", uri)))
        _declare(envelope, context, uri)
        header, body = folder.reference(_HEADER), folder.reference(_BODY)
        if header is not None and any(True for _ in header):
            envelope.add_last_child("Header", namespace=uri).assign(header)
        made = envelope.add_last_child("Body", namespace=uri)
        if body is not None:
            made.assign(body)
        return message.serialise()


def is_envelope(element: Reference) -> bool:
    """Return whether an XML element is an envelope of a known version."""
    return element.name == "Envelope" and element.namespace in VERSIONS


def take_apart(folder: Reference, envelope: Reference) -> None:
    """Fill a folder with the Context, Header and Body of an envelope, which is in XMLNSC or XMLNS."""
    parts = _parts(envelope)
    context = folder.add_last_child("Context")
    context.add_last_child("SOAP_Version", VERSIONS[envelope.namespace])
    namespaces = context.add_last_child("Namespace")
    for child in envelope:
        if child.is_attribute:
            kind = _OF_VERBOSE.get(child.type, child.type)
            above = namespaces if kind == _DECLARATION else context
            above.add_last_child(child.name, child.value, namespace=child.namespace, type=kind)
    for name, part in parts.items():
        folder.add_last_child(name).assign(part)


def _parts(envelope: Reference) -> dict[str, Reference]:
    """Return the Header and the Body of an envelope, which has one Body and nothing after it."""
    parts: dict[str, Reference] = {}
    for child in envelope:
        if child.is_attribute or child.type not in ELEMENTS:
            continue
        known = child.namespace == envelope.namespace and child.name in ("Header", "Body")
        if not known or child.name in parts or "Body" in parts:
            raise error(
                mq.PSRC_SOAP_ENVELOPE, f"an Envelope holds a Header and a Body, not {child.name!r:.60} here"
            )
        parts[child.name] = child
    if "Body" not in parts:
        raise error(mq.PSRC_SOAP_ENVELOPE, "the Envelope has no Body")
    return parts


def _declare(envelope: Reference, context: Reference | None, uri: str) -> None:
    """Add the declarations and attributes of the context to an envelope, and one for SOAP itself."""
    bound = set()
    namespaces = None if context is None else context.reference(_NAMESPACE)
    for declaration in namespaces or ():
        value = as_characters(declaration.value)
        bound.add(value)
        envelope.add_last_child(declaration.name, value, namespace=_XMLNS, type=_DECLARATION)
    if uri not in bound:
        envelope.add_last_child(PREFIX, uri, namespace=_XMLNS, type=_DECLARATION)
    for child in context or ():
        if child.is_attribute:
            value = as_characters(child.value)
            envelope.add_last_child(child.name, value, namespace=child.namespace, type=child.type)
