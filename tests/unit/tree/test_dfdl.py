"""DFDL schemas as models: delimited, fixed and COBOL data, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock import MQError, tree
from penstock.tree.convert import convert
from penstock.tree.model import import_copybook, import_dfdl, read_model

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"
 xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/">"""
APPINFO = '<xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">%s</xs:appinfo></xs:annotation>'
CSV = (
    HEAD
    + APPINFO
    % """<dfdl:defineEscapeScheme name="Quotes"><dfdl:escapeScheme escapeKind="escapeBlock"
  escapeBlockStart='"' escapeBlockEnd='"' escapeEscapeCharacter='"'/></dfdl:defineEscapeScheme>
  <dfdl:defineFormat name="Base"><dfdl:format lengthKind="delimited" representation="text"
  encoding="UTF-8" textNumberRep="standard" textStandardDecimalSeparator="."/></dfdl:defineFormat>
  <dfdl:format ref="Base" escapeSchemeRef="Quotes" separatorPosition="infix" occursCountKind="implicit"/>"""
    + """<xs:element name="File"><xs:complexType><xs:sequence>
  <xs:element name="Row" maxOccurs="unbounded" dfdl:terminator="%LF;"><xs:complexType>
    <xs:sequence dfdl:separator=","><xs:element name="Name" type="xs:string"/>
    <xs:element name="Age" type="xs:int"/><xs:element name="Due" type="xs:decimal"/></xs:sequence>
  </xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>"""
)
CSV_YAML = """
formats: {TEXT: {kind: TDS, quote: '"'}}
messages:
  File:
    TEXT: {separation: fixed length}
    fields:
      - {name: Row, type: Row, max: null}
types:
  Row:
    TEXT: {separation: all elements delimited, delimiter: ",", terminator: "<LF>"}
    fields:
      - {name: Name}
      - {name: Age, type: integer}
      - {name: Due, type: decimal}
"""
ROWS = b'Ann,30,1.50\n"B, C",7,-2.25\n'
TAGGED = (
    HEAD
    + APPINFO % '<dfdl:format lengthKind="delimited" representation="text" encoding="UTF-8"/>'
    + """<xs:element name="M"><xs:complexType><xs:sequence dfdl:initiatedContent="yes" dfdl:separator="%LF;">
  <xs:element name="Head" dfdl:initiator="[h]"><xs:complexType><xs:sequence dfdl:separator="%#124;">
    <xs:element name="A" type="xs:string"/><xs:element name="B" type="xs:string" nillable="true"
     dfdl:nilKind="literalValue" dfdl:nilValue="-"/></xs:sequence></xs:complexType></xs:element>
  <xs:element name="Body" type="xs:int" dfdl:initiator="[body]" maxOccurs="unbounded" minOccurs="0"/>
  </xs:sequence></xs:complexType></xs:element></xs:schema>"""
)
COBOL = (
    HEAD
    + APPINFO
    % """<dfdl:format lengthKind="explicit" lengthUnits="bytes" representation="binary" encoding="IBM037"
   byteOrder="bigEndian" binaryNumberRep="binary" textStringPadCharacter="%SP;" textTrimKind="padChar"/>"""
    + """<xs:simpleType name="Amount" dfdl:binaryNumberRep="packed" dfdl:length="4"
   dfdl:binaryDecimalVirtualPoint="2"><xs:restriction base="xs:decimal"/></xs:simpleType>
 <xs:element name="REC"><xs:complexType><xs:sequence>
  <xs:element name="N" type="xs:unsignedShort" dfdl:lengthKind="implicit"/>
  <xs:element name="KIND" type="xs:string" dfdl:length="1"/>
  <xs:element name="ZONED" type="xs:int" dfdl:length="3" dfdl:representation="text" dfdl:textNumberRep="zoned"
    dfdl:textNumberPattern="000+"/>
  <xs:element name="AMT" type="Amount" maxOccurs="5" dfdl:occursCountKind="expression"
    dfdl:occursCount="{../N}"/>
  <xs:choice dfdl:choiceDispatchKey="{./KIND}">
   <xs:element name="P" type="xs:string" dfdl:length="4" dfdl:choiceBranchKey="P"/>
   <xs:element name="C" type="xs:int" dfdl:length="4" dfdl:choiceBranchKey="C"/></xs:choice>
 </xs:sequence></xs:complexType></xs:element></xs:schema>"""
)
BOOK = """
       01  REC.
           05  N       PIC 9(4) COMP.
           05  KIND    PIC X.
           05  ZONED   PIC S9(3).
           05  AMT     PIC S9(5)V99 COMP-3 OCCURS 1 TO 5 DEPENDING ON N.
           05  P       PIC X(4).
           05  C REDEFINES P PIC S9(9) COMP.
"""


