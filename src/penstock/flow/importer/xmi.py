"""Flow files (EMF XMI) read into descriptions: MSGFLOW.md of the references describes the structure.

Only the logic is read: icons, positions and notes on the canvas are ignored. A file that is not a flow is
refused with 8307; a flow with unknown parts is described as far as possible, and `building` reports what is
wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.flow.importer.description import (
    FlowDescription,
    NodeDescription,
    PromotionDescription,
    WireDescription,
)
from penstock.flow.importer.xml_reading import read_xml
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.importer.xml_reading import Document, Element

XMI = "http://www.omg.org/XMI}"
TYPE, ID = f"{XMI}type", f"{XMI}id"
NODES_MAX = 10_000
_NOT_PROPERTIES = frozenset({"location", "rotation", TYPE, ID})
_NOT_TABLES = frozenset({"translation", "shortDescription", "longDescription", "monitorEvents"})


def read_flow(content: bytes, path: str) -> FlowDescription:
    """Return the description of a flow file; `path` is relative to its project."""
    document = read_xml(content, path)
    if document.root.local != "EPackage":
        raise error(
            mq.PSRC_FLOW_IMPORT,
            f"{path}: a message flow begins with ecore:EPackage, this file with {document.root.local}",
        )
    composite = next(document.root.all("eClassifiers"), None)
    if composite is None:
        raise error(mq.PSRC_FLOW_IMPORT, f"{path}: there is no flow in the file (no eClassifiers)")
    composition = composite.first("composition")
    inside = [] if composition is None else composition.children
    nodes = [_node(each, document) for each in inside if each.local == "nodes"]
    if len(nodes) > NODES_MAX:
        raise error(mq.PSRC_FLOW_IMPORT, f"{path}: more than {NODES_MAX} nodes")
    return FlowDescription(
        path,
        nodes,
        [_wire(each) for each in inside if each.local == "connections"],
        {_feature(each): each.get("defaultValueLiteral") for each in composite.all("eStructuralFeatures")},
        {_feature(each): _type(each) for each in composite.all("eStructuralFeatures")},
        _user_defined(composite),
        [_promotion(each) for each in composite.all("attributeLinks")],
    )


def _node(element: Element, document: Document) -> NodeDescription:
    prefix = element.get(TYPE).rpartition(":")[0]
    reference = document.spaces.get(prefix, prefix)
    if prefix == "eflow":
        reference = element.get(TYPE)
    identity = element.get(ID)
    tables: dict[str, list[dict[str, str]]] = {}
    for child in element.children:
        if child.local not in _NOT_TABLES:
            tables.setdefault(child.local, []).append(dict(child.attributes))
    return NodeDescription(
        identity,
        reference.replace("\\", "/"),
        _label(element) or identity,
        {name: value for name, value in element.attributes.items() if name not in _NOT_PROPERTIES},
        tables,
        element.line,
    )


def _label(element: Element) -> str:
    """Return the label: a constant, or the key of a text in a .properties file."""
    translation = element.first("translation")
    if translation is None:
        return ""
    return translation.get("string") or translation.get("key")


def _wire(element: Element) -> WireDescription:
    return WireDescription(
        element.get("sourceNode"),
        terminal_name(element.get("sourceTerminalName")),
        element.get("targetNode"),
        terminal_name(element.get("targetTerminalName")),
    )


def terminal_name(name: str) -> str:
    """Return the name of a terminal without the prefix for its direction; dynamic ones have none."""
    return name.removeprefix("OutTerminal.").removeprefix("InTerminal.")


def _feature(feature: Element) -> str:
    return feature.get("name") or _property(feature.get(ID))


def _type(feature: Element) -> str:
    """Return the type of a property without the address in front: `EString`."""
    declared = feature.first("eType")
    return "EString" if declared is None else declared.get("href").rpartition("/")[2]


def _user_defined(composite: Element) -> frozenset[str]:
    organizer = composite.first("propertyOrganizer")
    descriptors = [] if organizer is None else organizer.below("propertyDescriptor")
    return frozenset(
        _property(each.get("describedAttribute")) for each in descriptors if each.get("userDefined") == "true"
    )


def _promotion(link: Element) -> PromotionDescription:
    overridden = link.first("overriddenAttribute")
    href = "" if overridden is None else overridden.get("href")
    return PromotionDescription(
        _property(link.get("promotedAttribute")),
        tuple(link.get("overriddenNodes").split()),
        _property(href.rpartition("#")[2]),
    )


def _property(reference: str) -> str:
    """Return the name in `Property.queueName` or `//FCMComposite_1/queueName`."""
    return reference.rpartition("/")[2].removeprefix("Property.")
