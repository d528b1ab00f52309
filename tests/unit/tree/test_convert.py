"""One logical message in every format: conversion between any two, and models in YAML."""

from __future__ import annotations

import itertools
import json
from decimal import Decimal
from typing import Any

import pytest
from typer.testing import CliRunner

from penstock import MQError, tree
from penstock.cli.main import application
from penstock.tree.convert import convert
from penstock.tree.model import Model, read_model

MODEL = """
model: SHOP
formats:
  CWF1: {kind: CWF, ccsid: 37, encoding: 785}
  TDS1: {kind: TDS}
  XML1: {kind: XML, root: order}
types:
  Line:
    TDS1: {separation: all elements delimited, delimiter: ","}
    fields:
      - {name: Code, CWF1: {length: 4}}
      - {name: Price, type: decimal, CWF1: {length: 3, scale: 2}}
messages:
  Order:
    TDS1: {separation: tagged delimited, delimiter: "<LF>", tag_data_separator: "="}
    fields:
      - {name: Id, type: integer, CWF1: {length: 2}, TDS1: {tag: ID}, XML1: {render: attribute, name: id}}
      - {name: Count, type: integer, CWF1: {physical: external, length: 2}, TDS1: {tag: N}}
      - {name: Line, type: Line, min: 0, max: 9, CWF1: {repeat_from: Count}, TDS1: {tag: LINE}}
      - {name: Paid, type: boolean, TDS1: {tag: PAID}}
"""
FORMS: dict[str, bytes] = {
    "CWF1": b"\x00\x07" + "02".encode("cp037") + "ab  ".encode("cp037") + b"\x00\x15\x0c"
    + "c   ".encode("cp037") + b"\x00\x20\x0d" + b"\x01",
    "TDS1": b"ID=7\nN=2\nLINE=ab,1.50\nLINE=c,-2.00\nPAID=true",
    "XML1": b'<order id="7"><Count>2</Count><Line><Code>ab</Code><Price>1.50</Price></Line>'
    b"<Line><Code>c</Code><Price>-2.00</Price></Line><Paid>true</Paid></order>",
}  # fmt: skip
GENERIC = (
    b"<Order><Id>7</Id><Count>2</Count><Line><Code>ab</Code><Price>1.50</Price></Line>"
    b"<Line><Code>c</Code><Price>-2.00</Price></Line><Paid>true</Paid></Order>"
)


@pytest.fixture(scope="module")
def model() -> Model:
    return read_model(MODEL)


def parsed(model: Model, form: str) -> tree.Message:
    if form == "XMLNSC":
        return tree.parse(GENERIC, domain="XMLNSC")
    return tree.parse(FORMS[form], domain="MRM", model=model, format=form)


@pytest.mark.parametrize(("source", "target"), [*itertools.product([*FORMS, "XMLNSC"], repeat=2)])
def test_every_format_becomes_every_other(model: Model, source: str, target: str) -> None:
    message = parsed(model, source)
    if target == "XMLNSC":
        assert convert(message, "XMLNSC", root="Order").serialise() == GENERIC
    else:
        assert convert(message, "MRM", model, format=target).serialise() == FORMS[target]


def test_a_message_changes_its_format_in_place(model: Model) -> None:
    message = parsed(model, "CWF1")
    message.set(tree.Path("MRM", "Id"), 8)
    message.body_as("MRM", model, format="TDS1")
    assert message.serialise() == FORMS["TDS1"].replace(b"=7", b"=8")
    assert message.get(tree.Path("MRM", ("Line", 2), "Price")) == Decimal("-2.00")


def test_models_and_json(model: Model) -> None:
    text = convert(parsed(model, "TDS1"), "JSON").serialise()
    assert json.loads(text)["Id"] == 7
    with pytest.raises(MQError, match="no fields to convert"):
        convert(tree.parse(b"x", domain="BLOB"), "JSON")


@pytest.mark.parametrize(
    "text",
    [
        "", "- 1", "{", "messages: {A: {fields: [1]}}", "messages: {A: {}}", "messages: {A: Nothing}",
        "formats: {X: {kind: EDI}}\nmessages: {}", "formats: {X: {kind: CWF, size: 1}}\nmessages: {}",
        "formats: {X: {kind: CWF}}\nmessages: {A: {fields: [{name: F, Y: {}}]}}",
        "formats: {X: {kind: CWF}}\nmessages: {A: {fields: [{name: F, X: {lenght: 1}}]}}",
        "types: {T: T}\nmessages: {A: T}", "messages: !!python/object/apply:os.getcwd []",
    ],
)  # fmt: skip
def test_yaml_that_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(MQError) as caught:
        read_model(text)
    assert caught.value.reason == 8150


