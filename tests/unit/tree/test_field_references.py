"""Steps as ESQL's field references need them: types, any name, from the end; and the SET that uses them."""

from __future__ import annotations

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree import MISSING, XML_TYPES, XMLNSC_TYPES, Message, Path, Step, bitstream, parse_into

ATTRIBUTE, FIELD, FOLDER = XMLNSC_TYPES["Attribute"], XMLNSC_TYPES["Field"], XMLNSC_TYPES["Folder"]
BODY = b"<root id=\"12345\" kind='k'><id>ABCDE</id><id><![CDATA[second]]></id><part><id>x</id></part></root>"


def body() -> Message:
    return tree.parse(BODY, domain="XMLNSC")


def test_a_type_tells_an_attribute_from_an_element_of_the_same_name() -> None:
    message = body()
    assert message.get(Path("XMLNSC", "root", "id")) == "12345"
    assert message.get(Path("XMLNSC", "root", Step("id", type=ATTRIBUTE))) == "12345"
    assert message.get(Path("XMLNSC", "root", Step("id", type=FIELD))) == "ABCDE"


def test_field_matches_plain_text_and_cdata_but_no_attribute() -> None:
    message = body()
    fields = Path("XMLNSC", "root", Step(None, None, ..., type=FIELD))
    assert [message.get_at(fields, i) for i in (1, 2)] == ["ABCDE", "second"]
    assert message.get_at(fields, 3) is MISSING
    assert message.cardinality(Path("XMLNSC", "root", Step(None, None, type=FIELD))) == 2
    assert message.cardinality(Path("XMLNSC", "root", Step(None, None, type=ATTRIBUTE))) == 2
    assert message.cardinality(Path("XMLNSC", "root", "*")) == 5
    assert message.get(Path("XMLNSC", "root", Step("id", type=XMLNSC_TYPES["CDataField"]))) == "second"


def test_a_type_with_an_index_from_the_end() -> None:
    message = body()
    assert message.get(Path("XMLNSC", "root", Step("id", index=-1, type=FIELD))) == "second"
    assert message.get(Path("XMLNSC", "root", Step("id", index=-2, type=FIELD))) == "ABCDE"
    assert message.get(Path("XMLNSC", "root", Step("id", index=-3, type=FIELD))) is MISSING


def test_hints_of_paths_do_not_confuse_types() -> None:
    path = Path("XMLNSC", "a", Step("b", type=FIELD))
    for text, expected in (
        (b"<a><b>1</b></a>", "1"),
        (b"<a><b><c/></b><b>2</b></a>", "2"),
        (b"<a><b><c/></b></a>", MISSING),
    ):
        assert tree.parse(text, domain="XMLNSC").get(path) == expected


def test_a_created_field_has_the_type_of_its_step() -> None:
    message = Message()
    message.set(Path("XMLNSC", Step("root", type=FOLDER), Step("id", type=ATTRIBUTE)), "12345")
    message.set(Path("XMLNSC", "root", Step("id", type=FIELD)), "ABCDE")
    message.set(Path("XMLNSC", "root", Step("note", type=XMLNSC_TYPES["CDataField"])), "a<b")
    assert message.serialise() == b'<root id="12345"><id>ABCDE</id><note><![CDATA[a<b]]></note></root>'


def test_content_of_verbose_xml_is_created_without_a_name() -> None:
    message = Message()
    message.set(Path("XML", "a", Step(None, None, type=XML_TYPES["Content"])), "text")
    message.set(Path("XML", "a", Step("k", type=XML_TYPES["Attribute"])), "v")
    assert message.serialise() == b'<a k="v">text</a>'


@pytest.mark.parametrize("wrong", [True, -1, 2**32, "Attribute", 1.5])
def test_a_type_is_a_number(wrong: object) -> None:
    with pytest.raises(MQError) as caught:
        Path(Step("a", type=wrong))  # type: ignore[arg-type]
    assert caught.value.reason == 8120


