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
from penstock.tree.model.order import Order
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
        (b'<O xml:lang="en"><A>1</A><B> y </B><D>1</D><D>2</D></O>', ""),
        (b"<O><D>1</D><D>2</D><B>y</B><A>1</A></O>", "B follows D, but precedes it in the model"),
        (b"<O/>", "A is missing; B is missing; D is missing"),
        (b"<O><A>1</A><B>z</B><D>1</D></O>", "B is 'z', which is not one of its values"),
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
        (b'<T k="1">9</T>', "the message is '9', which is not one of its values"),
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


NESTED = Model(
    "N",
    {
        "N": Type(
            Field("H"),
            Group(Field("A"), Group(Field("B"), Field("C")), compose="choice"),
            Group(Field("X"), Field("Y"), Field("Z", min=0), min=0, max=5),
            Field("A", min=0),
            Group(Field("P"), Field("Q"), min=0, compose="all"),
        )
    },
    {"XML": XmlFormat()},
)


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("HA", ""),
        ("HBC", ""),
        ("HAXYXYZXY", ""),
        ("HAA", ""),
        ("HBCXYAPQ", ""),
        ("HBCQP", ""),
        ("HBCU", "U is not in the model"),
        ("H", "none of A, B, C is there"),
        ("HXY", "none of A, B, C is there"),
        ("HB", "C is missing in a group"),
        ("HC", "B is missing in a group"),
        ("HABC", "A and B are alternatives, but both are there"),
        ("AH", "H follows A, but precedes it in the model"),
        ("HAPXY", "X follows P, but precedes it in the model"),
        ("HAX", "Y is missing in a group"),
        ("HAYXY", "X is missing in a group"),
        ("HAXYZYXY", "X is missing in a group"),
        ("HAXXYY", "Y is missing in a group"),
        ("HAXYZZ", "X is missing in a group"),
        ("HAXYXYP", ""),
    ],
)
def test_fields_stand_in_their_order_and_choices_are_made(names: str, problem: str) -> None:
    inside = "".join(f"<{name}>1</{name}>" for name in names)
    assert_validated(f"<N>{inside}</N>".encode(), NESTED, problem)


def test_the_order_of_tagged_text_counts() -> None:
    kind = TdsType(separation="tagged delimited", delimiter=";", tag_data_separator="=")
    fields = (Field("A", T=Tds(tag="A")), Field("B", T=Tds(tag="B")))
    for compose, problem in (("sequence", "A follows B"), ("all", "")):
        model = Model("T", {"T": Type(*fields, compose=compose, T=kind)}, {"T": TdsFormat()})
        assert_validated(b"A=1;B=2", model, "")
        assert_validated(b"B=1;A=2", model, problem)


def test_attributes_have_no_order() -> None:
    model = import_xsd(
        """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="T"><xs:complexType>
        <xs:sequence><xs:element name="a"/><xs:element name="b"/></xs:sequence>
        <xs:attribute name="k" use="required"/><xs:attribute name="l"/></xs:complexType></xs:element>
        </xs:schema>"""
    )
    assert_validated(b'<T l="1" k="1"><a/><b/></T>', model, "")
    assert_validated(b'<T k="1"><b/><a/></T>', model, "a follows b")


def test_a_type_that_is_a_choice_has_one_of_its_fields() -> None:
    model = Model("C", {"C": Type(Field("A"), Field("B", max=2), compose="choice")}, {"XML": XmlFormat()})
    assert_validated(b"<C><B>1</B><B>1</B></C>", model, "")
    assert_validated(b"<C/>", model, "none of A, B is there")
    assert_validated(b"<C><B>1</B><A>1</A></C>", model, "alternatives")


NIL = b'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil='


