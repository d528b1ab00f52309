"""The numbers of field types. Those of XMLNSC are IBM's; it publishes none for XML.* and MQRFH2.Field."""

from __future__ import annotations

from penstock.tree import JSON_TYPES, TYPE_CONSTANTS, XML_TYPES, XMLNSC_TYPES, Path, parse


def test_xmlnsc_types_have_the_documented_numbers() -> None:
    assert XMLNSC_TYPES == {
        "Folder": 0x01000000,
        "Field": 0x03000000,
        "CDataField": 0x03000001,
        "Value": 0x02000000,
        "CDataValue": 0x02000001,
        "Attribute": 0x03000100,
        "SingleAttribute": 0x03000101,
        "SingleNamespaceDecl": 0x03000102,
        "NamespaceDecl": 0x03000103,
        "DocumentType": 0x01000300,
        "XmlDeclaration": 0x01000400,
        "EntityReference": 0x02000100,
        "EntityDefinition": 0x03000300,
        "SingleEntityDefinition": 0x03000301,
        "Comment": 0x03000400,
        "ProcessingInstruction": 0x03000401,
    }


def test_generic_types_have_the_documented_numbers() -> None:
    assert TYPE_CONSTANTS[""] == {"NAME": 0x01000000, "VALUE": 0x02000000, "NAMEVALUE": 0x03000000}


def test_decision_xml_types_are_the_generic_ones_and_marked_variants() -> None:
    # IBM says that these numbers are not published; programs must use the names.
    assert XML_TYPES == {
        "Element": 0x01000000,
        "Attribute": 0x03000000,
        "Content": 0x02000000,
        "CDataSection": 0x02000001,
        "NamespaceDecl": 0x07000012,
        "XmlDecl": 0x05000018,
        "Version": 0x06000011,
        "Encoding": 0x06000012,
        "Standalone": 0x06000014,
        "Comment": 0x07000018,
        "ProcessingInstruction": 0x07000019,
    }
    assert len(set(XML_TYPES.values())) == len(XML_TYPES)


def test_decision_a_json_array_is_a_name_with_a_mark() -> None:
    assert JSON_TYPES["Array"] == 0x01001000
    assert JSON_TYPES["Object"] == 0x01000000


def test_constants_are_found_in_capitals_by_domain() -> None:
    assert TYPE_CONSTANTS["XMLNSC"]["ATTRIBUTE"] == XMLNSC_TYPES["Attribute"]
    assert TYPE_CONSTANTS["XML"]["ATTR"] == XML_TYPES["Attribute"]
    assert TYPE_CONSTANTS["JSON"]["ARRAY"] == JSON_TYPES["Array"]
    assert TYPE_CONSTANTS["MQRFH2"]["FIELD"] == 0x03000000


def test_parsers_give_these_types() -> None:
    compact = parse(
        b"<?xml version='1.0'?><a x='1' xmlns:p='urn:p'><b>t</b><c><![CDATA[u]]></c></a>", domain="XMLNSC"
    )
    types = {
        "XmlDeclaration": Path("XMLNSC", "XmlDeclaration"),
        "Folder": Path("XMLNSC", "a"),
        "Attribute": Path("XMLNSC", "a", "@x"),
        "NamespaceDecl": Path("XMLNSC", "a", "@{*}p"),
        "Field": Path("XMLNSC", "a", "b"),
        "CDataField": Path("XMLNSC", "a", "c"),
    }
    for name, path in types.items():
        field = compact.reference(path)
        assert field is not None
        assert field.type == XMLNSC_TYPES[name], name
    verbose = parse(b"<a x='1'>t<!--c--><?p q?></a>", domain="XMLNS")
    kinds = [field.type for field in verbose.create(Path("XMLNS", "a"))]
    wanted = ("Attribute", "Content", "Comment", "ProcessingInstruction")
    assert kinds == [XML_TYPES[name] for name in wanted]
