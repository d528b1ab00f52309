"""Message sets as models: one set with all three formats, and what is not taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock import MQError, tree
from penstock.tree.convert import convert
from penstock.tree.model import import_message_set, read_model
from penstock.tree.validated import parse_validated

if TYPE_CHECKING:
    from pathlib import Path

MSET = """<c:MRMessageSet xmlns:c="urn:core" xmlns:m="urn:m" name="SHOP"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <MRMessageSetRep xsi:type="m:MRCWFMessageSetRep" name="HOST"/>
  <MRMessageSetRep xsi:type="m:MRTDSMessageSetRep" name="TEXT" decimalPoint="." defaultCCSID="367"
     booleanTrueRepresentation="1" booleanFalseRepresentation="0" trimFixLengthString="TrimBoth"/>
  <MRMessageSetRep xsi:type="m:MRXMLMessageSetRep" name="XML1" rootTagName=""/>
</c:MRMessageSet>"""
NOTE = '<xsd:annotation><xsd:appinfo source="WMQI_APPINFO">%s</xsd:appinfo></xsd:annotation>'
LINES = f"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema">
<xsd:complexType name="Line">
{
    NOTE
    % '<tdsStructRep messageSetDefaultRep="TEXT" dataElementSeparation="AllElementsDelimited" delimiter=","/>'
}
<xsd:sequence>
<xsd:element name="Code">{
    NOTE % '<xmlInclRep messageSetDefaultRep="XML1" render="XMLAttribute" xmlName="c"/>'
}
<xsd:simpleType><xsd:restriction base="xsd:string"><xsd:maxLength value="4"/></xsd:restriction>
</xsd:simpleType>
</xsd:element>
<xsd:element name="Price" type="xsd:decimal">{
    NOTE
    % '''<cwfInclRep messageSetDefaultRep="HOST" physicalType="packedDecimal" lengthCount="3"
    virtualDecimalPoint="2"/><tdsElemRep messageSetDefaultRep="TEXT" precision="-1"/>'''
}</xsd:element>
</xsd:sequence></xsd:complexType></xsd:schema>"""
SHOP = f"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema">
<xsd:include schemaLocation="lines.mxsd"/>
<xsd:element name="Order">{NOTE % '<MRMessage messageDefinition="x"/>'}<xsd:complexType>{
    NOTE
    % '''<tdsStructRep messageSetDefaultRep="TEXT" dataElementSeparation="TaggedDelimited"
    delimiter="&lt;LF&gt;" tagDataSeparator="="/>'''
}<xsd:sequence>
<xsd:element name="Count" type="xsd:int">{
    NOTE
    % '''<cwfInclRep messageSetDefaultRep="HOST" lengthCount="2"><cwfIntegerRep signed="false"/>
    </cwfInclRep><tdsElemRep messageSetDefaultRep="TEXT" tag="N"/>'''
}</xsd:element>
<xsd:element name="Line" type="Line" minOccurs="0" maxOccurs="9">{
    NOTE
    % '''<cwfInclRep messageSetDefaultRep="HOST" repeatReference="Order/Count"/>
    <tdsInclRep messageSetDefaultRep="TEXT" tag="LINE"/>'''
}</xsd:element>
</xsd:sequence></xsd:complexType></xsd:element></xsd:schema>"""
YAML = """
model: SHOP
formats: {HOST: {kind: CWF}, TEXT: {kind: TDS}, XML1: {kind: XML}}
types:
  Line:
    TEXT: {separation: all elements delimited, delimiter: ","}
    fields:
      - {name: Code, HOST: {length: 4}, XML1: {render: attribute, name: c}}
      - {name: Price, type: decimal, HOST: {physical: packed, length: 3, scale: 2}}