def test_comma_separated_values_are_read_and_written_like_the_same_model_in_yaml() -> None:
    model, same = import_dfdl(CSV), read_model(CSV_YAML)
    message = tree.parse(ROWS, domain="DFDL", model=model, timing="complete")
    assert message.get(tree.Path("DFDL", "File", "Row", "Name")) == "Ann"
    other = tree.parse(ROWS, domain="MRM", model=same)
    assert convert(other, "DFDL", model=model).serialise() == ROWS
    assert convert(message, "MRM", model=same).serialise() == ROWS


def test_initiated_content_is_found_by_its_initiators() -> None:
    model = import_dfdl(TAGGED)
    data = b"[h]x|-\n[body]4\n[body]5"
    message = tree.parse(data, domain="DFDL", model=model, timing="complete")
    assert message.get(tree.Path("DFDL", "M", "Head", "A")) == "x"
    assert message.get(tree.Path("DFDL", "M", "Head", "B")) is None
    assert message.get(tree.Path("DFDL", "M", "Body")) == 4
    message.set(tree.Path("DFDL", "M", "Body"), 6)
    assert message.serialise() == b"[h]x|-\n[body]6\n[body]5"


@pytest.mark.parametrize(("kind", "last"), [("P", "abcd".encode("cp037")), ("C", b"\0\0\0\x07")])
def test_cobol_data_are_read_and_written_like_the_copybook(kind: str, last: bytes) -> None:
    model = import_dfdl(COBOL)
    book = import_copybook(BOOK, ccsid=37, choose={"P": ("KIND", ("P",)), "C": ("KIND", ("C",))})
    data = b"\0\2" + kind.encode("cp037") + b"\xf0\xf1\xd2" + bytes.fromhex("0012345c0000100d") + last
    message = tree.parse(data, domain="DFDL", model=model, timing="complete")
    assert message.get(tree.Path("DFDL", "REC", "ZONED")) == -12
    assert str(message.get(tree.Path("DFDL", "REC", "AMT"))) == "123.45"
    other = convert(message, "MRM", model=book, ccsid=37, encoding=785)
    assert other.serialise() == data
    assert convert(other, "DFDL", model=model).serialise() == data


@pytest.mark.parametrize(
    ("text", "data", "field", "value"),
    [
        ('dfdl:length="3"', b"abcrest", "A", "abc"),
        ('dfdl:lengthKind="delimited" dfdl:terminator=";"', b"ab;rest", "A", "ab"),
        ('dfdl:lengthKind="delimited" dfdl:initiator="(" dfdl:terminator=")"', b"(ab)rest", "A", "ab"),
        ('dfdl:lengthKind="pattern" dfdl:lengthPattern="[a-c]+"', b"abrest", "A", "ab"),
        ('dfdl:lengthKind="prefixed" dfdl:prefixLengthType="Len"', b"\2abrest", "A", "ab"),
    ],
)
def test_kinds_of_length(text: str, data: bytes, field: str, value: str) -> None:
    schema = (
        HEAD
        + APPINFO % '<dfdl:format lengthKind="explicit" representation="text" encoding="UTF-8"/>'
        + f"""<xs:simpleType name="Len" dfdl:length="1" dfdl:representation="binary">
  <xs:restriction base="xs:unsignedByte"/></xs:simpleType>
  <xs:element name="M"><xs:complexType><xs:sequence><xs:element name="A" type="xs:string" {text}/>
  <xs:element name="Z" type="xs:string" dfdl:lengthKind="endOfParent"/>
  </xs:sequence></xs:complexType></xs:element></xs:schema>"""
    )
    message = tree.parse(data, domain="DFDL", model=import_dfdl(schema), timing="complete")
    assert message.get(tree.Path("DFDL", "M", field)) == value
    assert message.get(tree.Path("DFDL", "M", "Z")) == "rest"
    message.set(tree.Path("DFDL", "M", "Z"), "REST")
    assert message.serialise() == data.replace(b"rest", b"REST")


