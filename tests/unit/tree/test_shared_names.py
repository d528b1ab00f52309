"""Several fields of one name beside each other: each has its own run of the elements of that name."""

from pathlib import Path

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
    Xml,
    XmlFormat,
    import_xsd,
)

HEAD = tree.Path("MRM", "Head")
TAGGED = TdsType(separation="tagged delimited", delimiter=";", tag_data_separator="=")
COUNT = Field("N", "integer", HOST=Cwf(length=1), T=Tds(tag="N", length=1))
HEADER = Field("Head", HOST=Cwf(length=1), T=Tds(tag="H", length=1))


def field(name: str, tag: str = "", xml: str = "", repeat_from: str = "", **words: object) -> Field:
    about = {"HOST": Cwf(length=2, repeat_from=repeat_from), "T": Tds(tag=tag or name, length=2)}
    return Field(name, **about, XML=Xml(name=xml), **words)  # type: ignore[arg-type]


def model(*members: Field | Group, text: TdsType = TAGGED) -> Model:
    formats = {"HOST": CwfFormat(), "T": TdsFormat(), "XML": XmlFormat()}
    return Model("R", {"M": Type(*members, T=text)}, formats)


def rewritten(of: Model, data: bytes, format: str) -> bytes:
    """Return a message in its own format after a change, so that every field is written anew."""
    message = tree.parse(data, domain="MRM", model=of, format=format)
    message.set(HEAD, "h")
    return message.serialise()


def from_xml(of: Model, fields: str, format: str) -> bytes:
    document = f"<M>{fields}</M>".encode()
    return convert(
        tree.parse(document, domain="MRM", model=of, format="XML"), "MRM", of, format=format
    ).serialise()


def elements(text: str) -> str:
    """Return XML elements that are called by the capital of their text."""
    return "".join(f"<{each[0].upper()}>{each}</{each[0].upper()}>" for each in text.split())


# Records

COUNTED = model(COUNT, field("A", repeat_from="N", min=0, max=9), field("B"), field("A"), HEADER)


@pytest.mark.parametrize(
    "record", [b"\x03a1a2a3b1a4", b"\x01a1b1a4", b"\x00b1a4", b"\x09" + b"a1" * 9 + b"b1a4"]
)
def test_a_counted_field_leaves_the_one_behind_to_it(record: bytes) -> None:
    assert rewritten(COUNTED, record + b"x", "HOST") == record + b"h"


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("a1 a2 a3 b1 a4", b"\x03a1a2a3b1a4h"),
        ("b1 a4", b"\x00b1a4h"),
        ("a1 a2 a3 a4 b1", b"\x03a1a2a3b1a4h"),  # the last is needed, wherever it stands
    ],
)
def test_counted_fields_from_another_format(text: str, record: bytes) -> None:
    assert from_xml(COUNTED, f"<N>0</N>{elements(text)}<Head>h</Head>", "HOST") == record


def test_a_counted_field_directly_before_one_of_its_name() -> None:
    counted = model(COUNT, field("A", repeat_from="N", min=0, max=9), field("A"), HEADER)
    for times in range(4):
        record = bytes([times]) + b"a1" * times + b"a9"
        assert rewritten(counted, record + b"x", "HOST") == record + b"h"


def test_an_absent_field_is_not_taken_from_behind() -> None:
    padded = model(HEADER, field("A", min=0, max=3, default="--"), field("B"), field("A"))
    assert from_xml(padded, "<Head>h</Head>" + elements("a1 b1 a9"), "HOST") == b"ha1----b1a9"


def test_a_field_is_not_written_twice_when_the_second_is_missing() -> None:
    twice = model(HEADER, field("A"), field("B"), field("A"))
    with pytest.raises(MQError, match=r"8130.*field A is missing"):
        from_xml(twice, "<Head>h</Head>" + elements("a1 b1"), "HOST")
    assert from_xml(twice, "<Head>h</Head>" + elements("b1 a1 a2"), "HOST") == b"ha1b1a2"
    assert from_xml(twice, elements("a1 b1 a2") + "<Head>h</Head>", "HOST") == b"ha1b1a2"


