"""Validation of MRM: what is missing, too often, unknown or not among the values of a model."""

from __future__ import annotations

import pytest

from penstock.model.errors import MQError
from penstock.tree.model import (
    Cwf,
    CwfFormat,
    Field,
    Group,
    Model,
    Tds,
    TdsFormat,
    TdsType,
    Type,
    XmlFormat,
    import_copybook,
    import_xsd,
)
from penstock.tree.validated import parse_validated

ORDER = Model(
    "ORDER",
    {
        "O": Type(
            Field("A", "integer", C=Cwf(length=4)),
            Field("B", values=("x", "y"), C=Cwf(length=1), T=Tds()),
            Field("D", min=1, max=2, C=Cwf(length=1), T=Tds()),
            T=TdsType(delimiter=";"),
        )
    },
    {"XML": XmlFormat(), "C": CwfFormat(), "T": TdsFormat()},
)
PRICE = import_xsd(
    """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
    <xs:element name="T"><xs:complexType><xs:simpleContent><xs:extension base="C">
    <xs:attribute name="k" type="xs:integer" use="required"/>
    </xs:extension></xs:simpleContent></xs:complexType></xs:element>
    <xs:simpleType name="C"><xs:restriction base="xs:decimal">
    <xs:enumeration value="1"/><xs:enumeration value="2.50"/>
    </xs:restriction></xs:simpleType></xs:schema>"""
)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<O><A>1</A><B>x</B><D>1</D></O>", ""),
        (b'<O xml:lang="en"><D>1</D><D>2</D><B> y </B><A>1</A></O>', ""),
        (b"<O/>", "A is missing; B is missing; D is missing"),
        (b"<O><A>1</A><B>z</B><D>1</D></O>", "B is 'z', which is none of its values"),
        (b"<O><A>1</A><A>2</A><B>x</B><D>1</D></O>", "A occurs 2 times, at most 1"),
        (b"<O><A>1</A><B>x</B><D>1</D><D>1</D><D>1</D></O>", "D occurs 3 times, at most 2"),
        (b"<O><A>1</A><B>x</B><D>1</D><Z/></O>", "Z is not in the model"),
    ],
)
def test_xml_is_held_against_its_model(data: bytes, problem: str) -> None:
    assert_validated(data, ORDER, problem, message="O", format="XML")


@pytest.mark.parametrize(
    ("data", "format", "problem"),
    [
        (b"1;x;1", "T", ""),
        (b"1;z;1", "T", "B is 'z'"),
        (b";x;1", "T", "A is missing"),
        (b"1;x", "T", "D is missing"),
        (b"\0\0\0\1x11", "C", ""),
        (b"\0\0\0\1z11", "C", "B is 'z'"),
    ],
)
def test_text_and_records_are_held_against_their_model(data: bytes, format: str, problem: str) -> None:
    assert_validated(data, ORDER, problem, message="O", format=format)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'<T k="1">1.0</T>', ""),
        (b'<T k="1">2.5</T>', ""),
        (b"<T>1</T>", "k is missing"),
        (b'<T k="1">9</T>', "the message is '9', which is none of its values"),
    ],
)
def test_schemas_list_attributes_and_values(data: bytes, problem: str) -> None:
    assert_validated(data, PRICE, problem)


ENUMERATED = """<xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="x"/>
    <xs:enumeration value="y"/></xs:restriction></xs:simpleType>"""
CONTENT = """<xs:complexType name="C"><xs:simpleContent><xs:extension base="xs:string"><xs:attribute name="k">
    {}</xs:attribute></xs:extension></xs:simpleContent></xs:complexType>"""


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        (
            "<xs:union>{}<xs:simpleType><xs:restriction base='xs:string'/></xs:simpleType></xs:union>",
            "free",
            "",
        ),
        ("<xs:list>{}</xs:list>", "x y", ""),
        ("<xs:restriction>{}<xs:maxLength value='4'/></xs:restriction>", "y", ""),
        ("<xs:restriction>{}<xs:maxLength value='4'/></xs:restriction>", "z", "a is 'z'"),
        (CONTENT, "free", ""),
    ],
    ids=["union", "list", "restriction", "not in the restriction", "of an attribute"],
)
def test_only_what_a_restriction_lists_is_held_against_a_value(kind: str, text: str, problem: str) -> None:
    declared = kind if kind is CONTENT else f'<xs:simpleType name="C">{kind}</xs:simpleType>'
    model = import_xsd(
        f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="T"><xs:complexType>
        <xs:sequence><xs:element name="a" type="C"/></xs:sequence></xs:complexType></xs:element>
        {declared.format(ENUMERATED)}</xs:schema>"""
    )
    assert_validated(f"<T><a>{text}</a></T>".encode(), model, problem)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"<M><L><A>1</A></L></M>", ""),
        (b"<M><L><B>1</B><B>1</B></L><L><A>1</A></L><N>1</N><S>1</S><N>1</N><S>1</S></M>", ""),
        (b"<M><L><A>1</A><A>1</A></L></M>", "L.A occurs 2 times, at most 1"),
        (b"<M><L><B>1</B><C>1</C></L></M>", "L.C is not in the model"),
        (b"<M/>", "L is missing"),
    ],
)
def test_groups_choices_and_defaults_count(data: bytes, problem: str) -> None:
    line = Type(Group(Field("A"), Field("B", max=2), compose="choice"))
    rest = Group(Field("N"), Field("S"), min=0, max=None)
    model = Model(
        "M", {"M": Type(Field("L", line, max=None), Field("F", default="f"), rest)}, {"XML": XmlFormat()}
    )
    assert_validated(data, model, problem)


def test_ranges_of_a_copybook() -> None:
    model = import_copybook(
        """       01 REC.
          05 AGE PIC 9(2).
             88 YOUNG VALUE 1 THRU 20.
             88 OLD VALUE 70.
          05 FILLER PIC X(2).
          05 NAME PIC X(3).
"""
    )
    for age in (b"07", b"20", b"70"):
        assert_validated(age + b"  ABC", model, "", ccsid=819)
    assert_validated(b"21  ABC", model, "AGE is '21'", ccsid=819)


def test_a_model_that_lacks_parts_of_its_schema_takes_unknown_fields() -> None:
    model = import_xsd(
        """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
        <xs:element name="T"><xs:complexType><xs:sequence>
        <xs:element name="a" type="xs:string"/><xs:any/></xs:sequence>
        </xs:complexType></xs:element></xs:schema>"""
    )
    assert_validated(b"<T><a>1</a><z/></T>", model, "")
    assert_validated(b"<T><z/></T>", model, "a is missing")


def assert_validated(data: bytes, model: Model, problem: str, **about: object) -> None:
    if not problem:
        assert parse_validated(data, "MRM", model, **about).body is not None
        return
    with pytest.raises(MQError) as raised:
        parse_validated(data, "MRM", model, **about)
    assert raised.value.reason == 8152
    assert problem in raised.value.detail
