"""XML Schema's redefine: types and groups of another document, changed under their own names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock import MQError
from penstock.tree.model import import_xsd
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.tree.model import Model

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:m"'
OWN = f'{HEAD} targetNamespace="urn:m" elementFormDefault="qualified">'
BASE = """<xs:complexType name="T"><xs:sequence><xs:element name="a" type="S"/></xs:sequence></xs:complexType>
  <xs:simpleType name="S"><xs:restriction base="xs:string"><xs:enumeration value="x"/>
  <xs:enumeration value="y"/></xs:restriction></xs:simpleType>
  <xs:group name="G"><xs:sequence><xs:element name="g"/></xs:sequence></xs:group>
  <xs:attributeGroup name="AG"><xs:attribute name="k"/></xs:attributeGroup>
  <xs:complexType name="U"><xs:sequence><xs:element name="t" type="T"/><xs:group ref="G"/></xs:sequence>
  <xs:attributeGroup ref="AG"/></xs:complexType></xs:schema>"""
EXTENDED = """<xs:complexType name="T"><xs:complexContent><xs:extension base="T"><xs:sequence>
  <xs:element name="{}"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>"""
MAIN = f"""{OWN}<xs:redefine schemaLocation="base.xsd">
  {EXTENDED.format("b")}
  <xs:simpleType name="S"><xs:restriction base="S"><xs:enumeration value="x"/></xs:restriction>
  </xs:simpleType>
  <xs:group name="G"><xs:sequence><xs:group ref="G"/><xs:element name="h"/></xs:sequence></xs:group>
  <xs:attributeGroup name="AG"><xs:attributeGroup ref="AG"/><xs:attribute name="l"/></xs:attributeGroup>
  </xs:redefine><xs:element name="M" type="U"/></xs:schema>"""


def imported(folder: Path, **files: str) -> Model:
    for name, text in files.items():
        (folder / f"{name}.xsd").write_text(text)
    return import_xsd(folder / "main.xsd")


def document(inside: str, after: str = "<g/><h/>", about: str = "") -> bytes:
    return f'<M xmlns="urn:m"{about}><t>{inside}</t>{after}</M>'.encode()


def refused(model: Model, data: bytes, problem: str) -> None:
    with pytest.raises(MQError, match=f"8152.*{problem}"):
        parse_validated(data, "MRM", model)


@pytest.mark.parametrize("base", [OWN + BASE, HEAD + ">" + BASE], ids=["own", "borrowed namespace"])
def test_what_is_redefined_is_so_everywhere(tmp_path: Path, base: str) -> None:
    model = imported(tmp_path, main=MAIN, base=base)
    parse_validated(document("<a>x</a><b/>", about=' k="1" l="1"'), "MRM", model)
    for wrong, problem in (
        (document("<a>x</a>"), "t.b is missing"),
        (document("<a>y</a><b/>"), "t.a is 'y'"),
        (document("<a>x</a><b/>", "<g/>"), "h is missing"),
        (document("<a>x</a><b/>", "<h/><g/>"), "g follows h"),
    ):
        refused(model, wrong, problem)


def test_a_redefinition_may_be_redefined(tmp_path: Path) -> None:
    middle = f'{OWN}<xs:redefine schemaLocation="base.xsd">{EXTENDED.format("c")}</xs:redefine></xs:schema>'
    main = MAIN.replace("base.xsd", "middle.xsd")
    model = imported(tmp_path, main=main, middle=middle, base=OWN + BASE)
    parse_validated(document("<a>x</a><c/><b/>"), "MRM", model)
    refused(model, document("<a>x</a><b/>"), "t.c is missing")
    refused(model, document("<a>x</a><c/>"), "t.b is missing")


def test_a_document_may_be_included_before_it_is_redefined(tmp_path: Path) -> None:
    main = f"""{OWN}<xs:include schemaLocation="base.xsd"/><xs:include schemaLocation="late.xsd"/>
      <xs:element name="M" type="U"/></xs:schema>"""
    late = MAIN.replace('<xs:element name="M" type="U"/>', "")
    model = imported(tmp_path, main=main, late=late, base=OWN + BASE)
    parse_validated(document("<a>x</a><b/>"), "MRM", model)
    refused(model, document("<a>x</a>"), "t.b is missing")


def test_documents_may_include_each_other(tmp_path: Path) -> None:
    main = MAIN.replace("<xs:redefine", '<xs:include schemaLocation="types.xsd"/><xs:redefine')
    types = f'{OWN}<xs:include schemaLocation="main.xsd"/></xs:schema>'
    model = imported(tmp_path, main=main, types=types, base=OWN + BASE)
    parse_validated(document("<a>x</a><b/>"), "MRM", model)
    refused(model, document("<a>x</a>"), "t.b is missing")


def test_a_document_redefines_once_however_it_is_reached(tmp_path: Path) -> None:
    main = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:m="urn:m">
      <xs:import namespace="urn:m" schemaLocation="outer.xsd"/>
      <xs:import namespace="urn:m" schemaLocation="inner.xsd"/>
      <xs:element name="M" type="m:T"/></xs:schema>"""
    outer = f'{OWN}<xs:include schemaLocation="inner.xsd"/></xs:schema>'
    model = imported(tmp_path, main=main, outer=outer, inner=MAIN, base=OWN + BASE)
    parse_validated(b'<M xmlns:m="urn:m"><m:a>x</m:a><m:b/></M>', "MRM", model)
    refused(model, b'<M xmlns:m="urn:m"><m:a>x</m:a></M>', "b is missing")
    refused(model, b'<M xmlns:m="urn:m"><m:a>x</m:a><m:b/><m:b/></M>', "b")


@pytest.mark.parametrize(
    "inner",
    [
        '<xs:element name="b" type="T" minOccurs="0"/>',
        """<xs:element name="b" minOccurs="0"><xs:complexType><xs:complexContent><xs:extension base="T"/>
        </xs:complexContent></xs:complexType></xs:element>""",
    ],
    ids=["of that type", "derived from it"],
)
def test_an_element_in_a_redefined_type_means_the_new_one(tmp_path: Path, inner: str) -> None:
    main = MAIN.replace('<xs:element name="b"/>', inner)
    model = imported(tmp_path, main=main, base=OWN + BASE)
    parse_validated(document("<a>x</a><b><a>x</a><b><a>x</a></b></b>"), "MRM", model)
    refused(model, document("<a>x</a><b><a>x</a><b><a>y</a></b></b>"), "t.b.b.a is 'y'")


def test_a_group_names_itself_once_where_it_is_redefined(tmp_path: Path) -> None:
    main = MAIN.replace('<xs:group ref="G"/>', '<xs:group ref="G"/><xs:group ref="G"/>')
    with pytest.raises(MQError, match=r"8150.*line.*G is redefined with itself in it more than once"):
        imported(tmp_path, main=main, base=OWN + BASE)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"main": MAIN, "base": OWN + "</xs:schema>"}, "complexType T is redefined, but"),
        ({"main": MAIN, "base": MAIN.replace("base.xsd", "main.xsd")}, "is redefined, but"),
        ({"main": MAIN}, "there is no such file"),
        ({"main": MAIN.replace("base.xsd", "../base.xsd")}, "only documents within the folder"),
    ],
)
def test_a_redefinition_of_nothing_is_refused(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    with pytest.raises(MQError, match=f"8150.*line.*{problem}"):
        imported(tmp_path, **files)


def test_a_text_alone_redefines_nothing() -> None:
    with pytest.raises(MQError, match=r"8150.*a text alone has no folder"):
        import_xsd(MAIN)