def test_a_group_with_a_count_leaves_the_field_behind_it() -> None:
    group = Group(field("A"), field("B"), min=0, max=9, HOST=Cwf(repeat_from="N"))
    for tail in ((field("C"), field("A")), (field("A"),)):
        counted = model(COUNT, group, *tail, HEADER)
        for times in range(3):
            record = bytes([times]) + b"a1b1" * times + (b"c1a9" if len(tail) > 1 else b"a9")
            assert rewritten(counted, record + b"x", "HOST") == record + b"h"


def test_a_choice_is_told_by_where_it_stands() -> None:
    choice = Group(field("A"), field("B"), compose="choice")
    chosen = model(HEADER, choice, field("C"), field("A"))
    assert from_xml(chosen, "<Head>h</Head>" + elements("b1 c1 a1"), "HOST") == b"hb1c1a1"
    assert from_xml(chosen, "<Head>h</Head>" + elements("a0 c1 a1"), "HOST") == b"ha0c1a1"
    assert from_xml(chosen, "<Head>h</Head>" + elements("b1 c1 a1"), "T") == b"H=h;B=b1;C=c1;A=a1"


def test_very_many_occurrences_before_a_field_of_their_name() -> None:
    wide = Field("N", "integer", HOST=Cwf(length=4))
    many = model(wide, field("A", repeat_from="N", min=0, max=None), field("B"), field("A"), HEADER)
    record = (60_000).to_bytes(4, "little") + b"a1" * 60_000 + b"b1a9"
    assert rewritten(many, record + b"x", "HOST") == record + b"h"


# Tagged and delimited text


def test_tagged_fields_of_one_name_keep_their_tags() -> None:
    tagged = model(HEADER, field("A", "P", min=0, max=9), field("B"), field("A", "Q"))
    for text in (b"P=1;P=2;P=3;B=4;Q=5", b"P=1;B=4;Q=5", b"B=4;Q=5"):
        assert rewritten(tagged, b"H=x;" + text, "T") == b"H=h;" + text


@pytest.mark.parametrize("text", ["a1 a2 b1 a9", "b1 a9", "a1 b1 a9"])
def test_delimited_fields_of_one_name_keep_their_places(text: str) -> None:
    kind = TdsType(separation="tagged fixed length", tag_length=1)
    tagged = model(HEADER, field("A", "P", min=0, max=9), field("B"), field("A", "Q"), text=kind)
    *leading, _, _ = text.split()
    expected = "Hh" + "".join(f"P{each}" for each in leading) + "Bb1Qa9"
    assert from_xml(tagged, "<Head>h</Head>" + elements(text), "T") == expected.encode()


def test_fixed_text_pads_what_is_absent_before_a_field_of_its_name() -> None:
    fixed = model(
        HEADER, field("A", min=0, max=2), field("B"), field("A"), text=TdsType(separation="fixed length")
    )
    assert from_xml(fixed, "<Head>h</Head>" + elements("a1 b1 a9"), "T") == b"ha1  b1a9"
    delimited = model(HEADER, field("A", min=2, max=2), field("B"), field("A"), text=TdsType(delimiter=","))
    assert from_xml(delimited, "<Head>h</Head>" + elements("a1 b1 a9"), "T") == b"h,a1,,b1,a9"
    assert rewritten(delimited, b"x,a1,a2,b1,a9", "T") == b"h,a1,a2,b1,a9"


# Documents


def of_xml(*members: Field | Group) -> Model:
    return Model("R", {"M": Type(HEADER, *members)}, {"HOST": CwfFormat(), "XML": XmlFormat()})


