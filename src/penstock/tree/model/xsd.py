"""XML Schema as models: `import_xsd` makes a model with an XML format of one schema document.

It takes global elements as messages, and of types what says which fields there are: sequences, choices, all,
groups, references, attributes, extensions, simple types with their enumerations. What only restricts values
(patterns, lengths, facets) is passed over; imports of other documents are refused by name. A document
type is refused before anything is read.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.tree.model.logical import Field, Group, Model, Type, check_depth
from penstock.tree.model.xml import Xml, XmlFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

XS = "{http://www.w3.org/2001/XMLSchema}"
SIZE_MAX = 16 << 20
_TYPES = {
    "decimal": "decimal",
    "float": "float",
    "double": "float",
    "boolean": "boolean",
    "date": "date",
    "time": "time",
    "dateTime": "dateTime",
    "hexBinary": "binary",
    "base64Binary": "binary",
    **dict.fromkeys(
        (
            "integer",
            "int",
            "long",
            "short",
            "byte",
            "nonNegativeInteger",
            "positiveInteger",
            "negativeInteger",
        ),
        "integer",
    ),
    **dict.fromkeys(
        ("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte", "nonPositiveInteger"), "integer"
    ),
}
_COMPOSED = {XS + "sequence": "sequence", XS + "choice": "choice", XS + "all": "all"}


def import_xsd(text: str | bytes, *, name: str = "SCHEMA", format: str = "XML") -> Model:
    """Return a model with a message for each global element of a schema."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    if len(data) > SIZE_MAX or b"<!DOCTYPE" in data:
        raise error(8150, "a schema has no document type and is not larger than 16 MB")
    try:
        schema = ET.fromstring(data)
    except ET.ParseError as problem:
        raise error(8150, f"no XML: {problem}") from problem
    if schema.tag != XS + "schema":
        raise error(8150, f"the root is {schema.tag}, not a schema")
    return _Importer(schema, format).model(name)


class _Importer:
    def __init__(self, schema: ET.Element, format: str) -> None:
        self.schema = schema
        self.format = format
        self.namespace = schema.get("targetNamespace", "")
        self.qualified = schema.get("elementFormDefault") == "qualified"
        self.named = {(child.tag, child.get("name", "")): child for child in schema}
        for child in schema:
            if child.tag in (XS + "import", XS + "include", XS + "redefine"):
                where = child.get("schemaLocation", "another document")
                raise error(8150, f"{where}: schemas of several documents are not supported")

    def model(self, name: str) -> Model:
        messages = {}
        for element in self.schema.findall(XS + "element"):
            kind = self._kind(element, 0)
            if isinstance(kind, Type):
                messages[element.get("name", "")] = kind
        return Model(name, messages, {self.format: XmlFormat()}, namespace=self.namespace)

    def _global(self, tag: str, reference: str) -> ET.Element:
        found = self.named.get((XS + tag, reference.rpartition(":")[2]))
        if found is None:
            raise error(8150, f"{tag} {reference} is not in the schema")
        return found

    def _kind(self, element: ET.Element, depth: int) -> str | Type:
        """Return the type of an element or attribute: the name of a simple one, or a type with fields."""
        check_depth(depth, element.get("name", "an element"))
        inline = element.find(XS + "complexType")
        if inline is not None:
            return Type(*self._members(inline, depth + 1))
        simple = element.find(XS + "simpleType")
        if simple is not None:
            return self._simple(simple, depth + 1)
        return self._reference(element.get("type", "xs:string"), depth)

    def _reference(self, reference: str, depth: int) -> str | Type:
        local = reference.rpartition(":")[2]
        if (XS + "complexType", local) in self.named:
            return Type(*self._members(self._global("complexType", local), depth + 1))
        if (XS + "simpleType", local) in self.named:
            return self._simple(self._global("simpleType", local), depth + 1)
        return _TYPES.get(local, "string")

    def _simple(self, simple: ET.Element, depth: int) -> str:
        check_depth(depth, simple.get("name", "a simple type"))
        restriction = simple.find(XS + "restriction")
        if restriction is None:
            return "string"  # lists and unions
        kind = self._reference(restriction.get("base", "xs:string"), depth + 1)
        return kind if isinstance(kind, str) else "string"

    def _members(self, parent: ET.Element, depth: int) -> Iterator[Field | Group]:
        """Yield what a complex type or a group has, attributes included."""
        check_depth(depth, parent.get("name", "a type"))
        for child in parent:
            if child.tag in _COMPOSED:
                yield self._group(child, depth + 1)
            elif child.tag == XS + "element":
                yield self._element(child, depth + 1)
            elif child.tag == XS + "attribute":
                yield self._attribute(child, depth + 1)
            elif child.tag in (XS + "group", XS + "attributeGroup") and child.get("ref"):
                kind = child.tag.removeprefix(XS)
                yield from self._members(self._global(kind, child.get("ref", "")), depth + 1)
            elif child.tag in (XS + "complexContent", XS + "restriction"):
                yield from self._members(child, depth + 1)
            elif child.tag == XS + "extension":
                base = child.get("base", "").rpartition(":")[2]
                yield from self._members(self._global("complexType", base), depth + 1)
                yield from self._members(child, depth + 1)
            elif child.tag == XS + "simpleContent":
                raise error(8150, f"{parent.get('name', 'a type')}: text with attributes is not supported")

    def _group(self, said: ET.Element, depth: int) -> Group:
        least, most = _occurrences(said)
        return Group(*self._members(said, depth), compose=_COMPOSED[said.tag], min=least, max=most)

    def _element(self, said: ET.Element, depth: int) -> Field:
        least, most = _occurrences(said)
        qualified = said.get("form", "qualified" if self.qualified else "unqualified") == "qualified"
        if said.get("ref"):
            said, qualified = self._global("element", said.get("ref", "")), True
        about: dict[str, Any] = {self.format: Xml(namespace=self.namespace if qualified else "")}
        kind = self._kind(said, depth)
        return Field(said.get("name", ""), kind, min=least, max=most, values=self._values(said), **about)

    def _attribute(self, said: ET.Element, depth: int) -> Field:
        if said.get("ref"):
            said = self._global("attribute", said.get("ref", ""))
        about: dict[str, Any] = {self.format: Xml("attribute")}
        least = 1 if said.get("use") == "required" else 0
        kind = self._kind(said, depth)
        return Field(
            said.get("name", ""),
            kind,
            min=least,
            values=self._values(said),
            **about,
        )

    def _values(self, said: ET.Element) -> tuple[object, ...]:
        simple = said.find(XS + "simpleType")
        if simple is None:
            simple = self.named.get((XS + "simpleType", said.get("type", "").rpartition(":")[2]))
        if simple is None:
            return ()
        return tuple(each.get("value", "") for each in simple.iter(XS + "enumeration"))


def _occurrences(said: ET.Element) -> tuple[int, int | None]:
    most = said.get("maxOccurs", "1")
    try:
        return int(said.get("minOccurs", "1")), None if most == "unbounded" else max(int(most), 1)
    except ValueError as problem:
        raise error(8150, f"{said.get('name', 'a group')}: occurrences are numbers") from problem