def run(*arguments: Any) -> bytes:
    result = CliRunner().invoke(application(), [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


def test_parse_and_convert_on_the_command_line(tmp_path: Any) -> None:
    (tmp_path / "shop.yaml").write_text(MODEL)
    (tmp_path / "order.bin").write_bytes(FORMS["CWF1"])
    about = (tmp_path / "order.bin", "--domain", "MRM", "--model", tmp_path / "shop.yaml", "--format", "CWF1")
    shown = run("parse", *about).decode()
    assert "Price = '1.50' (DECIMAL)" in shown
    folders = json.loads(run("parse", *about, "--json"))
    assert folders[0]["children"][0] == {
        "name": "Id", "type": "0x03000000", "value": 7, "value_type": "INTEGER",
    }  # fmt: skip
    assert run("convert", *about, "--to", "MRM", "--to-format", "TDS1") == FORMS["TDS1"]
    run("convert", *about, "--to", "XMLNSC", "--root", "Order", "-o", tmp_path / "out.xml")
    assert (tmp_path / "out.xml").read_bytes() == GENERIC


def test_a_copybook_on_the_command_line(tmp_path: Any) -> None:
    (tmp_path / "r.cpy").write_text("       01  R.\n       COPY PART.\n")
    (tmp_path / "PART.cpy").write_text("           05  A PIC 9(3).\n")
    (tmp_path / "r.bin").write_bytes("042".encode("cp037"))
    shown = run("parse", tmp_path / "r.bin", "--domain", "MRM", "--model", tmp_path / "r.cpy", "--ccsid", 37)
    assert b"A = '42' (INTEGER)" in shown


def test_nothing_becomes_a_blob() -> None:
    with pytest.raises(MQError, match=r"8130.*no fields to convert to"):
        convert(tree.parse(b"<a>1</a>", domain="XMLNSC"), "BLOB")


@pytest.mark.parametrize("source", [b"<a><b>1</b></a>", b'{"b": "1"}'])
def test_an_element_is_put_into_an_envelope(source: bytes) -> None:
    message = tree.parse(source, domain="JSON" if source[:1] == b"{" else "XMLNSC")
    made = convert(message, "SOAP", root="a").serialise()
    assert b"<soapenv:Body><a><b>1</b></a></soapenv:Body>" in made
    again = convert(tree.parse(made, domain="SOAP"), "SOAP")
    assert again.get(tree.Path("SOAP", "Body", "a", "b")) == "1"
    envelope = convert(tree.parse(made, domain="XMLNSC"), "SOAP")
    assert envelope.get(tree.Path("SOAP", "Body", "a", "b")) == "1"


@pytest.mark.parametrize(
    ("domain", "source"),
    [
        ("XMLNSC", b"<Mail><Subject>s</Subject><Body>b</Body></Mail>"),
        ("XMLNSC", b"<Envelope><Subject>s</Subject><Body>b</Body></Envelope>"),
        ("JSON", b'{"Subject": "s", "Body": "b"}'),
    ],
)
def test_a_field_called_body_makes_no_envelope(domain: str, source: bytes) -> None:
    made = convert(tree.parse(source, domain=domain), "SOAP").serialise()
    assert b"<Subject>s</Subject><Body>b</Body>" in made.partition(b"<soapenv:Body>")[2]


@pytest.mark.parametrize("domain", ["XMLNSC", "XMLNS"])
def test_an_envelope_keeps_its_version_and_declarations(domain: str) -> None:
    source = (
        b'<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope" '
        b'xmlns:xsd="http://www.w3.org/2001/XMLSchema" id="7"><e:Header><h>1</h></e:Header>'
        b"<e:Body><a><type>xsd:int</type></a></e:Body></e:Envelope>"
    )
    made = convert(tree.parse(source, domain=domain), "SOAP")
    assert made.get(tree.Path("SOAP", "Context", "SOAP_Version")) == "1.2"
    assert made.serialise() == source
    assert convert(made, "SOAP").serialise() == source


def test_attributes_of_an_envelope_keep_their_prefixes() -> None:
    source = (
        b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:x="urn:x" xmlns:i="urn:i">'
        b'<e:Body><a i:type="x:int">1</a></e:Body></e:Envelope>'
    )
    assert convert(tree.parse(source, domain="XMLNSC"), "SOAP").serialise() == source


def test_an_envelope_with_something_else_in_it_is_refused() -> None:
    source = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body/><x/></e:Envelope>'
    with pytest.raises(MQError, match=r"8142.*not 'x' here"):
        convert(tree.parse(source, domain="XMLNSC"), "SOAP")


ORDER = b'<o:Order xmlns:o="urn:o"><o:a>1</o:a></o:Order>'


@pytest.mark.parametrize("target", ["XMLNSC", "XMLNS", "SOAP"])
@pytest.mark.parametrize("source", ["XMLNSC", "XMLNS"])
def test_a_root_element_keeps_its_namespace(source: str, target: str) -> None:
    made = convert(tree.parse(ORDER, domain=source), target).serialise()
    again = tree.parse(made, domain=target)
    above = tree.Path("SOAP", "Body") if target == "SOAP" else tree.Path(target)
    assert again.get(above / tree.Step("Order", "urn:o") / tree.Step("a", "urn:o")) == "1"
    if source == target:
        assert made == ORDER


def test_a_root_element_of_another_name_has_no_namespace() -> None:
    made = convert(tree.parse(ORDER, domain="XMLNSC"), "XMLNSC", root="Other").serialise()
    assert made.startswith(b"<Other ")
    assert convert(tree.parse(ORDER, domain="XMLNSC"), "XML").serialise() == b"<Order><a>1</a></Order>"


@pytest.mark.parametrize("number", [1 << 31, -(1 << 31) - 1, 10**30])
def test_numbers_that_mq_has_no_room_for_are_refused(number: int) -> None:
    message = tree.parse(b'{"a": 1}', domain="JSON")
    message.set(tree.Path("JSON", "Data", "a"), 2)
    for about in ({"ccsid": number}, {"encoding": number}):
        for use in (
            lambda about=about: tree.parse(b"{}", domain="JSON", **about),
            lambda about=about: convert(message, "XMLNSC", **about),
            lambda about=about: message.serialise(**about),
        ):
            with pytest.raises(MQError, match="8042"):
                use()