@pytest.mark.parametrize(
    ("data", "nillable", "problem"),
    [
        (b"<T><P><a>1</a></P></T>", "true", ""),
        (b"<T><P %s'true'/></T>" % NIL, "true", ""),
        (b"<T><P %s'1'></P></T>" % NIL, "true", ""),
        (b"<T><P %s'false'><a>1</a></P></T>" % NIL, "false", ""),
        (b"<T><P %s'true'/></T>" % NIL, "false", "P is NULL, which the model does not allow"),
        (b"<T><P %s'true'><a>1</a></P></T>" % NIL, "true", "P is NULL, but holds fields"),
        (b"<T><P %s'false'/></T>" % NIL, "true", "P.a is missing"),
        (b"<T><P/></T>", "true", "P.a is missing"),
    ],
)
def test_an_element_with_fields_may_be_null(data: bytes, nillable: str, problem: str) -> None:
    model = import_xsd(
        f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="T"><xs:complexType>
        <xs:sequence><xs:element name="P" nillable="{nillable}"><xs:complexType><xs:sequence>
        <xs:element name="a"/></xs:sequence></xs:complexType></xs:element></xs:sequence></xs:complexType>
        </xs:element></xs:schema>"""
    )
    assert_validated(data, model, problem)


@pytest.mark.parametrize(
    ("data", "nillable", "problem"),
    [
        (b"<T %s'true' k='1'/>" % NIL, "true", ""),
        (b"<T %s'true'/>" % NIL, "true", "k is missing"),
        (b"<T %s'true' k='2'/>" % NIL, "true", "k is '2'"),
        (b"<T %s'true' k='1' l='1'/>" % NIL, "true", "l is not in the model"),
        (b"<T %s'true' k='1'><a>1</a></T>" % NIL, "true", "the message is NULL, but holds fields"),
        (b"<T %s'true' k='1'/>" % NIL, "false", "the message is NULL, which the model does not allow"),
        (b"<T k='1'/>", "true", "a is missing"),
    ],
)
def test_what_is_null_has_its_attributes_and_may_be_the_root(
    data: bytes, nillable: str, problem: str
) -> None:
    model = import_xsd(
        f"""<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="T" nillable="{nillable}">
        <xs:complexType><xs:sequence><xs:element name="a"/></xs:sequence>
        <xs:attribute name="k" use="required"><xs:simpleType><xs:restriction base="xs:string">
        <xs:enumeration value="1"/></xs:restriction></xs:simpleType></xs:attribute></xs:complexType>
        </xs:element></xs:schema>"""
    )
    assert_validated(data, model, problem)


def test_what_has_the_name_of_a_field_in_another_namespace_has_no_order() -> None:
    model = import_xsd(
        """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:m"
        elementFormDefault="qualified"><xs:element name="T"><xs:complexType><xs:sequence>
        <xs:element name="a"/><xs:element name="b"/><xs:any namespace="##other"/></xs:sequence>
        </xs:complexType></xs:element></xs:schema>"""
    )
    start = b'<T xmlns="urn:m" xmlns:x="urn:x">'
    assert_validated(start + b"<a>1</a><b>1</b><x:a>1</x:a></T>", model, "")
    assert_validated(start + b"<b>1</b><x:a>1</x:a></T>", model, "a is missing")
    assert_validated(start + b"<b>1</b><a>1</a><x:a>1</x:a></T>", model, "a follows b")


def test_a_group_may_be_a_member_twice() -> None:
    group = Group(Field("A"), Field("B"))
    model = Model("T", {"T": Type(group, Field("C"), group)}, {"XML": XmlFormat()})
    pair, between = b"<A>1</A><B>1</B>", b"<C>1</C>"
    assert_validated(b"<T>" + pair + between + pair + b"</T>", model, "")
    assert_validated(b"<T>" + pair + pair + between + b"</T>", model, "C follows B")


def test_what_is_remembered_of_orders_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.tree.model.order.STEPS_MAX", 5)
    names = [f"F{at}" for at in range(20)]
    kind = Type(*(Field(name, min=0) for name in names))
    order = Order(kind)
    for _ in range(2):
        assert not order.problem(names, is_open=False)
        assert order.problem(reversed(names), is_open=False).startswith("F18 follows F19")
        assert len(order.steps) <= 5


def test_an_open_type_takes_what_it_does_not_have() -> None:
    for is_open, problem in ((True, ""), (False, "Z is not in the model")):
        model = Model("T", {"T": Type(Field("A"), open=is_open)}, {"XML": XmlFormat()})
        assert_validated(b"<T><A>1</A><Z>2</Z></T>", model, problem)


def test_very_many_children_are_held_against_the_order() -> None:
    group = Group(Field("A"), Field("B"), min=0, max=None)
    model = Model("T", {"T": Type(group, Field("E"))}, {"XML": XmlFormat()})
    many = b"<A>1</A><B>1</B>" * 50_000
    assert_validated(b"<T>" + many + b"<E>1</E></T>", model, "")
    assert_validated(b"<T>" + many + b"<B>1</B><E>1</E></T>", model, "A is missing in a group")


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