def test_an_unordered_sequence_is_told_by_its_initiators() -> None:
    model = import_dfdl(TAGGED.replace("<xs:sequence ", '<xs:sequence dfdl:sequenceKind="unordered" ', 1))
    data = b"[body]4\n[h]x|-\n[body]5"
    message = tree.parse(data, domain="DFDL", model=model, timing="complete")
    root = message.reference(tree.Path("DFDL", "M"))
    assert [field.name for field in root or ()] == ["Body", "Head", "Body"]
    assert message.get(tree.Path("DFDL", "M", ("Body", 2))) == 5
    assert message.serialise() == data
    message.set(tree.Path("DFDL", "M", "Body"), 6)
    assert message.serialise() == b"[h]x|-\n[body]6\n[body]5"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (COBOL.replace('binaryNumberRep="packed"', 'binaryNumberRep="bcd"'), "binaryNumberRep='bcd'"),
        (COBOL.replace('"{../N}"', '"{../N +}"'), "'{../N +}': the expression ends too early"),
        (COBOL.replace("IBM037", "klingon"), "encoding 'klingon' is unknown"),
        (CSV.replace('ref="Base"', 'ref="Gone"'), "defineFormat Gone is not in the schema"),
        (CSV.replace('"Quotes" separator', '"Gone" separator'), "escape scheme Gone"),
        (CSV.replace("%LF;", "%QQ;"), "%QQ; is unknown"),
        (
            CSV.replace("<xs:sequence ", '<xs:sequence dfdl:sequenceKind="unordered" ', 1),
            "an unordered sequence",
        ),
        (COBOL.replace("<xs:sequence>", '<xs:sequence dfdl:sequenceKind="unordered">', 1), "unordered"),
    ],
)
def test_what_is_not_supported_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(MQError) as caught:
        import_dfdl(text)
    assert caught.value.reason == 8150
    assert reason in str(caught.value)
    assert ", line " in str(caught.value)


def test_formats_of_other_documents_are_imported(tmp_path: Path) -> None:
    base = HEAD.replace("xmlns:t=", 'targetNamespace="urn:t" xmlns:t=') + APPINFO % (
        '<dfdl:defineFormat name="Base"><dfdl:format lengthKind="delimited" encoding="UTF-8"/>'
        "</dfdl:defineFormat>"
    )
    (tmp_path / "base.xsd").write_text(base + "</xs:schema>")
    (tmp_path / "main.dfdl.xsd").write_text(
        HEAD
        + '<xs:import namespace="urn:t" schemaLocation="base.xsd"/>'
        + APPINFO % '<dfdl:format ref="t:Base"/>'
        + """<xs:element name="M"><xs:complexType><xs:sequence dfdl:separator=";">
        <xs:element name="A" type="xs:string"/><xs:element name="B" type="xs:string"/></xs:sequence>
        </xs:complexType></xs:element></xs:schema>"""
    )
    message = tree.parse(b"x;y", domain="DFDL", model=import_dfdl(tmp_path / "main.dfdl.xsd"))
    assert message.get(tree.Path("DFDL", "M", "B")) == "y"


ENDED = (
    HEAD
    + APPINFO % '<dfdl:format lengthKind="delimited" encoding="UTF-8" occursCountKind="implicit"/>'
    + '<xs:element name="M"><xs:complexType><xs:sequence>%s</xs:sequence></xs:complexType></xs:element>'
    "</xs:schema>"
)


def test_every_occurrence_of_a_field_with_a_terminator_is_written() -> None:
    model = import_dfdl(
        ENDED % '<xs:element name="A" type="xs:string" maxOccurs="unbounded" dfdl:terminator=";"/>'
    )
    message = tree.parse(b"x;y;z;", domain="DFDL", model=model)
    message.set(tree.Path("DFDL", "M", ("A", 2)), "Q")
    assert message.serialise() == b"x;Q;z;"


@pytest.mark.parametrize("data", [b"A:1;B:2;B:3;", b"B:2;", b"A:1;", b"B:1;B:2;", b""])
def test_fields_that_an_initiator_tells_may_be_absent(data: bytes) -> None:
    model = import_dfdl(
        ENDED
        % """<xs:element name="A" type="xs:string" minOccurs="0" dfdl:initiator="A:" dfdl:terminator=";"/>
        <xs:element name="B" type="xs:string" minOccurs="0" maxOccurs="9" dfdl:initiator="B:"
         dfdl:terminator=";"/>"""
    )
    message = tree.parse(data, domain="DFDL", model=model, timing="complete")
    message.body_as("DFDL", model)
    assert message.serialise() == data