@pytest.mark.parametrize("document", ["PPPBQ", "PBQ", "BQ", "PPPPPBQ"])
def test_fields_of_one_name_keep_their_own_names_in_xml(document: str) -> None:
    counted = of_xml(field("A", xml="P", min=0, max=9), field("B"), field("A", xml="Q"))
    text = f"<M><Head>x</Head>{''.join(f'<{each}>{each}1</{each}>' for each in document)}</M>".encode()
    assert rewritten(counted, text, "XML") == text.replace(b">x<", b">h<")


def test_a_field_directly_behind_a_bounded_one_of_its_name_in_xml() -> None:
    bounded = of_xml(field("A", xml="P", min=0, max=2), field("A", xml="Q"))
    for document in ("Q", "PQ", "PPQ"):
        text = f"<M><Head>x</Head>{''.join(f'<{each}/>' for each in document)}</M>".encode()
        expected = text.replace(b">x<", b">h<").replace(b"/>", b"></_>")
        for each in b"PQ":
            expected = expected.replace(b"<%c></_>" % each, b"<%c></%c>" % (each, each))
        assert rewritten(bounded, text, "XML") == expected


def test_a_group_that_repeats_before_a_field_of_its_name_in_xml() -> None:
    group = Group(field("A", xml="P"), field("B", min=0), min=0, max=3)
    repeated = of_xml(group, field("A", xml="Q"))
    for document in ("Q", "PBQ", "PBPPBQ", "PPPQ"):
        text = f"<M><Head>x</Head>{''.join(f'<{each}>1</{each}>' for each in document)}</M>".encode()
        assert rewritten(repeated, text, "XML") == text.replace(b">x<", b">h<")


def test_elements_of_one_name_are_fields_of_their_own_type() -> None:
    number = Field("Last", "integer", XML=Xml(name="V"))
    typed = of_xml(Field("First", min=0, max=9, XML=Xml(name="V")), field("B"), number)
    message = tree.parse(
        b"<M><Head>x</Head><V>07</V><V>08</V><B>b</B><V>09</V></M>", domain="MRM", model=typed, format="XML"
    )
    assert message.get(tree.Path("MRM", ("First", 2))) == "08"
    assert message.get(tree.Path("MRM", "Last")) == 9


# What was parsed stays what it was

ATTRIBUTE_TOO = (
    '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="M"><xs:complexType>'
    '<xs:sequence><xs:element name="Head"/><xs:element name="id" minOccurs="{least}"/></xs:sequence>'
    '<xs:attribute name="id" use="{use}"/></xs:complexType></xs:element></xs:schema>'
)
BOTH = b'<M id="1"><Head>x</Head><id>2</id></M>'


@pytest.mark.parametrize(
    ("least", "use", "document"),
    [
        (1, "required", BOTH),
        (0, "optional", BOTH),
        (0, "optional", b'<M id="1"><Head>x</Head></M>'),
        (0, "optional", b"<M><Head>x</Head><id>2</id></M>"),
    ],
)
def test_an_attribute_and_an_element_of_one_name(least: int, use: str, document: bytes) -> None:
    schema = import_xsd(ATTRIBUTE_TOO.format(least=least, use=use))
    assert rewritten(schema, document, "XML") == document.replace(b">x<", b">h<")


def test_an_attribute_first_in_the_model() -> None:
    attribute = Field("A", min=0, XML=Xml("attribute"))
    marked = Model("R", {"M": Type(Field("Head"), attribute, Field("A", min=0))}, {"XML": XmlFormat()})
    text = b"<M><Head>x</Head><A>2</A></M>"
    assert rewritten(marked, text, "XML") == text.replace(b">x<", b">h<")


def test_an_attribute_does_not_end_the_run_of_a_field() -> None:
    attribute = Field("K", min=0, XML=Xml("attribute"))
    typed = of_xml(
        Field("First", min=0, max=9, XML=Xml(name="V")),
        field("B"),
        Field("Last", XML=Xml(name="V")),
        attribute,
    )
    message = tree.parse(
        b'<M K="1"><Head>x</Head><V>7</V><B>b</B><V>9</V></M>', domain="MRM", model=typed, format="XML"
    )
    assert message.get(tree.Path("MRM", "First")) == "7"


