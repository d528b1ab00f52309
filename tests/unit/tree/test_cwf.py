"""CWF: fixed structures read lazily and written back, every physical type with bytes made by hand."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from penstock import MQError, tree
from penstock.tree.model import Cwf, CwfFormat, Field, Group, Model, Type

BIG, LITTLE, HOST = 273, 546, 785  # 785 is big-endian with S/390 floats


def model_of(*fields: Field | Group, ccsid: int = 819, encoding: int = BIG) -> Model:
    return Model("M", {"R": Type(*fields)}, {"CWF1": CwfFormat(ccsid=ccsid, encoding=encoding)})


def one(logical: str, physical: Cwf, **about: Any) -> Model:
    return model_of(Field("F", logical, CWF1=physical), **about)


def read(model: Model, data: bytes) -> Any:
    return tree.parse(data, domain="MRM", model=model).get(tree.Path("MRM", "F"))


def write(model: Model, value: Any) -> bytes:
    message = tree.Message()
    message.body_as("MRM", model)
    message.set(tree.Path("MRM", "F"), value)
    return message.serialise()


CASES: list[tuple[str, Cwf, dict[str, int], bytes, Any]] = [
    ("integer", Cwf(length=1), {}, b"\xff", -1),
    ("integer", Cwf(length=2), {}, b"\x01\x02", 258),
    ("integer", Cwf(length=2), {"encoding": LITTLE}, b"\x02\x01", 258),
    ("integer", Cwf(length=2, order="big"), {"encoding": LITTLE}, b"\x01\x02", 258),
    ("integer", Cwf(), {}, b"\xff\xff\xff\xfe", -2),
    ("integer", Cwf(signed=False), {}, b"\xff\xff\xff\xfe", 2**32 - 2),
    ("integer", Cwf(length=8), {"encoding": LITTLE}, b"\x00" * 7 + b"\x80", -(2**63)),
    ("integer", Cwf(length=8, signed=False), {}, b"\xff" * 8, 2**64 - 1),
    ("decimal", Cwf("integer", scale=2), {}, b"\xff\xff\xff\xff", Decimal("-0.01")),
    ("decimal", Cwf(length=3, scale=2), {}, b"\x12\x34\x5c", Decimal("123.45")),
    ("decimal", Cwf(length=3, scale=2), {}, b"\x12\x34\x5d", Decimal("-123.45")),
    ("integer", Cwf("packed", length=2, signed=False, positive="F"), {}, b"\x12\x3f", 123),
    (
        "decimal",
        Cwf(length=16, scale=3),
        {},
        bytes.fromhex("1234567890123456789012345678901c"),
        Decimal("1234567890123456789012345678.901"),
    ),
    ("integer", Cwf("external", length=4), {}, b"0042", 42),
    ("integer", Cwf("external", length=4, pad=" "), {}, b"  42", 42),
    ("decimal", Cwf("external", length=5, scale=2), {}, b"12345", Decimal("123.45")),
    ("integer", Cwf("external", length=3, sign="trailing"), {}, b"12s", -123),
    ("integer", Cwf("external", length=3, sign="trailing"), {"ccsid": 37}, b"\xf1\xf2\xd3", -123),
    ("integer", Cwf("external", length=3, sign="trailing"), {"ccsid": 37}, b"\xf1\xf2\xc3", 123),
    ("integer", Cwf("external", length=3, sign="leading"), {"ccsid": 37}, b"\xd1\xf2\xf3", -123),
    ("integer", Cwf("external", length=3, sign="leading", overpunch="ascii-ebcdic"), {}, b"J23", -123),
    ("integer", Cwf("external", length=4, sign="leading", separate=True), {}, b"-123", -123),
    (
        "integer",
        Cwf("external", length=4, sign="trailing", separate=True),
        {"ccsid": 37},
        b"\xf1\xf2\xf3\x4e",
        123,
    ),
    ("integer", Cwf("external", length=20), {}, b"12345678901234567890", 12345678901234567890),
    ("float", Cwf(), {}, b"\x3f\xf8\0\0\0\0\0\0", 1.5),
    ("float", Cwf(length=4), {"encoding": LITTLE}, b"\0\0\xc0\x3f", 1.5),
    ("float", Cwf(length=4), {"encoding": HOST}, b"\xc2\x76\xa0\x00", -118.625),
    ("float", Cwf(), {"encoding": HOST}, b"\x41\x10\0\0\0\0\0\0", 1.0),
    ("string", Cwf(length=5), {}, b"ab   ", "ab"),
    ("string", Cwf(length=5, justify="right"), {}, b"   ab", "ab"),
    ("string", Cwf(length=5, pad="*"), {}, b"ab***", "ab"),
    ("string", Cwf(length=5, trim=False), {}, b"ab   ", "ab   "),
    ("string", Cwf(length=4), {"ccsid": 1140}, b"\xc1\x9f\x40\x40", "A€"),
    ("string", Cwf(length=2, units="characters"), {"ccsid": 1200}, b"\0a\0 ", "a"),
    ("string", Cwf(prefix=1), {}, b"\x03abc", "abc"),
    ("string", Cwf(prefix=2), {"encoding": LITTLE}, b"\x03\0abc", "abc"),
    ("string", Cwf(terminated=True), {}, b"abc\0", "abc"),
    ("string", Cwf(terminated=True), {"ccsid": 1200}, b"\0a\x01\0\0\0", "aĀ"),
    ("string", Cwf(to_end=True, trim=False), {}, b"abc ", "abc "),
    ("binary", Cwf(length=3), {}, b"\0\xff\x01", b"\0\xff\x01"),
    ("boolean", Cwf(), {}, b"\x01", True),
    ("boolean", Cwf(true=b"Y", false=b"N"), {}, b"N", False),
    ("date", Cwf(length=8, format="yyyyMMdd"), {}, b"20260131", dt.date(2026, 1, 31)),
    ("date", Cwf("packed", length=5), {}, bytes.fromhex("020260131c"), dt.date(2026, 1, 31)),
    ("date", Cwf(length=5, format="yyDDD"), {"ccsid": 37}, b"\xf2\xf6\xf0\xf3\xf2", dt.date(2026, 2, 1)),
    ("time", Cwf(length=7, format="hh:mmaa"), {}, b"01:05PM", dt.time(13, 5)),
    ("dateTime", Cwf("seconds"), {}, b"\0\0\0\x3c", dt.datetime(1970, 1, 1, 0, 1)),  # noqa: DTZ001
    ("dateTime", Cwf("milliseconds"), {}, b"\0" * 6 + b"\x03\xe8", dt.datetime(1970, 1, 1, 0, 0, 1)),  # noqa: DTZ001
]


@pytest.mark.parametrize(("logical", "physical", "about", "data", "value"), CASES)
def test_physical_types_read_and_write(
    logical: str, physical: Cwf, about: dict[str, int], data: bytes, value: Any
) -> None:
    model = one(logical, physical, **about)
    found = read(model, data)
    assert found == value
    assert type(found) is type(value)
    assert write(model, value) == data


@pytest.mark.parametrize(
    ("logical", "physical", "data"),
    [
        ("decimal", Cwf(length=2), b"\x12\x34"),
        ("decimal", Cwf(length=2), b"\xa2\x3c"),
        ("decimal", Cwf(length=12), b"\xa2" * 12),
        ("integer", Cwf("external", length=2), b"1x"),
        ("integer", Cwf("external", length=2, sign="leading", separate=True), b"12"),
        ("boolean", Cwf(true=b"Y", false=b"N"), b"?"),
        ("date", Cwf(length=8, format="yyyyMMdd"), b"20261331"),
    ],
)
def test_bad_data_names_field_and_offset(logical: str, physical: Cwf, data: bytes) -> None:
    model = model_of(Field("A", "string", CWF1=Cwf(length=1)), Field("F", logical, CWF1=physical))
    with pytest.raises(MQError) as caught:
        tree.parse(b"x" + data, domain="MRM", model=model, timing="complete")
    assert caught.value.reason == 8151
    assert caught.value.fields == {"field": "F", "offset": 1}


@pytest.mark.parametrize(
    ("logical", "physical", "value"),
    [
        ("integer", Cwf(length=1), 128),
        ("integer", Cwf(length=1, signed=False), -1),
        ("decimal", Cwf(length=2), 1000),
        ("decimal", Cwf(length=2, signed=False), -1),
        ("decimal", Cwf(length=2, scale=1), Decimal("1.25")),
        ("integer", Cwf("external", length=2), 100),
        ("integer", Cwf("external", length=2), -1),
        ("string", Cwf(length=2), "abc"),
        ("string", Cwf(length=2), "€"),
        ("integer", Cwf(), "twelve"),
        ("integer", Cwf(), b"\1"),
        ("float", Cwf(length=4), 1e300),
    ],
)
def test_values_that_do_not_fit_are_refused(logical: str, physical: Cwf, value: Any) -> None:
    with pytest.raises(MQError) as caught:
        write(one(logical, physical), value)
    assert caught.value.reason == 8125
    assert "field F" in str(caught.value)


def test_decision_floats_are_rounded_to_the_decimals_of_a_field() -> None:
    assert write(one("decimal", Cwf(length=3, scale=2)), 1.2345) == b"\x00\x12\x3c"


@pytest.mark.parametrize(
    ("physical", "data"),
    [
        (Cwf(length=3, null="pad"), b"   "),
        (Cwf(length=3, null="fill", null_value="*"), b"***"),
        (Cwf(length=3, null="literal", null_value="n/a"), b"n/a"),
        (Cwf(length=3, null="value", null_value="-"), b"-  "),
    ],
)
def test_null_representations(physical: Cwf, data: bytes) -> None:
    model = one("string", physical)
    assert read(model, data) is None
    assert write(model, None) == data
    assert read(model, b"abc") == "abc"


def test_null_of_numbers_by_value() -> None:
    model = one("decimal", Cwf(length=2, null="value", null_value=999))
    assert read(model, b"\x99\x9c") is None
    assert write(model, None) == b"\x99\x9c"


NESTED = model_of(
    Field("N", "integer", CWF1=Cwf("external", length=2)),
    Field(
        "Line",
        Type(Field("Text", CWF1=Cwf(length=3)), Field("Price", "decimal", CWF1=Cwf(length=2, scale=2))),
        min=0,
        max=9,
        CWF1=Cwf(repeat_from="N"),
    ),
    Field("Two", "integer", max=2, min=2, CWF1=Cwf(length=2)),
    Field("Rest", "string", min=0, max=None, CWF1=Cwf(length=2)),
)
NESTED_DATA = b"02abc\x12\x3cd  \x00\x4d\x00\x01\x00\x02xxyy"
PRICE = tree.Path("MRM", ("Line", ...), "Price")


def test_repeats_by_count_by_field_and_to_the_end() -> None:
    message = tree.parse(NESTED_DATA, domain="MRM", model=NESTED)
    assert message.get_at(PRICE, 2) == Decimal("-0.04")
    assert message.get(tree.Path("MRM", ("Two", 2))) == 2
    assert message.cardinality(tree.Path("MRM", "Rest")) == 2


def test_changed_fields_are_encoded_and_counts_follow() -> None:
    message = tree.parse(NESTED_DATA, domain="MRM", model=NESTED)
    message.set(tree.Path("MRM", ("Line", 3), "Text"), "e")
    message.set(tree.Path("MRM", ("Line", 3), "Price"), 1)
    assert message.serialise() == b"03abc\x12\x3cd  \x00\x4de  \x10\x0c\x00\x01\x00\x02xxyy"


def test_untouched_record_is_written_as_it_came_and_in_another_encoding_anew() -> None:
    message = tree.parse(NESTED_DATA, domain="MRM", model=NESTED)
    assert message.serialise() is NESTED_DATA
    other = message.serialise(ccsid=37, encoding=LITTLE)
    assert other == b"\xf0\xf2\x81\x82\x83\x12\x3c\x84\x40\x40\x00\x4d\x01\x00\x02\x00\xa7\xa7\xa8\xa8"
    again = tree.parse(other, domain="MRM", model=NESTED, ccsid=37, encoding=LITTLE)
    assert again.serialise(ccsid=819, encoding=BIG) == NESTED_DATA


def test_alignment_and_skips() -> None:
    model = model_of(
        Field("A", CWF1=Cwf(length=1, lead=1)),
        Field("B", "integer", CWF1=Cwf(align=4, trail=2)),
        Field("C", CWF1=Cwf(length=1)),
    )
    data = b"\0a\0\0\0\0\0\x05\0\0c"
    message = tree.parse(data, domain="MRM", model=model)
    assert (message.get(tree.Path("MRM", "B")), message.get(tree.Path("MRM", "C"))) == (5, "c")
    message.set(tree.Path("MRM", "C"), "d")
    assert message.serialise() == data[:-1] + b"d"


def test_length_from_an_earlier_field() -> None:
    model = model_of(
        Field("L", "integer", CWF1=Cwf(length=1)),
        Field("F", CWF1=Cwf(length_from="L")),
        Field("E", CWF1=Cwf(length=1)),
    )
    message = tree.parse(b"\x03abc!", domain="MRM", model=model)
    assert message.get(tree.Path("MRM", "F")) == "abc"
    message.set(tree.Path("MRM", "F"), "hello")
    assert message.serialise() == b"\x05hello!"


CHOICE = model_of(
    Field("Kind", CWF1=Cwf(length=1)),
    Group(
        Field("Name", CWF1=Cwf(length=4, when=("Kind", ("N",)))),
        Field("Code", "integer", CWF1=Cwf(length=2, when=("Kind", ("C", "D")))),
        compose="choice",
    ),
)


def test_choice_by_an_earlier_field() -> None:
    assert tree.parse(b"Nbill", domain="MRM", model=CHOICE).get(tree.Path("MRM", "Name")) == "bill"
    message = tree.parse(b"D\x00\x07  ", domain="MRM", model=CHOICE)
    assert message.get(tree.Path("MRM", "Code")) == 7
    message.set(tree.Path("MRM", "Code"), 8)
    assert message.serialise() == b"D\x00\x08  "
    with pytest.raises(MQError, match="none of Name, Code"):
        tree.parse(b"X1234", domain="MRM", model=CHOICE, timing="immediate")


def test_choice_without_a_hint_takes_the_first_that_fits() -> None:
    model = model_of(
        Group(Field("Long", CWF1=Cwf(length=3)), Field("Any", CWF1=Cwf(to_end=True)), compose="choice")
    )
    assert tree.parse(b"ab", domain="MRM", model=model).get(tree.Path("MRM", "Any")) == "ab"


@pytest.mark.parametrize("data", [b"", b"0", b"02abc", NESTED_DATA + b"x", b"xx" + NESTED_DATA[2:], b"99"])
def test_records_of_a_wrong_length_are_refused_with_offset(data: bytes) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(data, domain="MRM", model=NESTED, timing="immediate")
    assert caught.value.reason in (8101, 8151)
    assert "offset" in caught.value.fields


def test_missing_fields_take_their_default_or_are_an_error() -> None:
    model = model_of(
        Field("A", default="?", CWF1=Cwf(length=2)),
        Field("F", CWF1=Cwf(length=1)),
        Field("Z", min=0, CWF1=Cwf(length=1)),
    )
    assert write(model, "f") == b"? f"
    message = tree.Message()
    message.body_as("MRM", model)
    message.set(tree.Path("MRM", "Z"), "z")
    with pytest.raises(MQError, match="field F is missing and has no default"):
        message.serialise()


def test_fields_that_the_model_does_not_know_are_left_out_and_order_does_not_matter() -> None:
    model = model_of(Field("A", CWF1=Cwf(length=1)), Field("B", CWF1=Cwf(length=1)))
    message = tree.Message()
    message.body_as("MRM", model)
    for name in ("B", "X", "A"):
        message.set(tree.Path("MRM", name), name)
    assert message.serialise() == b"AB"


@pytest.mark.parametrize(
    "fields",
    [
        [Field("F")],
        [Field("F", CWF1=Cwf(length_from="L"))],
        [Field("F", CWF1=Cwf("nothing", length=1))],
        [Field("F", "integer", CWF1=Cwf("string", length=1))],
        [Field("F", CWF1=Cwf(length=1, null="often"))],
        [Field("F", CWF1=Cwf(prefix=3))],
        [Field("F", Type())],
    ],
)
def test_wrong_models_are_refused_before_any_data(fields: list[Field]) -> None:
    with pytest.raises(MQError) as caught:
        tree.parse(b"", domain="MRM", model=model_of(*fields))
    assert caught.value.reason == 8150


def test_message_and_format_must_be_said_where_there_are_several() -> None:
    kind = Type(Field("F", A=Cwf(length=1), B=Cwf(length=1)))
    model = Model("M", {"R": kind, "S": kind}, {"A": CwfFormat(), "B": CwfFormat()})
    assert (
        tree.parse(b"x", domain="MRM", model=model, message="S", format="B").get(tree.Path("MRM", "F")) == "x"
    )
    for about in ({}, {"message": "S"}, {"message": "T", "format": "A"}, {"message": "S", "format": "C"}):
        with pytest.raises(MQError) as caught:
            tree.parse(b"x", domain="MRM", model=model, **about)
        assert caught.value.reason == 8132