messages:
  Order:
    TEXT: {separation: tagged delimited, delimiter: "<LF>", tag_data_separator: "="}
    fields:
      - {name: Count, type: integer, HOST: {length: 2, signed: false}, TEXT: {tag: N}}
      - {name: Line, type: Line, min: 0, max: 9, HOST: {repeat_from: Count}, TEXT: {tag: LINE}}
"""
TEXT = b"N=2\nLINE=A1,1.50\nLINE=B,20.25"


def written(folder: Path, shop: str = SHOP, lines: str = LINES, mset: str = MSET) -> Path:
    (folder / "messageSet.mset").write_text(mset)
    (folder / "shop.mxsd").write_text(shop)
    (folder / "lines.mxsd").write_text(lines)
    return folder


@pytest.mark.parametrize("format", ["HOST", "TEXT", "XML1"])
def test_a_set_reads_and_writes_like_the_same_model_in_yaml(tmp_path: Path, format: str) -> None:
    ours, same = import_message_set(written(tmp_path)), read_model(YAML)
    assert list(ours.messages) == ["Order"]
    assert not ours.notes
    first = tree.parse(TEXT, domain="MRM", model=ours, format="TEXT")
    second = tree.parse(TEXT, domain="MRM", model=same, format="TEXT")
    data = convert(first, "MRM", model=ours, format=format).serialise()
    assert data == convert(second, "MRM", model=same, format=format).serialise()
    again = tree.parse(data, domain="MRM", model=ours, format=format)
    assert convert(again, "MRM", model=ours, format="TEXT").serialise() == TEXT


def test_the_set_is_found_from_one_of_its_files(tmp_path: Path) -> None:
    model = import_message_set(written(tmp_path) / "shop.mxsd")
    assert model.name == "SHOP"
    assert list(model.formats) == ["HOST", "TEXT", "XML1"]


def test_what_is_not_known_is_reported_with_element_file_and_line(tmp_path: Path) -> None:
    model = import_message_set(written(tmp_path, SHOP.replace('tag="N"', 'tag="N" shade="blue"')))
    (note,) = model.notes
    assert note.startswith("shop.mxsd, line 6: Count: shade='blue'")


def test_decision_a_message_that_cannot_be_taken_is_left_out_with_a_note(tmp_path: Path) -> None:
    bad = '<xsd:element name="Bad" type="Gone">' + NOTE % "<MRMessage/>" + "</xsd:element></xsd:schema>"
    model = import_message_set(written(tmp_path, SHOP.replace("</xsd:schema>", bad)))
    assert list(model.messages) == ["Order"]
    assert "message Bad is left out" in model.notes[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"shop": SHOP.replace("TaggedDelimited", "FixedLengthAL3")}, "line 3: dataElementSeparation"),
        ({"shop": SHOP.replace('type="Line"', 'type="Gone"')}, "line 7: type Gone"),
        ({"lines": LINES.replace('lengthCount="3"', 'lengthCount="x"')}, "line 9: lengthCount='x'"),
        ({"mset": MSET.replace("MRCWF", "MRABC")}, "messageSet.mset, line 3: format HOST is ABC"),
        ({"mset": "<a"}, "messageSet.mset: no XML"),
        ({"lines": "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}, "no document type"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(
    tmp_path: Path, change: dict[str, str], reason: str
) -> None:
    with pytest.raises(MQError, match=reason) as caught:
        import_message_set(written(tmp_path, **change))
    assert caught.value.reason == 8150


def test_a_folder_without_a_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MQError) as caught:
        import_message_set(tmp_path)
    assert caught.value.reason == 8042


def test_decision_a_set_without_a_format_has_xml(tmp_path: Path) -> None:
    mset = '<c:MRMessageSet xmlns:c="urn:core" name="SHOP"/>'
    model = import_message_set(written(tmp_path, mset=mset))
    data = b"<Order><Count>1</Count><Line><Code>A</Code><Price>2</Price></Line></Order>"
    message = tree.parse(data, domain="MRM", model=model)
    assert message.get(tree.Path("MRM", "Line", "Code")) == "A"


def test_dates_have_the_format_that_their_annotation_says(tmp_path: Path) -> None:
    when = NOTE % (
        '<tdsElemRep messageSetDefaultRep="TEXT" format="dd/MM/yyyy"/>'
        '<cwfInclRep messageSetDefaultRep="HOST" format="yyyyMMdd" lengthCount="8"/>'
        '<xmlElemRep messageSetDefaultRep="XML1" format="dd.MM.yyyy"/>'
    )
    number = NOTE % (
        '<tdsElemRep messageSetDefaultRep="TEXT" positiveSign="0" signOrientation="leading" precision="-1"/>'
    )
    record = NOTE % (
        '<tdsStructRep messageSetDefaultRep="TEXT" delimiter=";"'
        ' dataElementSeparation="AllElementsDelimited"/>'
    )
    (tmp_path / "messageSet.mset").write_text(MSET)
    (tmp_path / "day.mxsd").write_text(
        f"""<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="Day"><xsd:complexType>
        {record}<xsd:sequence><xsd:element name="When" type="xsd:date">{when}</xsd:element>
        <xsd:element name="N" type="xsd:int">{number}</xsd:element></xsd:sequence>
        </xsd:complexType></xsd:element></xsd:schema>"""
    )
    model = import_message_set(tmp_path)
    assert model.notes == ()
    message = tree.parse(b"31/12/2025;-5", domain="MRM", model=model, format="TEXT", timing="complete")
    assert str(message.get(tree.Path("MRM", "When"))) == "2025-12-31"
    assert (
        convert(message, "MRM", model, format="HOST", encoding=273).serialise() == b"20251231\xff\xff\xff\xfb"
    )
    assert b"<When>31.12.2025</When>" in convert(message, "MRM", model, format="XML1").serialise()


def test_composition_and_content_of_a_type_count_when_it_is_validated(tmp_path: Path) -> None:
    said = '<MRComplexType composition="unorderedSet" content="open"/>'
    for about in (said, ""):
        kind = LINES.replace("<xsd:sequence>", (NOTE % about) + "<xsd:sequence>").replace(
            NOTE % '<xmlInclRep messageSetDefaultRep="XML1" render="XMLAttribute" xmlName="c"/>', ""
        )
        model = import_message_set(written(tmp_path, lines=kind))
        document = b"<Order><Count>1</Count><Line><Price>1.5</Price><Code>A</Code><New>1</New></Line></Order>"
        about_it = {"message": "Order", "format": "XML1"}
        if about:
            assert parse_validated(document, "MRM", model, **about_it).body is not None
            continue
        with pytest.raises(MQError, match=r"8152.*New is not in the model; Line: Code follows Price"):
            parse_validated(document, "MRM", model, **about_it)


@pytest.mark.parametrize(
    ("said", "written_record"),
    [
        ('default="2.5"', b"\x01\x00A1  \x00\x25\x0c"),
        ('fixed="-1"', b"\x01\x00A1  \x00\x10\x0d"),
        ('default="none"', None),
        ("", None),
    ],
)
def test_a_default_stands_for_a_field_that_is_missing(
    tmp_path: Path, said: str, written_record: bytes | None
) -> None:
    lines = LINES.replace('name="Price"', f'name="Price" {said}')
    model = import_message_set(written(tmp_path, lines=lines))
    message = tree.parse(
        b'<Order><Count>0</Count><Line c="A1"/></Order>', domain="MRM", model=model, format="XML1"
    )
    if written_record is not None:
        made = convert(message, "MRM", model, format="HOST", encoding=546).serialise()
        assert made == written_record
        return
    assert any("default 'none' is no decimal" in note for note in model.notes) == ("none" in said)
    with pytest.raises(MQError, match=r"8130.*field Price is missing"):
        convert(message, "MRM", model, format="HOST").serialise()