def test_elements_of_one_name_in_two_namespaces(tmp_path: Path) -> None:
    (tmp_path / "b.xsd").write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b" '
        'elementFormDefault="qualified"><xs:element name="x" type="xs:string"/></xs:schema>'
    )
    (tmp_path / "a.xsd").write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:b="urn:b" targetNamespace="urn:a" '
        'elementFormDefault="qualified"><xs:import namespace="urn:b" schemaLocation="b.xsd"/>'
        '<xs:element name="M"><xs:complexType><xs:sequence><xs:element name="Head"/>'
        '<xs:element name="x" minOccurs="0" type="xs:string"/><xs:element ref="b:x" minOccurs="0"/>'
        "</xs:sequence></xs:complexType></xs:element></xs:schema>"
    )
    schema = import_xsd(tmp_path / "a.xsd")
    text = b'<M xmlns="urn:a" xmlns:b="urn:b"><Head>x</Head><b:x>1</b:x></M>'
    assert b"<NS2:x>1</NS2:x>" in rewritten(schema, text, "XML")


def test_a_copy_knows_an_attribute_from_an_element() -> None:
    schema = import_xsd(ATTRIBUTE_TOO.format(least=1, use="required"))
    source = tree.parse(BOTH, domain="MRM", model=schema, format="XML")
    source.set(HEAD, "h")
    target = tree.parse(BOTH.replace(b"2", b"3"), domain="MRM", model=schema, format="XML")
    target.set(HEAD, "g")
    target.body.assign(source.body)
    assert target.serialise() == source.serialise() == source.copy().serialise()
    assert target.serialise() == BOTH.replace(b">x<", b">h<")


def test_a_new_field_is_what_those_that_were_parsed_are_not() -> None:
    schema = import_xsd(ATTRIBUTE_TOO.format(least=0, use="optional"))
    for document in (b'<M id="1"><Head>x</Head></M>', b"<M><Head>x</Head><id>1</id></M>"):
        message = tree.parse(document, domain="MRM", model=schema, format="XML")
        message.set(tree.Path("MRM", ("id", 2)), "2")
        written = message.serialise()
        assert b"id=" in written
        assert b"<id>" in written
        assert written.replace(b"2", b"").replace(b' id=""', b"").replace(b"<id></id>", b"") == document


def test_a_group_of_two_fields_of_one_name_that_repeats_in_xml() -> None:
    group = Group(field("A", xml="P"), field("A", xml="Q"), max=3)
    text = b"<M><Head>x</Head><P>1</P><Q>2</Q><P>3</P><Q>4</Q></M>"
    assert rewritten(of_xml(group), text, "XML") == text.replace(b">x<", b">h<")


BEFORE_ANOTHER = Group(field("A", "P"), max=3)


@pytest.mark.parametrize("text", [b"P=1;P=2;B=3;Q=4", b"P=1;B=3;Q=4", b"P=1;P=2;P=3;B=3;Q=4", b"B=3;Q=4"])
def test_a_group_that_repeats_leaves_the_field_behind_it_in_tagged_text(text: bytes) -> None:
    tagged = model(HEADER, BEFORE_ANOTHER, field("B"), field("A", "Q"))
    assert rewritten(tagged, b"H=x;" + text, "T") == b"H=h;" + text


def test_a_group_that_repeats_before_a_field_of_its_name_from_another_format() -> None:
    group = Group(field("A", "P"), min=0, max=3)
    behind = model(HEADER, group, field("B"), field("A", "Q"))
    assert from_xml(behind, "<Head>h</Head>" + elements("a1 a2 b1 a9"), "T") == b"H=h;P=a1;P=a2;B=b1;Q=a9"
    directly = model(HEADER, group, field("A", "Q"))
    assert from_xml(directly, "<Head>h</Head>" + elements("a1 a2 a9"), "T") == b"H=h;P=a1;P=a2;Q=a9"


