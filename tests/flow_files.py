"""Writes small flow files for tests: the structure of the real ones, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<ecore:EPackage xmi:version="2.0" xmlns:xmi="http://www.omg.org/XMI"
 xmlns:ecore="http://www.eclipse.org/emf/2002/Ecore" xmlns:eflow="http://www.ibm.com/wbi/2005/eflow"
 xmlns:utility="http://www.ibm.com/wbi/2005/eflow_utility"%s nsURI="F.msgflow" nsPrefix="F.msgflow">
 <eClassifiers xmi:type="eflow:FCMComposite" name="FCMComposite_1">
"""
FOOT = " </eClassifiers>\n</ecore:EPackage>\n"


class FlowFile:
    """A flow file in the making: nodes are named by their labels."""

    def __init__(self) -> None:
        self.spaces: dict[str, str] = {}
        self.nodes: list[str] = []
        self.wires: list[str] = []
        self.features: list[str] = []
        self.descriptors: list[str] = []
        self.links: list[str] = []
        self.ids: dict[str, str] = {}

    def node(self, type_: str, label: str, inside: str = "", **properties: str) -> FlowFile:
        """Add a node: `ComIbmMQInput`, or the path of a subflow."""
        reference = type_ if type_.endswith("flow") else f"{type_}.msgnode"
        prefix = reference.replace("/", "_")
        self.spaces[prefix] = reference
        self.ids[label] = f"FCMComposite_1_{len(self.ids) + 1}"
        return self._node(f"{prefix}:FCMComposite_1", self.ids[label], label, inside, properties)

    def end(self, kind: str, name: str) -> FlowFile:
        """Add the entry (`FCMSource`) or an exit (`FCMSink`) of a subflow."""
        self.ids[name] = f"{'In' if kind == 'FCMSource' else 'Out'}Terminal.{name}"
        return self._node(f"eflow:{kind}", self.ids[name], name, "", {})

    def _node(self, type_: str, identity: str, label: str, inside: str, given: dict[str, str]) -> FlowFile:
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in given.items())
        self.nodes.append(
            f'<nodes xmi:type="{type_}" xmi:id="{identity}" location="1,2"{attributes}>'
            f'<translation xmi:type="utility:ConstantString" string={quoteattr(label)}/>{inside}</nodes>'
        )
        return self

    def wire(self, source: str, target: str) -> FlowFile:
        """Add a connection: `wire("In.out", "Compute.in")`."""
        (one, output), (other, entry) = source.rsplit(".", 1), target.rsplit(".", 1)
        self.wires.append(
            f'<connections xmi:type="eflow:FCMConnection" xmi:id="FCMConnection_{len(self.wires) + 1}"'
            f' sourceNode="{self.ids[one]}" targetNode="{self.ids[other]}"'
            f' sourceTerminalName="OutTerminal.{output}" targetTerminalName="InTerminal.{entry}"/>'
        )
        return self

    def property(self, name: str, value: str, user_defined: bool = True, type_: str = "EString") -> FlowFile:
        """Add a property of the flow itself."""
        self.features.append(
            f'<eStructuralFeatures xmi:type="ecore:EAttribute" xmi:id="Property.{name}" name="{name}"'
            f' defaultValueLiteral={quoteattr(value)}><eType xmi:type="ecore:EDataType"'
            f' href="http://www.eclipse.org/emf/2002/Ecore#//{type_}"/></eStructuralFeatures>'
        )
        kind = ' userDefined="true"' if user_defined else ""
        self.descriptors.append(f'<propertyDescriptor{kind} describedAttribute="Property.{name}">')
        return self

    def promote(self, name: str, label: str, attribute: str) -> FlowFile:
        """Let a property of the flow stand for one of a node."""
        self.links.append(
            f'<attributeLinks promotedAttribute="Property.{name}" overriddenNodes="{self.ids[label]}">'
            f'<overriddenAttribute href="X.msgnode#Property.{attribute}"/></attributeLinks>'
        )
        return self

    def text(self) -> str:
        """Return the file."""
        spaces = "".join(f' xmlns:{prefix}="{path}"' for prefix, path in self.spaces.items())
        nested = "".join(self.descriptors) + "</propertyDescriptor>" * len(self.descriptors)
        composition = f"<composition>{''.join(self.nodes)}{''.join(self.wires)}</composition>"
        organizer = f"<propertyOrganizer>{nested}</propertyOrganizer>"
        parts = ["".join(self.features), composition, organizer, "".join(self.links)]
        return HEAD % spaces + "\n".join(parts) + FOOT

    def write(self, path: Path) -> Path:
        """Write the file, with the folders it stands in."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), "utf-8")
        return path


ESQL = """{schema}
CREATE COMPUTE MODULE {module}
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    {body}
    RETURN TRUE;
  END;
END MODULE;
"""


def write_esql(path: Path, module: str, body: str, schema: str = "") -> Path:
    """Write an ESQL file with one Compute module."""
    path.parent.mkdir(parents=True, exist_ok=True)
    named = f"BROKER SCHEMA {schema}" if schema else ""
    path.write_text(ESQL.format(schema=named, module=module, body=body))
    return path
