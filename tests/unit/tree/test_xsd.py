"""XML Schema as models."""

from __future__ import annotations

import pytest

from penstock import MQError, tree
from penstock.tree.model import import_xsd

SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:o" targetNamespace="urn:o"
  elementFormDefault="qualified">
  <xs:simpleType name="Kind"><xs:restriction base="xs:string"><xs:enumeration value="A"/>
  <xs:enumeration value="B"/></xs:restriction></xs:simpleType>
  <xs:complexType name="Base"><xs:sequence><xs:element name="Id" type="xs:int"/></xs:sequence>
  </xs:complexType>
  <xs:complexType name="Line"><xs:complexContent><xs:extension base="Base"><xs:sequence>
    <xs:element name="Price" type="xs:decimal" minOccurs="0"/></xs:sequence>
    <xs:attribute name="kind" type="Kind" use="required"/></xs:extension></xs:complexContent></xs:complexType>
  <xs:element name="Note" type="xs:string"/>
  <xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="Line" type="Line" maxOccurs="unbounded"/>
    <xs:choice><xs:element ref="Note"/><xs:element name="Day" type="xs:date"/></xs:choice></xs:sequence>
  </xs:complexType></xs:element>
</xs:schema>"""
DATA = (
    b'<o:Order xmlns:o="urn:o"><o:Line kind="A"><o:Id>7</o:Id><o:Price>1.50</o:Price></o:Line>'
    b"<o:Note>x</o:Note></o:Order>"
)


def test_types_of_a_schema_are_the_types_of_the_tree() -> None:
    model = import_xsd(SCHEMA)
    message = tree.parse(DATA, domain="MRM", model=model, timing="complete")
    assert message.get(tree.Path("MRM", "Line", "Id")) == 7
    assert str(message.get(tree.Path("MRM", "Line", "Price"))) == "1.50"
    assert message.get(tree.Path("MRM", "Line", "kind")) == "A"
    line = next(model.messages["Order"].fields()).type
    assert not isinstance(line, str)
    assert {field.name: field.values for field in line.fields()}["kind"] == ("A", "B")
    message.set(tree.Path("MRM", "Note"), "y")
    assert message.serialise() == (
        b'<Order xmlns="urn:o"><Line kind="A"><Id>7</Id><Price>1.50</Price></Line><Note>y</Note></Order>'
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<a/>",
        "<!DOCTYPE a><a/>",
        SCHEMA.replace('"qualified">', '"qualified"><xs:import schemaLocation="b.xsd"/>'),
        SCHEMA.replace('base="Base"', 'base="Gone"'),
        SCHEMA.replace('name="Id" type="xs:int"', 'name="Id" type="Line"'),
    ],
)
def test_schemas_that_cannot_be_taken_are_refused(text: str) -> None:
    with pytest.raises(MQError) as caught:
        import_xsd(text)
    assert caught.value.reason == 8150