CARD = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:dfdl="http://www.ogf.org/dfdl/dfdl-1.0/"
  xmlns:fn="http://www.w3.org/2005/xpath-functions" xmlns:c="urn:card" targetNamespace="urn:card">
 <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
  <dfdl:defineVariable name="isLong" type="xs:boolean" defaultValue="false"/>
  <dfdl:format representation="text" encoding="US-ASCII" lengthKind="explicit" lengthUnits="bytes"
   separator="" textNumberRep="standard" textStandardDecimalSeparator="." occursCountKind="expression"
   byteOrder="bigEndian" binaryNumberRep="binary" textTrimKind="none" alignment="1" alignmentUnits="bytes"/>
 </xs:appinfo></xs:annotation>
 <xs:simpleType name="Bit" dfdl:representation="binary" dfdl:length="1" dfdl:lengthUnits="bits">
  <xs:restriction base="xs:unsignedInt"/></xs:simpleType>
 <xs:simpleType name="Three" dfdl:representation="binary" dfdl:length="3" dfdl:lengthUnits="bits">
  <xs:restriction base="xs:unsignedByte"/></xs:simpleType>
 <xs:simpleType name="LL" dfdl:length="2" dfdl:textNumberPattern="00">
  <xs:restriction base="xs:integer"/></xs:simpleType>
 <xs:simpleType name="LLtext" dfdl:lengthKind="prefixed" dfdl:prefixLengthType="c:LL">
  <xs:restriction base="xs:string"/></xs:simpleType>
 <xs:element name="Card" dfdl:lengthKind="implicit"><xs:complexType><xs:sequence>
  <xs:element name="Kind" type="xs:integer" dfdl:length="2" dfdl:textNumberPattern="00"/>
  <xs:element name="Map" dfdl:lengthKind="implicit"><xs:complexType><xs:sequence>
   <xs:element name="Has" type="c:Bit"/>
   <xs:element name="Name" type="c:Bit"/>
   <xs:element name="Level" type="c:Three"/>
   <xs:element name="Rest" type="c:Three"/>
  </xs:sequence></xs:complexType></xs:element>
  <xs:element name="Number" type="c:LLtext" minOccurs="0" dfdl:occursCount="{/Card/Map/Has}"/>
  <xs:element name="Name" type="c:LLtext" minOccurs="0" dfdl:occursCount="{../Map/Name}"/>
  <xs:element name="Mark" type="xs:string" dfdl:length="1">
   <xs:annotation><xs:appinfo source="http://www.ogf.org/dfdl/">
    <dfdl:setVariable ref="c:isLong" value="{fn:contains('89ABCDEF',.)}"/></xs:appinfo></xs:annotation>
  </xs:element>
  <xs:element name="More" type="xs:string" dfdl:length="3" minOccurs="0"
   dfdl:occursCount="{xs:nonNegativeInteger(if ($c:isLong) then 1 else 0)}"/>
 </xs:sequence></xs:complexType></xs:element>
</xs:schema>"""


def card_field(*names: str) -> tree.Path:
    return tree.Path("DFDL", "Card", *names)


@pytest.mark.parametrize("data", [b"02\xe5051234503abcA***", b"02\x2d7", b"02\xad02127", b"02\x7c03BobF+++"])
def test_bitmaps_and_digits_of_lengths_decide_what_is_there(data: bytes) -> None:
    message = tree.parse(data, domain="DFDL", model=import_dfdl(CARD), timing="complete")
    bits = data[2]
    assert message.get(card_field("Kind")) == 2
    assert message.get(card_field("Map", "Level")) == bits >> 3 & 7
    assert (message.get(card_field("Number")) is not tree.MISSING) == bool(bits & 0x80)
    assert (message.get(card_field("Name")) is not tree.MISSING) == bool(bits & 0x40)
    assert (message.get(card_field("More")) is not tree.MISSING) == (b"+++" in data or b"***" in data)
    assert convert(message, "DFDL", model=import_dfdl(CARD)).serialise() == data
    for name in ("Has", "Name", "Level", "Rest"):  # written by its codec, beside its neighbours
        message.set(card_field("Map", name), message.get(card_field("Map", name)))
    assert message.serialise() == data


def test_a_bit_is_changed_without_its_neighbours() -> None:
    message = tree.parse(b"02\xbf0127", domain="DFDL", model=import_dfdl(CARD))
    message.set(card_field("Map", "Level"), 2)
    message.set(card_field("Number"), "1234")
    assert message.serialise() == b"02\x970412347"
    message.set(card_field("Map", "Level"), 8)
    with pytest.raises(MQError, match=r"Level: .*a number from 0 to 7"):
        message.serialise()
    message.set(card_field("Map", "Level"), 0)
    message.set(card_field("Number"), "x" * 100)
    with pytest.raises(MQError, match="100 is too long for a length of 2 digits"):
        message.serialise()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"02\x800x1", "offset 3: field Number: its length is not 2 digits"),
        (b"02\x8099", "field Number takes 99 bytes, but 0 are left"),
        (b"02\x008", "field More takes 3 bytes"),
        (b"02", "field Has takes 1 bytes"),
    ],
)
def test_bad_cards_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(MQError, match=problem):
        tree.parse(data, domain="DFDL", model=import_dfdl(CARD), timing="complete")


def test_bits_have_to_fill_bytes() -> None:
    with pytest.raises(MQError, match="Rest: the fields of bits beside each other have to fill whole bytes"):
        tree.parse(
            b"",
            domain="DFDL",
            model=import_dfdl(CARD.replace('name="Level" type="c:Three"', 'name="Level" type="c:Bit"')),
        )
