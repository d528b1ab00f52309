"""SOAPEnvelope: puts the message into a SOAP envelope: the one that SOAPExtract stored, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.new_messages import without_body
from penstock.flow.node import KW_ONLY, Node
from penstock.flow.nodes.soap_extract import ENVELOPE
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import XMLNSC_TYPES, Message, Path
from penstock.tree.xml.soap import NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.tree import Reference

_VERSION = Path("Context", "SOAP_Version")
_KEPT_VERSION = Path("SOAP", "Envelope", "Context", "SOAP_Version")
XML_DOMAINS = ("XMLNSC", "XMLNS", "XML")
_OUTSIDE = (XMLNSC_TYPES["XmlDeclaration"], XMLNSC_TYPES["DocumentType"])  # not part of the element


class SOAPEnvelope(Node):
    """Adds envelopes: `SOAPEnvelope()`; `create` makes a new one even if one was stored."""

    _: KW_ONLY
    create: bool = False
    version: str = "1.1"

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(version=NAMESPACES)

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        kept = None if self.create else assembly.local_environment.reference(ENVELOPE)
        at.send("out", assembly.sending(message=wrapped(assembly.message, kept, self.version)))


def wrapped(message: Message, kept: Reference | None, version: str) -> Message:
    """Return a message in an envelope, with the parts of one that was stored."""
    body = message.body
    if body is None or message.domain not in XML_DOMAINS:
        raise error(
            mq.PSRC_SOAP_ENVELOPE,
            f"a body in {message.domain or 'no domain'} cannot be put in a SOAP envelope",
        )
    made = without_body(message)
    soap = made.body_as("SOAP")
    for part in kept or ():
        soap.add_last_child(part.name).assign(part)
    if soap.reference(_VERSION) is None:
        soap.set(_VERSION, version)
    target = soap.create(Path("Body"))
    for field in body:
        if field.type not in _OUTSIDE:
            target.add_last_child(field.name, namespace=field.namespace, type=field.type).assign(field)
    return made


def in_envelope(assembly: Assembly) -> Assembly:
    """Return an assembly whose XML message has an envelope; one that has it, or is no XML, stays as it is.

    The version is that of the envelope that was removed on the way, or 1.1.
    """
    message = assembly.message
    body = message.body
    if body is None or message.domain not in XML_DOMAINS:
        return assembly
    if any(field.name == "Envelope" and field.namespace in NAMESPACES.values() for field in body):
        return assembly
    kept = assembly.local_environment.get(_KEPT_VERSION)
    return assembly.sending(message=wrapped(message, None, kept if kept in NAMESPACES else "1.1"))
