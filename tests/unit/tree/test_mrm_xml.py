"""MRM XML: documents by a model, with its renderings, types and namespaces."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from penstock import MQError, tree
from penstock.tree.model import Field, Group, Model, Type, Value, Xml, XmlFormat

LINE = Type(Field("Code", X=Xml("attribute", "code")), Field("Price", "decimal"), Field("Note", min=0))
ORDER = Type(
    Field("Id", "integer", X=Xml("attribute")),
    Field("Day", "date"),
    Field("Line", LINE, min=0, max=None, X=Xml(name="line-item")),
    Group(Field("Card"), Field("Cash", "boolean"), compose="choice"),
)
MODEL = Model("M", {"Order": ORDER}, {"X": XmlFormat()})
DATA = (
    b'<Order Id="7"><Day>2026-01-31</Day><line-item code="a&quot;b">'
    b"<Price>1.50</Price><Note>x &lt; y</Note></line-item>"
    b'<line-item code="c"><Price>2</Price></line-item><Cash>true</Cash></Order>'
)


def parsed(data: bytes, model: Model = MODEL) -> tree.Message:
    return tree.parse(data, domain="MRM", model=model, timing="complete")


def test_fields_have_the_names_and_types_of_the_model() -> None:
    message = parsed(DATA)
    get = message.get
    assert get(tree.Path("MRM", "Id")) == 7
    assert get(tree.Path("MRM", "Day")) == dt.date(2026, 1, 31)
    assert get(tree.Path("MRM", ("Line", 1), "Code")) == 'a"b'
    assert get(tree.Path("MRM", ("Line", 1), "Price")) == Decimal("1.50")
    assert get(tree.Path("MRM", ("Line", 1), "Note")) == "x < y"
    assert get(tree.Path("MRM", ("Line", 2), "Price")) == 2
    assert get(tree.Path("MRM", "Cash")) is True
    assert get(tree.Path("MRM", "Card")) is tree.MISSING
    assert message.cardinality(tree.Path("MRM", "Line")) == 2


def test_changes_are_written_with_renderings() -> None:
    message = parsed(DATA)
    message.set(tree.Path("MRM", "Id"), 8)
    assert message.serialise() == DATA.replace(b'"7"', b'"8"')
    message.set(tree.Path("MRM", ("Line", 2), "Code"), "<&>")
    message.set(tree.Path("MRM", ("Line", 2), "Price"), Decimal("3.25"))
    text = message.serialise()
    assert b'<line-item code="&lt;&amp;>"><Price>3.25</Price></line-item>' in text
    assert parsed(text).get(tree.Path("MRM", ("Line", 2), "Code")) == "<&>"


def test_renderings_with_ids_and_values_in_attributes() -> None:
    model = Model(
        "M",
        {
            "R": Type(
                Field("A", X=Xml("element attribute id", "f", id_value="1")),
                Field("B", "integer", X=Xml("element attribute value", "b", value_name="val")),
                Field("C", X=Xml("element attribute id value", "c", id_name="no", id_value="3")),
            )
        },
        {"X": XmlFormat(root="r")},
    )
    data = b'<r><f id="1">x</f><b val="5"/><c no="3" value="y"/></r>'
    message = parsed(data, model)
    assert [field.value for field in message.body or ()] == ["x", 5, "y"]
    message.body_as("MRM", model)
    assert message.serialise() == data


def test_namespaces_are_declared_on_the_root() -> None:
    fields = (Field("A", "integer"), Field("B", min=0, X=Xml("attribute", namespace="urn:b")))
    one = Model("M", {"R": Type(fields[0])}, {"X": XmlFormat()}, namespace="urn:a")
    message = parsed(b'<p:R xmlns:p="urn:a"><p:A>1</p:A></p:R>', one)
    assert message.get(tree.Path("MRM", "A")) == 1
    message.set(tree.Path("MRM", "A"), 2)
    assert message.serialise() == b'<R xmlns="urn:a"><A>2</A></R>'
    two = Model("M", {"R": Type(*fields)}, {"X": XmlFormat()}, namespace="urn:a")
    message = parsed(b'<R xmlns="urn:a" xmlns:q="urn:b" q:B="x"><A>1</A></R>', two)
    message.set(tree.Path("MRM", "A"), 2)
    assert message.serialise() == (
        b'<NS1:R xmlns:NS1="urn:a" xmlns:NS2="urn:b" NS2:B="x"><NS1:A>2</NS1:A></NS1:R>'
    )


def test_null_is_nil() -> None:
    message = parsed(DATA)
    message.set(tree.Path("MRM", "Day"), None)
    text = message.serialise()
    assert b'xsi:nil="true"/>' in text
    assert parsed(text).get(tree.Path("MRM", "Day")) is None


def test_fields_that_the_model_does_not_know_stay() -> None:
    data = b"<Order><Extra><Inner>1</Inner><Inner>2</Inner></Extra></Order>"
    message = parsed(data)
    assert message.get(tree.Path("MRM", "Extra", ("Inner", 2))) == "2"
    message.body_as("MRM", MODEL)
    assert message.serialise() == data


def test_declaration_and_other_character_sets() -> None:
    model = Model("M", {"R": Type(Field("A"))}, {"X": XmlFormat(declaration=True)})
    message = tree.Message()
    message.body_as("MRM", model)
    message.set(tree.Path("MRM", "A"), "ä")
    assert message.serialise() == '<?xml version="1.0" encoding="UTF-8"?><R><A>ä</A></R>'.encode()
    source = '<?xml version="1.0" encoding="ISO-8859-1"?><R><A>ä</A></R>'.encode("latin-1")
    assert parsed(source, model).get(tree.Path("MRM", "A")) == "ä"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<Other/>", 8101),
        (b"<Order><Day>soon</Day></Order>", 8151),
        (b"<Order>", 8101),
        (b"", 8101),
        (b'<Order Id="x"/>', 8151),
    ],
)
def test_bad_documents_are_refused(data: bytes, reason: int) -> None:
    with pytest.raises(MQError) as caught:
        parsed(data)
    assert caught.value.reason == reason


def test_a_field_that_moves_to_xml_has_the_names_and_values_of_the_model() -> None:
    price = Type(Value("decimal"), Field("Net", "decimal"))
    item = Type(Field("Name", X=Xml(name="nm")), Field("Count", "integer"))
    order = Type(Field("Item", item, X=Xml(name="it", namespace="urn:x")), Field("Price", price, min=0))
    model = Model("M", {"Order": order}, {"X": XmlFormat()})
    document = (
        b'<Order xmlns:p="urn:x"><p:it><nm>a</nm><Count>007</Count></p:it><Price><Net>1</Net></Price></Order>'
    )
    message = tree.parse(document, domain="MRM", model=model)
    item_field, price_field = message.reference(tree.Path("MRM"))
    root = message.create(tree.Path("XMLNSC", "root"))
    root.attach_last_child(item_field)
    price_field.detach()
    root.attach_last_child(price_field)
    message.delete(tree.Path("MRM"))
    assert message.serialise() == (
        b"<root><Item><Name>a</Name><Count>7</Count></Item><Price><Net>1</Net></Price></root>"
    )


def test_null_for_an_element_with_fields_stays() -> None:
    kind = Type(Field("P", Type(Field("a", min=0))), Field("b"))
    model = Model("M", {"M": kind}, {"XML": XmlFormat()})
    nil = b'<P xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'
    message = tree.parse(b"<M>" + nil + b"<b>1</b></M>", domain="MRM", model=model)
    message.set(tree.Path("MRM", "b"), "2")
    assert message.get(tree.Path("MRM", "P")) is None
    assert message.serialise() == b"<M>" + nil + b"<b>2</b></M>"
    message.set(tree.Path("MRM", "P", "a"), "3")
    assert message.serialise() == b"<M><P><a>3</a></P><b>2</b></M>"


def test_a_message_may_be_null_itself() -> None:
    model = Model("M", {"M": Type(Field("k", XML=Xml("attribute")), Field("a"))}, {"XML": XmlFormat()})
    nil = b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'
    message = tree.parse(b'<M k="1"' + nil, domain="MRM", model=model)
    message.set(tree.Path("MRM", "k"), "2")
    assert message.serialise() == b'<M k="2"' + nil


def test_an_attribute_is_written_once() -> None:
    model = Model("M", {"M": Type(Field("a", max=None, XML=Xml("attribute")))}, {"XML": XmlFormat()})
    message = tree.parse(b'<M a="1"/>', domain="MRM", model=model)
    body = message.body
    assert body is not None
    body.add_last_child("a", "2")
    with pytest.raises(MQError, match=r"8130.*field a is an attribute"):
        message.serialise()