def test_what_repeats_together_behind_a_later_field_is_refused() -> None:
    group = Group(field("A", "P"), field("C"), min=0, max=3)
    mixed = model(HEADER, group, field("B"), field("A", "Q"))
    with pytest.raises(MQError, match=r"8130.*field C repeats in a group but follows"):
        from_xml(mixed, "<Head>h</Head>" + elements("a1 c1 b1 c2 a9"), "T")


def test_two_fields_of_one_name_that_repeat_together_in_tagged_text() -> None:
    together = model(HEADER, Group(field("A", "P"), field("A", "Q"), max=3))
    for text in (b"P=1;Q=2;P=3;Q=4", b"Q=1;P=2"):
        assert rewritten(together, b"H=x;" + text, "T") == b"H=h;" + text


def test_tagged_fields_in_another_order_keep_their_tags() -> None:
    tagged = model(HEADER, field("A", "P", min=0), field("A", "Q"), field("B"))
    assert rewritten(tagged, b"H=x;Q=1;P=2;B=3", "T") == b"H=h;P=2;Q=1;B=3"


def test_one_field_more_than_parts_of_its_name_is_refused() -> None:
    tagged = model(HEADER, field("A", "P", min=0), field("A", "Q"))
    message = tree.parse(b"H=x;P=1;Q=2", domain="MRM", model=tagged, format="T")
    message.set(tree.Path("MRM", ("A", 3)), "3")
    with pytest.raises(MQError, match=r"8130.*field A occurs more than 1 times"):
        message.serialise()


@pytest.mark.parametrize("format", ["T", "XML"])
def test_a_choice_before_a_choice_of_its_name(format: str) -> None:
    first = Group(field("B"), field("A", "P", "P"), compose="choice")
    second = Group(field("A", "Q", "Q"), compose="choice")
    chosen = model(HEADER, first, second)
    tagged = {"T": b"H=x;B=1;Q=2", "XML": b"<M><Head>x</Head><B>1</B><Q>2</Q></M>"}[format]
    expected = tagged.replace(b"H=x", b"H=h").replace(b">x<", b">h<")
    assert rewritten(chosen, tagged, format) == expected


def test_a_new_field_among_those_that_were_parsed() -> None:
    tagged = model(HEADER, field("A", "P", min=0, max=3), field("B"), field("A", "Q"))
    message = tree.parse(b"H=x;P=1;P=2;B=3;Q=4", domain="MRM", model=tagged, format="T")
    (before,) = [each for each in message.body if each.name == "B"]
    before.add_previous("A", "9")
    assert message.serialise() == b"H=x;P=1;P=2;P=9;B=3;Q=4"


def test_a_group_that_repeats_behind_a_field_of_its_name() -> None:
    group = Group(field("A", "Q"), min=0, max=3)
    behind = model(HEADER, field("A", "P"), field("B"), group)
    assert rewritten(behind, b"H=x;P=1;B=2;Q=3;Q=4", "T") == b"H=h;P=1;B=2;Q=3;Q=4"
    assert from_xml(behind, "<Head>h</Head>" + elements("a1 b1 a8 a9"), "T") == b"H=h;P=a1;B=b1;Q=a8;Q=a9"
    directly = model(HEADER, field("A", "P"), group)
    assert from_xml(directly, "<Head>h</Head>" + elements("a1 a8 a9"), "T") == b"H=h;P=a1;Q=a8;Q=a9"


def test_more_of_a_tag_than_its_field_may_have_is_refused() -> None:
    tagged = model(HEADER, field("A", "P", min=0, max=2), field("B"), field("A", "Q", min=0))
    with pytest.raises(MQError, match=r"8130.*field A occurs more than 2 times"):
        rewritten(tagged, b"H=x;P=1;P=2;P=3;B=4", "T")
