"""TDS: every separation kind with texts written by hand, read lazily and written back."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from penstock import MQError, tree
from penstock.tree.model import Field, Group, Model, Tds, TdsFormat, TdsType, Type

A, B, C = (tree.Path("MRM", name) for name in "ABC")


def model_of(*fields: Field | Group, said: TdsType, settings: TdsFormat | None = None, **about: Any) -> Model:
    return Model("M", {"R": Type(*fields, T=said, **about)}, {"T": settings or TdsFormat()})


def values(model: Model, data: bytes) -> list[Any]:
    """Names and values of the fields below MRM; folders as lists."""

    def shown(field: tree.Reference) -> Any:
        return (field.name, field.value) if field.has_value else (field.name, [shown(each) for each in field])

    message = tree.parse(data, domain="MRM", model=model, timing="complete")
    assert message.body is not None
    return [shown(each) for each in message.body]


def rewritten(model: Model, data: bytes, ccsid: int | None = None) -> bytes:
    """Serialise from the elements, not from the source."""
    message = tree.parse(data, domain="MRM", model=model, timing="complete", ccsid=ccsid)
    message.body_as("MRM", model, ccsid=ccsid)
    return message.serialise()


TAGGED = model_of(
    Field("A", T=Tds(tag="AA")),
    Field("B", "integer", T=Tds(tag="BB")),
    Field("C", "decimal", min=0, max=None, T=Tds(tag="CC")),
    said=TdsType("tagged delimited", delimiter="*", tag_data_separator=":", indicator="{", terminator="}"),
)


def test_tagged_delimited_in_any_order() -> None:
    assert values(TAGGED, b"{AA:x y*BB:5*CC:1.5*CC:2}") == [
        ("A", "x y"), ("B", 5), ("C", Decimal("1.5")), ("C", Decimal(2)),
    ]  # fmt: skip
    assert values(TAGGED, b"{CC:1*AA:x}") == [("C", Decimal(1)), ("A", "x")]
    assert values(TAGGED, b"{AA:x*}") == [("A", "x")]
    assert values(TAGGED, b"{}") == []


def test_tagged_delimited_is_written_in_the_order_of_the_model() -> None:
    message = tree.parse(b"{CC:1*AA:x}", domain="MRM", model=TAGGED)
    message.set(B, 7)
    assert message.serialise() == b"{AA:x*BB:7*CC:1}"


def test_fixed_length_of_tags_without_separator() -> None:
    model = model_of(
        Field("A", T=Tds(tag="AA")),
        Field("B", T=Tds(tag="BB")),
        said=TdsType("tagged delimited", delimiter="<CR><LF>", tag_length=2),
    )
    data = b"AAone\r\nBBtwo"
    assert values(model, data) == [("A", "one"), ("B", "two")]
    assert rewritten(model, data) == data


def test_tagged_fixed_length() -> None:
    model = model_of(
        Field("A", T=Tds(tag="AA", length=4)),
        Field("B", "integer", T=Tds(tag="BB", length=3)),
        said=TdsType("tagged fixed length", tag_length=2),
    )
    assert values(model, b"AAxy  BB007") == [("A", "xy"), ("B", 7)]
    assert rewritten(model, b"BB007AAxy  ") == b"AAxy  BB007"


def test_tagged_encoded_length() -> None:
    model = model_of(
        Field("A", T=Tds(tag="AA")),
        Field("B", T=Tds(tag="BB")),
        said=TdsType("tagged encoded length", tag_length=2, encoded_digits=3),
    )
    data = "AA005AA003BB002äö".encode()
    assert values(model, data) == [("A", "AA003"), ("B", "äö")]
    assert rewritten(model, data) == data


CSV = model_of(
    Field("A"),
    Field("B", "integer", min=0),
    Field("C", min=0),
    said=TdsType("all elements delimited", delimiter=",", quote='"'),
)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"x,1,y", [("A", "x"), ("B", 1), ("C", "y")]),
        (b"x,,y", [("A", "x"), ("C", "y")]),
        (b"x", [("A", "x")]),
        (b",1", [("A", ""), ("B", 1)]),
        (b'"a,b",1', [("A", "a,b"), ("B", 1)]),
        (b'"a""b"', [("A", 'a"b')]),
    ],
)
def test_all_elements_delimited(data: bytes, found: list[Any]) -> None:
    assert values(CSV, data) == found
    assert rewritten(CSV, data) == data


def test_assigned_values_are_quoted_or_escaped_where_they_must_be() -> None:
    message = tree.parse(b"x,1,y", domain="MRM", model=CSV)
    message.set(A, 'he said "a,b"')
    assert message.serialise() == b'"he said ""a,b""",1,y'
    escaped = model_of(
        Field("A"), Field("B"), said=TdsType(delimiter=";", terminator="END", escape="\\", reserved="|")
    )
    data = b"a\\;b\\\\;c\\|dEND"
    assert values(escaped, data) == [("A", "a;b\\"), ("B", "c|d")]
    assert rewritten(escaped, data) == data
    message = tree.Message()
    message.body_as("MRM", escaped)
    message.set(A, "x;y|z END")
    message.set(B, "\\")
    text = message.serialise()
    assert text == b"x\\;y\\|z \\END;\\\\END"
    assert values(escaped, text) == [("A", "x;y|z END"), ("B", "\\")]


