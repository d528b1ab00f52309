"""Modelled formats: what is written is read back the same, and no bytes bring a parser down.

Values, and the layouts of records, are drawn at random; damaged messages must give an error with a code
or a tree, never anything else.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError, tree
from penstock.tree.convert import convert
from penstock.tree.model import (
    Cwf,
    CwfFormat,
    Field,
    Model,
    Tds,
    TdsFormat,
    TdsType,
    Type,
    Xml,
    XmlFormat,
    import_copybook,
)

LETTERS = st.text(st.sampled_from("abcXYZ 019;:,\\\"'<&>{}|äß€"), max_size=12).map(lambda text: text.strip())
ITEM = Type(
    Field("Code", C=Cwf(length=30, units="characters")),
    Field("Price", "decimal", C=Cwf(length=6, scale=2)),
    T=TdsType(delimiter=",", indicator="{", terminator="}", escape="\\"),
)
ORDER = Type(
    Field("Text", C=Cwf(prefix=2), T=Tds(tag="TXT"), X=Xml("attribute")),
    Field("Number", "integer", C=Cwf(length=8), T=Tds(tag="NUM")),
    Field("Zoned", "integer", C=Cwf("external", length=9, sign="trailing"), T=Tds(tag="ZON")),
    Field("Float", "float", C=Cwf(), T=Tds(tag="FLT"), X=Xml("element attribute value")),
    Field("Day", "date", C=Cwf(length=10), T=Tds(tag="DAY")),
    Field("Truth", "boolean", C=Cwf(), T=Tds(tag="TRU")),
    Field("Blob", "binary", C=Cwf(prefix=1), T=Tds(tag="BLB")),
    Field("Count", "integer", C=Cwf(length=2), T=Tds(tag="CNT")),
    Field("Item", ITEM, min=0, max=20, C=Cwf(repeat_from="Count"), T=Tds(tag="ITM")),
    T=TdsType("tagged delimited", delimiter=";", tag_data_separator=":", escape="\\", terminator="|"),
)
MODEL = Model(
    "M",
    {"Order": ORDER},
    {"C": CwfFormat(ccsid=1200, encoding=273), "T": TdsFormat(), "X": XmlFormat()},
)
CENTS = st.integers(-(10**9), 10**9).map(lambda cents: Decimal(cents).scaleb(-2))
ITEMS = st.lists(st.tuples(LETTERS, CENTS), max_size=5)
ORDERS = st.fixed_dictionaries(
    {
        "Text": LETTERS,
        "Number": st.integers(-(2**63), 2**63 - 1),
        "Zoned": st.integers(-(10**9) + 1, 10**9 - 1),
        "Float": st.floats(allow_nan=False, allow_infinity=False),
        "Day": st.dates(dt.date(1000, 1, 1)),
        "Truth": st.booleans(),
        "Blob": st.binary(min_size=1, max_size=20),
    }
)


def built(values: dict[str, Any], items: list[tuple[str, Decimal]], format: str) -> tree.Message:
    message = tree.Message()
    message.body_as("MRM", MODEL_FOR[format], format=format)
    for field in ORDER.fields():  # XML is written in the order of the tree
        if field.name in values:
            message.set(tree.Path("MRM", field.name), values[field.name])
    message.set(tree.Path("MRM", "Count"), len(items))
    for number, (code, price) in enumerate(items, 1):
        message.set(tree.Path("MRM", ("Item", number), "Code"), code)
        message.set(tree.Path("MRM", ("Item", number), "Price"), price)
    return message


MODEL_FOR = {
    "C": Model("M", {"Order": ORDER}, {"C": CwfFormat(ccsid=923, encoding=273)}),
    "T": MODEL,
    "X": MODEL,
}


def contents(message: tree.Message) -> list[Any]:
    def shown(field: tree.Reference) -> Any:
        return (field.name, field.value if field.has_value else [shown(each) for each in field])

    assert message.body is not None
    return [shown(each) for each in message.body]


@settings(max_examples=150, deadline=None)
@given(ORDERS, ITEMS, st.sampled_from("CTX"))
def test_what_is_written_is_read_back(values: dict[str, Any], items: Any, format: str) -> None:
    message = built(values, items, format)
    data = message.serialise()
    again = tree.parse(data, domain="MRM", model=MODEL_FOR[format], format=format, timing="complete")
    found, expected = (sorted(contents(each), key=lambda pair: pair[0]) for each in (again, message))
    assert found == expected
    again.body_as("MRM", MODEL_FOR[format], format=format)
    assert again.serialise() == data


@settings(max_examples=60, deadline=None)
@given(ORDERS, ITEMS, st.sampled_from("CTX"), st.sampled_from("CTX"))
def test_formats_agree_with_each_other(values: dict[str, Any], items: Any, one: str, two: str) -> None:
    message = built(values, items, one)
    there = convert(message, "MRM", MODEL_FOR[two], format=two).serialise()
    back = tree.parse(there, domain="MRM", model=MODEL_FOR[two], format=two)
    assert convert(back, "MRM", MODEL_FOR[one], format=one).serialise() == message.serialise()


SAMPLE = {
    format: built(
        {
            "Text": "a;b",
            "Number": 1,
            "Zoned": -2,
            "Float": 1.5,
            "Day": dt.date(2026, 1, 1),
            "Truth": True,
            "Blob": b"\0",
        },
        [("x", Decimal("1.00")), ("y", Decimal("-2.50"))],
        format,
    ).serialise()
    for format in "CTX"
}


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from("CTX"),
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from("sid"), st.binary(min_size=1, max_size=3)), max_size=5
    ),
    st.sampled_from([None, 37, 819, 1200, 1208, 943]),
)
def test_damaged_messages_give_a_tree_or_an_error_with_a_code(
    format: str, edits: Any, ccsid: int | None
) -> None:
    data = bytearray(SAMPLE[format])
    for place, kind, piece in edits:
        at = place % (len(data) + 1)
        data[at : at + (len(piece) if kind != "i" else 0)] = b"" if kind == "d" else piece
    survives(bytes(data), MODEL_FOR[format], format, ccsid)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from("CTX"), st.binary(max_size=200))
def test_random_bytes_give_a_tree_or_an_error_with_a_code(format: str, data: bytes) -> None:
    survives(data, MODEL_FOR[format], format, None)


def survives(data: bytes, model: Model, format: str, ccsid: int | None) -> None:
    try:
        message = tree.parse(data, domain="MRM", model=model, format=format, ccsid=ccsid, timing="complete")
        message.body_as("MRM", model, format=format, ccsid=ccsid)
        message.serialise()
    except MQError as problem:
        assert problem.reason != 8101 or problem.fields["offset"] >= 0


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "01",
                "05",
                "10",
                "88",
                "R",
                "F",
                "G",
                ".",
                "PIC",
                "X(3)",
                "S9(4)V99",
                "COMP-3",
                "COMP",
                "OCCURS",
                "2",
                "TO",
                "5",
                "DEPENDING",
                "ON",
                "REDEFINES",
                "VALUE",
                "'a'",
                "SIGN",
                "LEADING",
                "SEPARATE",
                "SYNC",
                "FILLER",
                "COPY",
                "'",
                "(",
                "66",
                "\n",
            ]
        ),
        max_size=40,
    )
)
def test_random_copybooks_give_a_model_or_an_error_with_a_code(words: list[str]) -> None:
    try:
        model = import_copybook(" ".join(words), free=True)
        for name in model.messages:
            tree.parse(b"", domain="MRM", model=model, message=name)
    except MQError as problem:
        assert problem.reason in (8150, 8042)
