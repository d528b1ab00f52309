"""XML Schema as models."""

from __future__ import annotations

from decimal import Decimal
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
        SCHEMA.replace('name="Base"><xs:sequence>', 'name="Base"><xs:group ref="G"/>').replace(
            '<xs:element name="Note"',
            '<xs:group name="G"><xs:choice><xs:group ref="G"/></xs:choice></xs:group><xs:element name="Note"',
        ),
        SCHEMA.replace(
            'name="Base"><xs:sequence>',
            'name="Base"><xs:complexContent><xs:extension base="Base"/></xs:complexContent><xs:sequence>',
        ),
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


PARTS = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:p" targetNamespace="urn:p">
  <xs:complexType name="Part"><xs:sequence>
    <xs:element name="Name" type="xs:string"/><xs:element name="Weight" type="xs:int" minOccurs="0"/>
    <xs:element name="Part" type="Part" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType>
  <xs:element name="Machine" type="Part"/>
  <xs:element name="Shape" type="xs:string" abstract="true"/>
  <xs:element name="Circle" type="xs:int" substitutionGroup="Shape"/>
  <xs:element name="Ball" type="xs:decimal" substitutionGroup="Circle"/>
  <xs:complexType name="Marked"><xs:sequence><xs:element ref="Shape" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="id" type="xs:int"/><xs:attribute name="old" type="xs:int"/>
    <xs:attribute name="kind" type="xs:int"/></xs:complexType>
  <xs:complexType name="Narrow"><xs:complexContent><xs:restriction base="Marked"><xs:sequence>
    <xs:element ref="Shape"/></xs:sequence><xs:attribute name="old" use="prohibited"/>
    <xs:attribute name="kind" type="xs:string"/></xs:restriction></xs:complexContent></xs:complexType>
  <xs:element name="Drawing" type="Narrow"/>
</xs:schema>"""


def test_a_type_may_hold_itself() -> None:
    inner = b"<Part><Name>a</Name><Weight>7</Weight></Part>"
    for _ in range(200):
        inner = b"<Part><Name>b</Name>" + inner + b"</Part>"
    document = b'<p:Machine xmlns:p="urn:p"><Name>m</Name>' + inner + b"</p:Machine>"
    message = tree.parse(document, domain="MRM", model=import_xsd(PARTS), message="Machine")
    deepest = tree.Path("MRM", *["Part"] * 201, "Weight")
    assert message.get(deepest) == 7
    message.set(deepest, 8)
    assert message.serialise() == document.replace(b"7", b"8").replace(b"p:M", b"NS1:M").replace(
        b"xmlns:p", b"xmlns:NS1"
    )


def test_a_document_deeper_than_the_limit_is_refused_whatever_the_model_allows() -> None:
    document = b'<p:Machine xmlns:p="urn:p">' + b"<Part>" * 600
    message = tree.parse(document, domain="MRM", model=import_xsd(PARTS), message="Machine")
    with pytest.raises(MQError) as caught:
        message.get(tree.Path("MRM", "Name"))
    assert caught.value.reason == 8110


def test_a_tree_deeper_than_the_limit_is_not_written() -> None:
    message = tree.parse(
        b'<p:Machine xmlns:p="urn:p"/>', domain="MRM", model=import_xsd(PARTS), message="Machine"
    )
    part = message.reference(tree.Path("MRM"))
    for _ in range(499):
        part = part.add_last_child("Part")
    deepest = message.serialise()
    assert deepest.count(b"<Part") == 499
    tree.parse(deepest, domain="MRM", model=import_xsd(PARTS), message="Machine", timing="complete")
    for _ in range(100_000):
        part = part.add_last_child("Part")
    with pytest.raises(MQError, match="nested more than 500 deep") as caught:
        message.serialise()
    assert caught.value.reason == 8110


def test_elements_stand_for_the_head_of_their_group() -> None:
    document = b'<Drawing xmlns="urn:p" id="1" kind="k"><Circle>5</Circle><Ball>1.50</Ball></Drawing>'
    message = tree.parse(document, domain="MRM", model=import_xsd(PARTS), message="Drawing")
    assert message.get(tree.Path("MRM", "Circle")) == 5
    assert message.get(tree.Path("MRM", "Ball")) == Decimal("1.50")


def test_a_restriction_has_the_attributes_of_its_base_but_those_it_prohibits() -> None:
    fields = {field.name: field.type for field in import_xsd(PARTS).messages["Drawing"].fields()}
    assert fields == {"Circle": "integer", "Ball": "decimal", "kind": "string", "id": "integer"}


RESTRICTED = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:attributeGroup name="Marks"><xs:attributeGroup ref="Inner"/>
    <xs:attribute name="b" use="prohibited"/></xs:attributeGroup>
  <xs:attributeGroup name="Inner"><xs:attribute name="a" type="xs:int"/></xs:attributeGroup>
  <xs:complexType name="Text"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="a"/>
    <xs:attribute name="b"/><xs:attribute name="c"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="Things"><xs:sequence/><xs:attribute name="a"/><xs:attribute name="b"/>
    <xs:attribute name="c"/></xs:complexType>
  <xs:element name="Simple"><xs:complexType><xs:simpleContent><xs:restriction base="Text">
    <xs:attributeGroup ref="Marks"/><xs:attribute name="c" use="prohibited"/>
  </xs:restriction></xs:simpleContent></xs:complexType></xs:element>
  <xs:element name="Complex"><xs:complexType><xs:complexContent><xs:restriction base="Things">
    <xs:attributeGroup ref="Marks"/><xs:attribute name="c" use="prohibited"/>
  </xs:restriction></xs:complexContent></xs:complexType></xs:element>
</xs:schema>"""


