"""The operations of a WSDL 1.1 file by the first element of a SOAP body: `operations_of(path)`.

A document style message names its operation by the element of its part, a procedure call by the operation's
own name. A SOAPInput uses it to route to labels; without a WSDL the first element is the operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.importer.xml_reading import read_xml

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.importer.xml_reading import Element


def operations_of(path: Path) -> dict[str, str]:
    """Return the operations by the local name of the first element of their requests."""
    root = read_xml(path.read_bytes(), str(path)).root
    elements = {
        message.get("name", ""): _local(part.get("element", ""))
        for message in root.below("message")
        for part in message.below("part")
        if part.get("element")
    }
    found: dict[str, str] = {}
    for port_type in root.below("portType"):
        for operation in port_type.below("operation"):
            name = operation.get("name", "")
            found.setdefault(name, name)
            element = elements.get(_message_of(operation))
            if element:
                found[element] = name
    return found


def _message_of(operation: Element) -> str:
    """Return the name of the message that an operation takes."""
    return next((_local(each.get("message", "")) for each in operation.below("input")), "")


def _local(name: str) -> str:
    return name.rpartition(":")[2]