def test_separators_in_values_without_escape_are_refused() -> None:
    message = tree.parse(b"{AA:x}", domain="MRM", model=TAGGED)
    message.set(A, "a*b")
    with pytest.raises(MQError, match="holds a separator"):
        message.serialise()


def test_trailing_delimiters_are_kept_where_the_model_says_so() -> None:
    fields = (Field("A"), Field("B", min=0), Field("C", min=0))
    kept = model_of(*fields, said=TdsType(delimiter="+", keep_trailing=True))
    assert rewritten(kept, b"a++") == b"a++"
    assert rewritten(model_of(*fields, said=TdsType(delimiter="+")), b"a++") == b"a"


def test_variable_length_elements_delimited() -> None:
    model = model_of(
        Field("A", T=Tds(length=2)),
        Field("B"),
        Field("C", "integer", T=Tds(length=3)),
        Field("D", min=0),
        said=TdsType("variable length elements delimited", delimiter="/"),
    )
    assert values(model, b"xxlong/007rest") == [("A", "xx"), ("B", "long"), ("C", 7), ("D", "rest")]
    for data in (b"xxlong/007rest", b"xxlong/007"):
        assert rewritten(model, data) == data


def test_fixed_length_with_repeats_padded() -> None:
    model = model_of(
        Field("A", T=Tds(length=3)),
        Field("B", "integer", min=0, max=2, T=Tds(length=2)),
        Field("C", T=Tds(length=3, justify="right", pad="*")),
        said=TdsType("fixed length"),
    )
    data = "äb 0102**c".encode()
    assert values(model, data) == [("A", "äb"), ("B", 1), ("B", 2), ("C", "c")]
    assert rewritten(model, data) == data
    message = tree.Message()
    message.body_as("MRM", model)
    message.set(A, "ö")
    message.set(C, "x")
    assert message.serialise() == "ö      **x".encode()


def test_repeating_element_delimiter_and_nested_groups() -> None:
    line = Type(
        Field("Code"),
        Field("Price", "decimal", T=Tds(point=",")),
        T=TdsType("all elements delimited", delimiter=":"),
    )
    model = model_of(
        Field("A", max=None, T=Tds(repeat_delimiter="^")),
        Field("Line", line, min=0, max=None, T=Tds(repeat_delimiter="~")),
        Field("C", min=0),
        said=TdsType(delimiter="|", terminator="<LF>"),
    )
    data = b"a^b|x:1,5~y:2|end\n"
    assert values(model, data) == [
        ("A", "a"),
        ("A", "b"),
        ("Line", [("Code", "x"), ("Price", Decimal("1.5"))]),
        ("Line", [("Code", "y"), ("Price", Decimal(2))]),
        ("C", "end"),
    ]
    assert rewritten(model, data) == data


def test_data_patterns_tell_elements_apart() -> None:
    record = Type(Field("Kind", T=Tds(length=3)), Field("Text", T=Tds(length=4)), T=TdsType("fixed length"))
    model = model_of(
        Field("Head", record, T=Tds(pattern="VPT.{4}")),
        Field("Body", record, min=0, max=None, T=Tds(pattern="VSF.{4}")),
        Field("Rest", min=0, T=Tds(pattern="[0-9]+")),
        said=TdsType("use data pattern"),
    )
    data = b"VPTaaaaVSFbbbbVSFcccc42"
    found = values(model, data)
    assert [name for name, _ in found] == ["Head", "Body", "Body", "Rest"]
    assert found[2][1] == [("Kind", "VSF"), ("Text", "cccc")]
    assert rewritten(model, data) == data
    message = tree.parse(data, domain="MRM", model=model)
    message.set(tree.Path("MRM", "Rest"), "x")
    with pytest.raises(MQError, match="does not match its pattern"):
        message.serialise()


def test_choice_by_tag_by_pattern_and_by_trial() -> None:
    tagged = model_of(
        Field("A", T=Tds(tag="A")), Field("B", T=Tds(tag="B")),
        said=TdsType("tagged delimited", delimiter=";", tag_data_separator="="), compose="choice",
    )  # fmt: skip
    assert values(tagged, b"B=2") == [("B", "2")]
    pattern = model_of(
        Field("A", "integer", T=Tds(pattern="[0-9]+")), Field("B", T=Tds(pattern="[a-z]+")),
        said=TdsType("use data pattern"), compose="choice",
    )  # fmt: skip
    assert values(pattern, b"abc") == [("B", "abc")]
    assert rewritten(pattern, b"123") == b"123"
    trial = model_of(
        Field("A", T=Tds(length=5)),
        Field("B", T=Tds(length=2)),
        said=TdsType("fixed length"),
        compose="choice",
    )
    assert values(trial, b"xy") == [("B", "xy")]


