"""Faults of SOAP: read from and written to the body, in either version.

Codes are those of SOAP 1.2, translated for the version: Sender is Client in 1.1, Receiver is Server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._path import Path, Step
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING
from penstock.tree.xml.soap import NAMESPACES, PREFIX

if TYPE_CHECKING:
    from penstock.tree.core._message import Message
    from penstock.tree.core._reference import Reference

_SOAP = Path("SOAP")
_VERSION = Path("Context", "SOAP_Version")
_FAULT = Path("Body", Step("Fault", None))
_OLD = {"Sender": "Client", "Receiver": "Server"}
_NEW = {old: new for new, old in _OLD.items()}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: a code (Sender, Receiver ...), a reason, its source, and a text of details."""

    code: str
    reason: str
    actor: str = ""
    detail: str = ""


def fault_of(message: Message) -> Fault | None:
    """Return the fault in the body of a SOAP message, or None."""
    soap = message.reference(_SOAP)
    fault = None if soap is None else soap.reference(_FAULT)
    if fault is None:
        return None
    if fault.namespace == NAMESPACES["1.1"]:
        code = _local(_text(fault, "faultcode"))
        actor, detail = _text(fault, "faultactor"), _text(fault, "detail")
        return Fault(_NEW.get(code, code), _text(fault, "faultstring"), actor, detail)
    code = _local(_text(fault, "Code", "Value"))
    return Fault(code, _text(fault, "Reason", "Text"), _text(fault, "Role"), _text(fault, "Detail"))


def set_fault(message: Message, fault: Fault) -> None:
    """Set the body of a SOAP message to a fault, in the version of its context."""
    soap = message.create(_SOAP)
    version = soap.get(_VERSION)
    version = "1.1" if version in (MISSING, None) else as_characters(version)
    uri = NAMESPACES.get(version)
    if uri is None:
        raise error(mq.PSRC_SOAP_ENVELOPE, f"SOAP_Version is 1.1 or 1.2, not {version!r}", version=version)
    soap.set(_VERSION, version)
    body = soap.create(Path("Body"))
    body.delete_children()
    place = body.add_last_child("Fault", namespace=uri)
    prefix = _prefix(soap, uri)
    if version == "1.1":
        _add(place, "faultcode", f"{prefix}:{_OLD.get(fault.code, fault.code)}")
        _add(place, "faultstring", fault.reason)
        _add(place, "faultactor", fault.actor)
        _add(place, "detail", fault.detail)
        return
    place.add_last_child("Code", namespace=uri).add_last_child(
        "Value", f"{prefix}:{fault.code}", namespace=uri
    )
    text = place.add_last_child("Reason", namespace=uri).add_last_child("Text", fault.reason, namespace=uri)
    text.add_last_child("lang", "en", namespace="http://www.w3.org/XML/1998/namespace", type=0x03000100)
    if fault.actor:
        place.add_last_child("Role", fault.actor, namespace=uri)
    if fault.detail:
        place.add_last_child("Detail", fault.detail, namespace=uri)


def _prefix(soap: Reference, uri: str) -> str:
    """Return the prefix of SOAP's own namespace; one is declared if there is none."""
    namespaces = soap.create(Path("Context", "Namespace"))
    for declaration in namespaces:
        if as_characters(declaration.value) == uri and declaration.name != "xmlns":
            return declaration.name
    namespaces.add_last_child(PREFIX, uri, namespace="http://www.w3.org/2000/xmlns/", type=0x03000103)
    return PREFIX


def _add(place: Reference, name: str, text: str) -> None:
    if text:
        place.add_last_child(name, text)


def _text(fault: Reference, *names: str) -> str:
    value = fault.get(Path(*(Step(name, None) for name in names)))
    return "" if value is MISSING or value is None else as_characters(value)


def _local(code: str) -> str:
    return code.rpartition(":")[2]
