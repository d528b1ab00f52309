"""SOAPExtract: removes the envelope of a SOAP message; the body becomes a message of its own.

The envelope is stored in LocalEnvironment.SOAP.Envelope, where SOAPEnvelope finds it again. With
`route_to_operation` the message goes to the Label `ws_<operation>` instead of `out`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.new_messages import without_body
from penstock.flow.node import KW_ONLY, OUT, Node
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

LABEL_PREFIX = "ws_"
ENVELOPE = Path("SOAP", "Envelope")
_BODY = Path("SOAP", "Body")
_PARTS = (Path("SOAP", "Context"), Path("SOAP", "Header"))
_TARGETS = ("XMLNSC", "XMLNS", "XML")


class SOAPExtract(Node):
    """Removes envelopes: `SOAPExtract()`, `SOAPExtract(route_to_operation=True)`."""

    _: KW_ONLY
    domain: str = "XMLNSC"
    remove_envelope: bool = True
    route_to_operation: bool = False
    label_prefix: str = LABEL_PREFIX

    def check(self) -> Any:
        yield from self.wrong_choices(domain=_TARGETS)

    def start(self, at: NodeContext) -> Process:
        def process(assembly: Assembly) -> None:
            envelope = _as_soap(assembly.message)
            operation = operation_of(envelope)
            local = assembly.copied_local_environment()
            message = assembly.message
            if self.remove_envelope:
                message = taken_apart(envelope, local, self.domain)
            sent = assembly.sending(message, local)
            if self.route_to_operation:
                at.instance.label(f"{self.label_prefix}{operation}")(sent)
            else:
                at.send(OUT, sent)

        return process


def operation_of(message: Message) -> str:
    """Return the name of the first element of a SOAP body: the requested operation."""
    body = message.reference(_BODY)
    first = None if body is None else next((each for each in body if not each.is_attribute), None)
    return "" if first is None else first.name


def taken_apart(message: Message, local: Message, domain: str) -> Message:
    """Return the body of a SOAP message as a message; its envelope is stored in LocalEnvironment."""
    body = message.reference(_BODY)
    first = None if body is None else next((each for each in body if not each.is_attribute), None)
    if first is None:
        raise error(mq.PSRC_SOAP_ENVELOPE, "the SOAP body is empty: there is nothing to extract")
    kept = local.create(ENVELOPE)
    kept.delete_children()
    for path in _PARTS:
        part = message.reference(path)
        if part is not None:
            kept.add_last_child(part.name).assign(part)
    made = without_body(message)
    target = made.body_as(domain)
    target.add_last_child(first.name, namespace=first.namespace, type=first.type).assign(first)
    return made


def _as_soap(message: Message) -> Message:
    """Return a message in domain SOAP: itself, or its bytes parsed as an envelope."""
    if message.domain == "SOAP":
        return message
    body = message.body
    data = b"" if body is None else message.folder_bytes(body)
    made = without_body(message)
    made.add_body(data, "SOAP")
    return made