def test_groups_without_a_name_stand_among_the_fields_around_them() -> None:
    model = model_of(
        Field("A"),
        Group(Field("B"), Field("C"), T=TdsType(delimiter=":", indicator="(", terminator=")")),
        said=TdsType(delimiter=","),
    )
    assert values(model, b"a,(b:c)") == [("A", "a"), ("B", "b"), ("C", "c")]
    assert rewritten(model, b"a,(b:c)") == b"a,(b:c)"
    choice = Group(Field("B", T=Tds(tag="B")), Field("C", T=Tds(tag="C")), compose="choice")
    flat = model_of(
        Field("A", T=Tds(tag="A")), choice,
        said=TdsType("tagged delimited", delimiter=";", tag_data_separator="="),
    )  # fmt: skip
    assert rewritten(flat, b"A=1;C=3") == b"A=1;C=3"


def test_length_from_an_earlier_field() -> None:
    model = model_of(
        Field("A", "integer", T=Tds(length=2)),
        Field("B", T=Tds(length_from="A")),
        said=TdsType("fixed length"),
    )
    assert values(model, b"03abc") == [("A", 3), ("B", "abc")]


@pytest.mark.parametrize(
    ("logical", "said", "text", "value"),
    [
        ("integer", Tds(), "-42", -42),
        ("integer", Tds(length=5), "00042", 42),
        ("integer", Tds(length=5, pad=" "), "   42", 42),
        ("integer", Tds(length=5, justify="left", pad=" "), "42   ", 42),
        ("decimal", Tds(point=","), "1,50", Decimal("1.50")),
        ("decimal", Tds(scale=2), "150", Decimal("1.50")),
        ("float", Tds(), "1.5", 1.5),
        ("boolean", Tds(true="Y", false="N"), "N", False),
        ("binary", Tds(), "00FF", b"\0\xff"),
        ("binary", Tds(binary="base64"), "AP8=", b"\0\xff"),
        ("date", Tds(format="dd.MM.yyyy"), "31.01.2026", dt.date(2026, 1, 31)),
        ("time", Tds(format="HHmm"), "2359", dt.time(23, 59)),
        ("string", Tds(null="literal", null_value="-"), "-", None),
        ("integer", Tds(null="literal", null_value=""), "", None),
    ],
)
def test_values_of_all_logical_types(logical: str, said: Tds, text: str, value: Any) -> None:
    model = model_of(
        Field("A", logical, T=said),
        Field("B"),
        said=TdsType(delimiter=";", observe_length=said.length is not None),
    )
    model.messages["R"].members[1].formats["T"] = Tds(length=1)
    data = text.encode() + b";z"
    assert values(model, data)[0] == ("A", value)
    message = tree.Message()
    message.body_as("MRM", model)
    message.set(A, value)
    message.set(B, "z")
    assert message.serialise() == data


def test_other_character_sets() -> None:
    data = "{AA:größer*BB:1}".encode("cp500")
    message = tree.parse(data, domain="MRM", model=TAGGED, ccsid=500)
    assert message.get(A) == "größer"
    message.set(B, 2)
    assert message.serialise() == "{AA:größer*BB:2}".encode("cp500")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"{AA:x", b"{AA:x}y", b"{AA:x*XX:1}", b"{BB}", b"{AA:\xff}", b"AA:x}"]
)
def test_bad_text_is_refused_with_offset(data: bytes) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(data, domain="MRM", model=TAGGED, timing="complete")
    assert caught.value.reason == 8101
    assert 0 <= caught.value.fields["offset"] <= len(data)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([Field("A")], TdsType("tagged delimited", delimiter=";", tag_data_separator="=")),
        ([Field("A", T=Tds(tag="AAA"))], TdsType("tagged delimited", delimiter=";", tag_length=2)),
        ([Field("A")], TdsType("all elements delimited")),
        ([Field("A")], TdsType("fixed length")),
        ([Field("A", T=Tds(tag="A"))], TdsType("tagged encoded length", tag_length=1)),
        ([Field("A", T=Tds(pattern="("))], TdsType("use data pattern")),
        ([Field("A")], TdsType("comma separated", delimiter=",")),
        ([Field("A", "binary", T=Tds(binary="octal"))], TdsType(delimiter=",")),
    ],
)
def test_wrong_models_are_refused(fields: list[Field], said: TdsType) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(b"", domain="MRM", model=model_of(*fields, said=said))
    assert caught.value.reason == 8150


def test_a_type_that_holds_itself_is_refused() -> None:
    loop = Type(Field("A"), T=TdsType(delimiter=","))
    loop.members = (Field("Self", loop),)
    with pytest.raises(MQError, match="holds itself"):
        tree.parse(b"", domain="MRM", model=Model("M", {"R": loop}, {"T": TdsFormat()}))