@pytest.mark.parametrize("message", ["Simple", "Complex"])
def test_a_restriction_restates_attributes_by_groups_and_prohibits_its_own(message: str) -> None:
    fields = [(field.name, field.type) for field in import_xsd(RESTRICTED).messages[message].fields()]
    assert sorted(each for each in fields if each[0]) == [("a", "integer"), ("b", "string")]


def test_types_used_everywhere_are_walked_over_once() -> None:
    types = [
        f'<xs:complexType name="T{n}"><xs:sequence>'
        + "".join(f'<xs:element name="{each}" type="T{n + 1}"/>' for each in "abcdef")
        + "</xs:sequence></xs:complexType>"
        for n in range(40)
    ]
    leaf = '<xs:sequence><xs:element name="v" type="xs:int"/></xs:sequence>'
    last = f'<xs:complexType name="T40">{leaf}</xs:complexType>'
    schema = (
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="M" type="T0"/>'
        + "".join(types)
        + last
        + "</xs:schema>"
    )
    document = b"<M>" + b"<c>" * 40 + b"<v>9</v>" + b"</c>" * 40 + b"</M>"
    message = tree.parse(document, domain="MRM", model=import_xsd(schema))
    assert message.get(tree.Path("MRM", *["c"] * 40, "v")) == 9


def test_a_long_chain_of_documents_is_read_or_refused(tmp_path: Path) -> None:
    for count, fits in ((490, True), (510, False)):
        for n in range(count):
            more = f'<xs:include schemaLocation="{n + 1}.xsd"/>' if n + 1 < count else ""
            here = f'<xs:complexType name="T{n}"><xs:attribute name="a"/></xs:complexType>'
            root = f'<xs:element name="M" type="T{count - 1}"/>' if n == 0 else ""
            start = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
            (tmp_path / f"{n}.xsd").write_text(start + more + here + root + "</xs:schema>")
        if fits:
            assert list(import_xsd(tmp_path / "0.xsd").messages) == ["M"]
        else:
            with pytest.raises(MQError, match="more than 500 documents"):
                import_xsd(tmp_path / "0.xsd")


def test_what_a_schema_cannot_mean_here_is_refused_or_noted() -> None:
    inside = '<xs:complexType mixed="true"><xs:sequence><xs:element name="b"/></xs:sequence></xs:complexType>'
    assert (
        "mixed content"
        in import_xsd(f'{HEAD}><xs:element name="a">{inside}</xs:element></xs:schema>').notes[0]
    )
    with pytest.raises(MQError, match=r"8150.*a global element has a name"):
        import_xsd(f"{HEAD}><xs:element>{inside}</xs:element></xs:schema>")
    with pytest.raises(MQError, match=r"8150.*override"):
        import_xsd(f'{HEAD}><xs:override schemaLocation="x.xsd"/></xs:schema>')
