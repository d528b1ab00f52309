"""XML Schema as models."""

from __future__ import annotations

from pathlib import Path

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


def _folder(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / f"{name}.xsd").write_text(text)
    return tmp_path / "main.xsd"


HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:m" xmlns:i="urn:i"'
MAIN = f"""{HEAD} targetNamespace="urn:m" elementFormDefault="qualified">
  <xs:include schemaLocation="part.xsd"/>
  <xs:import namespace="urn:i" schemaLocation="other.xsd"/>
  <xs:element name="M"><xs:complexType><xs:sequence><xs:element name="P" type="Part"/>
    <xs:element ref="i:Other"/></xs:sequence></xs:complexType></xs:element></xs:schema>"""
PART = f"""{HEAD}><xs:include schemaLocation="main.xsd"/><xs:complexType name="Part"><xs:sequence>
  <xs:element name="N" type="xs:int"/></xs:sequence></xs:complexType></xs:schema>"""
OTHER = f"""{HEAD} targetNamespace="urn:i"><xs:element name="Other" type="xs:date"/></xs:schema>"""


def test_documents_of_a_folder_are_included_and_imported(tmp_path: Path) -> None:
    model = import_xsd(_folder(tmp_path, main=MAIN, part=PART, other=OTHER))
    data = b'<M xmlns="urn:m" xmlns:i="urn:i"><P><N xmlns="">4</N></P><i:Other>2026-01-02</i:Other></M>'
    message = tree.parse(data, domain="MRM", model=model, timing="complete")
    assert message.get(tree.Path("MRM", "P", "N")) == 4
    assert str(message.get(tree.Path("MRM", "Other"))) == "2026-01-02"


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ({"main": MAIN, "part": PART}, "main.xsd, line 3"),
        ({"main": MAIN.replace("part.xsd", "../part.xsd"), "other": OTHER}, "main.xsd, line 2"),
        ({"main": MAIN.replace("part.xsd", "http://example.org/part.xsd")}, "main.xsd, line 2"),
        ({"main": MAIN, "part": PART.replace("xs:int", "Gone"), "other": OTHER}, "part.xsd, line 2"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path: Path, files: dict[str, str], where: str) -> None:
    with pytest.raises(MQError, match=where) as caught:
        import_xsd(_folder(tmp_path, **files))
    assert caught.value.reason == 8150
