"""Text with attributes: elements that have a value of their own beside their fields."""

from decimal import Decimal

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree.convert import convert
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
    Value,
    Xml,
    XmlFormat,
    import_xsd,
    read_model,
)

SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:a" targetNamespace="urn:a"
    elementFormDefault="qualified">
  <xs:simpleType name="Currency"><xs:restriction base="xs:string">
    <xs:enumeration value="EUR"/><xs:enumeration value="USD"/></xs:restriction></xs:simpleType>
  <xs:complexType name="Amount"><xs:simpleContent><xs:extension base="xs:decimal">
    <xs:attribute name="ccy" type="Currency" use="required"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="Small"><xs:simpleContent><xs:restriction base="Amount">
    <xs:maxInclusive value="100"/></xs:restriction></xs:simpleContent></xs:complexType>
  <xs:complexType name="Noted"><xs:simpleContent><xs:extension base="Small">
    <xs:attribute name="note" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
  <xs:element name="Total" type="Noted"/>
  <xs:element name="Order"><xs:complexType><xs:sequence>
    <xs:element name="Price" type="Small" maxOccurs="unbounded"/><xs:element ref="Total" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>"""
PRICE = tree.Path("MRM", "Price")
CURRENCY = tree.Path("MRM", "Price", "currency")


def shop() -> Model:
    """Return a model whose prices have a currency, in all three formats."""
    price = Type(
        Value("decimal", HOST=Cwf(length=4, scale=2), TEXT=Tds()),
        Field("currency", XML=Xml("attribute"), HOST=Cwf(length=3), TEXT=Tds()),
        TEXT=TdsType(delimiter=","),
    )
    order = Type(Field("Price", price, max=2), TEXT=TdsType(delimiter=";"))
    formats = {"XML": XmlFormat(), "HOST": CwfFormat(ccsid=37), "TEXT": TdsFormat()}
    return Model("SHOP", {"Order": order}, formats)


def parsed(data: bytes, message: str) -> tree.Message:
    return tree.parse(data, domain="MRM", model=import_xsd(SCHEMA), message=message)


def test_an_imported_type_has_its_text_as_value_and_its_attributes_as_fields() -> None:
    message = parsed(
        b'<Order xmlns="urn:a"><Price ccy="EUR">12.50</Price><Total ccy="USD" note="n">7</Total></Order>',
        "Order",
    )
    assert message.get(PRICE) == Decimal("12.50")
    assert message.get(tree.Path("MRM", "Price", "ccy")) == "EUR"
    assert message.get(tree.Path("MRM", "Total")) == 7
    assert [(each.name, each.value) for each in message.reference(tree.Path("MRM", "Total"))] == [
        ("ccy", "USD"),
        ("note", "n"),
    ]


def test_enumerations_and_attributes_of_bases_are_inherited() -> None:
    total = import_xsd(SCHEMA).messages["Total"]
    value, ccy, note = total.members
    assert isinstance(value, Value)
    assert value.type == "decimal"
    assert isinstance(ccy, Field)
    assert (ccy.name, ccy.values, ccy.min) == ("ccy", ("EUR", "USD"), 1)
    assert isinstance(note, Field)
    assert (note.name, note.min) == ("note", 0)


def test_what_nobody_changed_of_a_value_is_written_as_it_came() -> None:
    message = parsed(b'<Order xmlns="urn:a"><Price ccy="EUR">  1.50 </Price></Order>', "Order")
    message.set(tree.Path("MRM", "Price", "ccy"), "USD")
    assert message.serialise() == b'<Order xmlns="urn:a"><Price ccy="USD">  1.50 </Price></Order>'


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b">1<!-- and -->2<", Decimal(12)),
        (b"><![CDATA[7]]><", Decimal(7)),
        (b">&#49;<", Decimal(1)),
        (b"><", None),
        (b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"><', None),
    ],
)
def test_every_way_to_write_the_text(content: bytes, value: object) -> None:
    message = parsed(b'<Order xmlns="urn:a"><Price ccy="EUR"' + content + b"/Price></Order>", "Order")
    assert message.get(PRICE) == value
    assert [(each.name, each.value) for each in message.reference(PRICE)] == [("ccy", "EUR")]


def test_null_is_written_as_nil_beside_the_attributes() -> None:
    message = parsed(b'<Order xmlns="urn:a"><Price ccy="EUR">1</Price></Order>', "Order")
    message.reference(PRICE).value = None
    again = parsed(message.serialise(), "Order")
    assert b'<Price ccy="EUR" xmlns:xsi=' in message.serialise()
    assert again.get(PRICE) is None
    assert again.get(tree.Path("MRM", "Price", "ccy")) == "EUR"


def test_the_root_of_a_message_may_have_a_value() -> None:
    message = parsed(b'<Total xmlns="urn:a" ccy="EUR" note="&lt;">5.0</Total>', "Total")
    assert message.body is not None
    assert message.body.value == 5
    assert message.copy().serialise() == b'<Total xmlns="urn:a" ccy="EUR" note="&lt;">5.0</Total>'
    message.body.value = 6
    assert message.serialise() == b'<Total xmlns="urn:a" ccy="EUR" note="&lt;">6</Total>'


HOST_PRICE = Model(
    "SHOP",
    {"Price": Type(Value("decimal", HOST=Cwf(length=4, scale=2)), Field("currency", HOST=Cwf(length=3)))},
    {"HOST": CwfFormat(ccsid=37)},
)
RECORD = bytes.fromhex("0000150c") + "EUR".encode("cp037")


def test_a_root_that_fails_to_parse_keeps_no_value() -> None:
    message = tree.parse(RECORD[:-1], domain="MRM", model=HOST_PRICE)  # the value is whole, the field is not
    for _ in range(2):
        with pytest.raises(MQError, match="currency takes 3 bytes, but 2 are left"):
            _ = message.body and message.body.value


@pytest.mark.parametrize("how", ["body", "reference"])
def test_a_value_given_to_a_root_that_nobody_read_stays(how: str) -> None:
    total = parsed(b'<Total xmlns="urn:a" ccy="EUR">5.0</Total>', "Total")
    price = tree.parse(RECORD, domain="MRM", model=HOST_PRICE)
    for message in (total, price):
        root = message.body if how == "body" else message.reference(tree.Path("MRM"))
        assert root is not None
        root.value = 6
        assert message.get(tree.Path("MRM")) == 6
    assert total.serialise() == b'<Total xmlns="urn:a" ccy="EUR">6</Total>'
    assert price.serialise() == bytes.fromhex("0000600c") + RECORD[4:]


@pytest.mark.parametrize("first", ["XML", "HOST", "TEXT"])
@pytest.mark.parametrize("second", ["XML", "HOST", "TEXT"])
def test_values_travel_between_the_formats_of_a_model(first: str, second: str) -> None:
    model = shop()
    document = b'<Order><Price currency="EUR">12.50</Price><Price currency="USD">1.00</Price></Order>'
    source = tree.parse(document, domain="MRM", model=model, format="XML")
    between = convert(source, "MRM", model, format=first).serialise()
    there = convert(tree.parse(between, domain="MRM", model=model, format=first), "MRM", model, format=second)
    back = tree.parse(there.serialise(), domain="MRM", model=model, format=second)
    assert convert(back, "MRM", model, format="XML").serialise() == document


def test_the_value_stands_before_the_fields_in_records_and_text() -> None:
    model = shop()
    message = tree.parse(b"1.5,EUR;2,USD", domain="MRM", model=model, format="TEXT")
    assert (message.get(PRICE), message.get(CURRENCY)) == (Decimal("1.5"), "EUR")
    record = convert(message, "MRM", model, format="HOST").serialise()
    assert record == bytes.fromhex("0000150c") + "EUR".encode("cp037") + bytes.fromhex(
        "0000200c"
    ) + "USD".encode("cp037")
    message.set(CURRENCY, "CHF")
    assert message.serialise() == b"1.5,CHF;2,USD"


def test_a_record_whose_value_is_missing_is_refused() -> None:
    message = tree.parse(b'<Order><Price currency="EUR"/></Order>', domain="MRM", model=shop(), format="XML")
    assert message.get(PRICE) is None
    with pytest.raises(MQError, match=r"\(value\)"):
        convert(message, "MRM", shop(), format="HOST").serialise()


def test_yaml_says_a_value_among_the_fields() -> None:
    model = read_model(
        """
        formats: {XML: {kind: XML}}
        types: {Price: {fields: [{value: decimal}, {name: ccy, XML: {render: attribute}}]}}
        messages: {Order: {fields: [{name: Price, type: Price}]}}
        """
    )
    message = tree.parse(b'<Order><Price ccy="EUR">3</Price></Order>', domain="MRM", model=model)
    assert message.get(PRICE) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Group(Value()),
        lambda: Type(Field("A"), Value()),
        lambda: Type(Value(), Value()),
        lambda: Type(Value(), Field("A"), compose="choice"),
        lambda: Value("amount"),
    ],
)
def test_a_value_elsewhere_is_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(MQError, match="8150"):
        wrong()