def test_headers_copied_by_number_keep_their_names_and_stay_unread() -> None:
    source = tree.parse(b"<a>1</a>", domain="XMLNSC")
    source.set(Path("Properties", "MessageType"), "t")
    target, every = Message(), Path(("*", ...))
    for i in range(1, source.cardinality(Path("*")) + 1):
        assert target.assign(every, source, every, i, i)
    assert [folder.name for folder in target] == ["Properties", "XMLNSC"]
    assert not target.is_parsed
    assert target.serialise() == b"<a>1</a>"


def test_typed_reads_take_numbers_from_the_text() -> None:
    message = tree.parse(
        b"<a><i> -12 </i><f>1.5e3</f><t>x1</t><n>123456789012345678901</n></a>", domain="XMLNSC"
    )
    assert message.get_integer(Path("XMLNSC", "a", "i")) == -12
    assert message.get_float(Path("XMLNSC", "a", "f")) == 1500.0
    assert message.get_integer(Path("XMLNSC", "a", "t")) == "x1"
    assert message.get_float(Path("XMLNSC", "a", "t")) == "x1"
    assert message.get_integer(Path("XMLNSC", "a", "n")) == "123456789012345678901"
    assert message.get_integer(Path("XMLNSC", "a", "z")) is MISSING
    json = tree.parse(b'{"i": 7, "f": 2.5}', domain="JSON")
    assert json.get_integer(Path("JSON", "Data", "i")) == 7
    assert json.get_float(Path("JSON", "Data", "f")) == 2.5
    message.set(Path("XMLNSC", "a", "i"), 3)
    assert message.get_integer(Path("XMLNSC", "a", "i")) == 3


def test_a_field_anywhere_can_belong_to_a_domain() -> None:
    environment = Message()
    place = environment.create(Path("Variables", "saved"))
    parse_into(place, b'<o xmlns:p="urn:p" k="1"><p:n>5</p:n></o>', "XMLNSC")
    assert place.domain == "XMLNSC"
    assert place.get(Path("o", "{urn:p}n")) == "5"
    out = Message()
    out.create(Path("XMLNSC")).assign(place)
    assert out.serialise() == b'<o xmlns:p="urn:p" k="1"><p:n>5</p:n></o>'
    copy = environment.copy()
    kept = copy.reference(Path("Variables", "saved"))
    assert kept is not None
    assert bitstream(kept) == b'<o xmlns:p="urn:p" k="1"><p:n>5</p:n></o>'


def test_bitstream_of_a_folder_and_of_a_field() -> None:
    message = body()
    whole = message.reference(Path("XMLNSC"))
    part = message.reference(Path("XMLNSC", "root", "part"))
    assert whole is not None
    assert part is not None
    assert bitstream(whole) == BODY
    assert bitstream(part) == b"<part><id>x</id></part>"
    assert bitstream(part, ccsid=1200).decode("utf-16-le").endswith("<part><id>x</id></part>")


def test_a_field_of_no_domain_has_no_bitstream() -> None:
    message = Message()
    with pytest.raises(MQError) as caught:
        bitstream(message.create(Path("Variables", "x")))
    assert caught.value.reason == 8131


def test_parse_into_replaces_what_was_there_and_is_all_or_nothing() -> None:
    message = Message()
    place = message.create(Path("Variables", "x"))
    parse_into(place, b"<a>1</a>", "XMLNSC")
    parse_into(place, b'{"b": 2}', "JSON")
    assert place.get(Path("Data", "b")) == 2
    with pytest.raises(MQError):
        parse_into(place, b"<a", "XMLNSC")
    place.domain = "BLOB"
    assert place.domain == "BLOB"


def test_bodies_of_several_formats_in_one_tree() -> None:
    message = tree.parse(b"<a>1</a>", domain="XMLNSC")
    place = message.create(Path("Variables", "j"))
    parse_into(place, b'{"b": [1, 2]}', "JSON")
    assert bitstream(place) == b'{"b":[1,2]}'
    assert message.get(Path("XMLNSC", "a")) == "1"
