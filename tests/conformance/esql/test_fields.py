"""Functions of fields; BIT and INTERVAL in a tree."""

from __future__ import annotations

import pytest

from penstock import tree
from penstock.esql.runtime.trees import fields
from penstock.esql.runtime.values.interval import parse_interval
from penstock.esql.runtime.values.types import Bits
from penstock.model.errors import MQError
from tests.conformance.esql.evaluate import Stand

BODY = b'<o xmlns="urn:a"><t id="1">5</t><t/></o>'


def order(path: tree.Path) -> tree.Reference | None:
    return tree.parse(BODY, domain="XMLNSC").reference(path)


def test_names_types_and_values() -> None:
    field = order(tree.Path("XMLNSC", "{urn:a}o", "{urn:a}t"))
    attribute = order(tree.Path("XMLNSC", "{urn:a}o", "{urn:a}t", "@id"))

    assert fields.fieldname(field) == "t"
    assert fields.fieldnamespace(field) == "urn:a"
    assert fields.fieldnamespace(attribute) == ""
    assert fields.fieldvalue(field) == "5"
    assert fields.fieldvalue(attribute) == "1"
    assert fields.fieldtype(attribute) == tree.XMLNSC_TYPES["Attribute"]


def test_of_no_field_everything_is_null() -> None:
    assert fields.fieldname(None) is None
    assert fields.fieldnamespace(None) is None
    assert fields.fieldtype(None) is None
    assert fields.fieldvalue(None) is None
    assert fields.asbitstream(Stand(), None) is None


def test_samefield() -> None:
    message = tree.parse(BODY, domain="XMLNSC")
    path = tree.Path("XMLNSC", "{urn:a}o", "{urn:a}t")
    one, same = message.reference(path), message.reference(path)
    other = message.reference(tree.Path("XMLNSC", "{urn:a}o", ("{urn:a}t", 2)))

    assert fields.samefield(one, same)
    assert not fields.samefield(one, other)
    assert not fields.samefield(None, None)


def test_a_folder_becomes_bytes_and_bytes_a_folder() -> None:
    message = tree.parse(b"<a><b>1</b></a>", domain="XMLNSC")
    folder = message.reference(tree.Path("XMLNSC"))
    data = fields.asbitstream(Stand(), folder, None, None, 1208)
    environment = tree.Message()
    target = environment.create(tree.Path("Variables", "XMLNSC"))

    fields.parse_into(Stand(), target, data, "XMLNSC", None, None, 1208)

    assert data == b"<a><b>1</b></a>"
    assert environment.get(tree.Path("Variables", "XMLNSC", "a", "b")) == "1"
    assert fields.bitstream(Stand(), target) == data


def test_parse_refuses_what_is_no_blob() -> None:
    with pytest.raises(MQError):
        fields.parse_into(Stand(), tree.Message().create(tree.Path("x")), "text", "XMLNSC")


def test_a_tree_keeps_bits_and_intervals() -> None:
    message = tree.parse(b"<a/>", domain="XMLNSC")
    bits, span = tree.Path("XMLNSC", "a", "bits"), tree.Path("XMLNSC", "a", "span")

    message.set(bits, Bits("0101"))
    message.set(span, parse_interval("90", ("MINUTE",)))

    assert message.get(bits) == Bits("0101")
    assert message.get(span) == parse_interval("90", ("MINUTE",))
    assert message.serialise() == b"<a><bits>B'0101'</bits><span>INTERVAL '90' MINUTE</span></a>"
