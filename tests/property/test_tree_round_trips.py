"""There and back for the domains that have no file of their own: DFDL, headers, HTTP headers, BLOB.

parse(serialise(tree)) is the tree; serialise(parse(bytes)) are the bytes, where there is one way to say it.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError, tree
from penstock.tree.model import import_dfdl
from tests.unit.tree.test_dfdl import CSV, TAGGED
from tests.unit.tree.test_dfdl_statements import BINARY, OPTIONAL, RECORDS

CSV_MODEL, TAGGED_MODEL, RECORDS_MODEL = import_dfdl(CSV), import_dfdl(TAGGED), import_dfdl(RECORDS)
BINARY_MODEL, OPTIONAL_MODEL = import_dfdl(BINARY), import_dfdl(OPTIONAL)
MODELS = {
    "csv": (CSV_MODEL, b'Ann,30,1.50\n"B, C",7,-2.25\n'),
    "tagged": (TAGGED_MODEL, b"[h]x|-\n[body]4\n[body]5"),
    "records": (RECORDS_MODEL, b"P,Ann,30\nT,t1,2.50\nP,Bob,7\n"),
    "optional": (OPTIONAL_MODEL, b"h\nL1\nL2\nt"),
    "binary": (BINARY_MODEL, "04Bob       +".encode("cp037") + b"\0\5" + b"\x4b"),
}
WORDS = st.text("abcXYZ äö€,\"'<>;0", max_size=10)
CENTS = st.integers(-(10**8), 10**8)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(WORDS, st.integers(-(10**6), 10**6), CENTS), min_size=1, max_size=5))
def test_delimited_dfdl_is_read_again_as_it_was(rows: list[Any]) -> None:
    message = tree.Message()
    message.body_as("DFDL", CSV_MODEL)
    for n, (name, age, due) in enumerate(rows, 1):
        for field, value in (("Name", name), ("Age", age), ("Due", due)):
            message.set(tree.Path("DFDL", "File", ("Row", n), field), value)
    data = message.serialise()
    again = tree.parse(data, "DFDL", CSV_MODEL, timing="complete")
    for n, (name, age, due) in enumerate(rows, 1):
        assert again.get(tree.Path("DFDL", "File", ("Row", n), "Name")) == name
        assert again.get(tree.Path("DFDL", "File", ("Row", n), "Age")) == age
        assert again.get(tree.Path("DFDL", "File", ("Row", n), "Due")) == due
    again.body_as("DFDL", CSV_MODEL)
    assert again.serialise() == data


RECORD = st.one_of(
    st.tuples(st.just("P"), st.text("abcXYZ", min_size=1, max_size=5), st.integers(-999, 999)),
    st.tuples(st.just("T"), st.text("abcXYZ", min_size=1, max_size=5), CENTS),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(RECORD, min_size=1, max_size=6))
def test_branches_that_discriminators_choose_are_read_and_written(records: list[Any]) -> None:
    body = "".join(f"{kind},{one},{two}\n" for kind, one, two in records).encode()
    message = tree.parse(body, "DFDL", RECORDS_MODEL, timing="complete")
    for n, (kind, one, two) in enumerate(records, 1):
        branch, first, second = ("Person", "Name", "Age") if kind == "P" else ("Thing", "Id", "Price")
        assert message.get(tree.Path("DFDL", "M", ("Record", n), branch, first)) == one
        assert message.get(tree.Path("DFDL", "M", ("Record", n), branch, second)) == two
        message.set(tree.Path("DFDL", "M", ("Record", n), branch, first), one)
    assert message.serialise() == body


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-(2**15), 2**15 - 1), max_size=9), st.sampled_from(["00", "04", "55"]), CENTS)
def test_fixed_dfdl_is_read_and_written_byte_for_byte(extras: list[int], status: str, code: int) -> None:
    body = status.encode("cp037") + (
        code.to_bytes(4, "big", signed=True) if status == "55" else "Ann".ljust(10).encode("cp037")
    )
    body += b"".join(b"\x4e" + each.to_bytes(2, "big", signed=True) for each in extras) + b"\x4b"
    message = tree.parse(body, "DFDL", BINARY_MODEL, timing="complete")
    assert [message.get(tree.Path("DFDL", "M", ("Extra", n + 1), "V")) for n in range(len(extras))] == extras
    message.set(tree.Path("DFDL", "M", "End"), ".")
    assert message.serialise() == body


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(sorted(MODELS)),
    st.lists(st.tuples(st.integers(0, 60), st.binary(max_size=3), st.booleans()), max_size=4),
)
def test_damaged_dfdl_data_give_a_tree_or_an_error_with_offset(name: str, edits: list[Any]) -> None:
    model, sample = MODELS[name]
    data = bytearray(sample)
    for place, piece, over in edits:
        at = place % (len(data) + 1)
        data[at : at + (len(piece) or 1) if over else at] = piece
    try:
        message = tree.parse(bytes(data), "DFDL", model, timing="complete")
        message.body_as("DFDL", model)
        message.serialise()
    except MQError as problem:
        assert problem.reason in (8101, 8125, 8130, 8151)
        assert problem.reason != 8101 or 0 <= problem.fields["offset"] <= len(data)


LETTERS = st.text("ABCDEFGHIJ.0123456789", max_size=8)
NUMBER = st.integers(-(2**31), 2**31 - 1)
HEADERS: dict[str, dict[str, Any]] = {
    "MQDLH": {"Reason": NUMBER, "DestQName": LETTERS, "DestQMgrName": LETTERS, "PutApplName": LETTERS},
    "MQXQH": {"RemoteQName": LETTERS, "RemoteQMgrName": LETTERS},
    "MQMD": {
        "ReplyToQ": LETTERS,
        "Feedback": NUMBER,
        "UserIdentifier": LETTERS,
        "Priority": st.integers(0, 9),
    },
    "MQCIH": {"Flags": NUMBER, "TransactionId": st.text("ABCD", max_size=4)},
    "MQIIH": {"Flags": NUMBER, "LTermOverride": LETTERS},
    "MQMDE": {"MsgSeqNumber": st.integers(1, 99), "Offset": st.integers(0, 99)},
}


@pytest.mark.parametrize("name", sorted(HEADERS))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_headers_are_read_again_as_they_were(name: str, data: Any) -> None:
    message = tree.Message()
    folder = message.create(tree.Path(name))
    values = {field: data.draw(kind) for field, kind in HEADERS[name].items()}
    for field, value in values.items():
        message.set(tree.Path(name, field), value)
    packed = tree.bitstream(folder)
    again = tree.Message()
    place = again.create(tree.Path("Variables"))
    tree.parse_into(place, packed, name)
    for field, value in values.items():
        found = again.get(tree.Path("Variables", field))
        assert (found.rstrip() if isinstance(found, str) else found) == value
    assert tree.bitstream(place) == packed


TOKEN = st.text("ABCDEFabcdef-", min_size=1, max_size=8).filter(lambda text: text.strip("-") == text and text)
HTTP = ("HTTPInputHeader", "HTTPReplyHeader", "HTTPRequestHeader", "HTTPResponseHeader")


@pytest.mark.parametrize("name", HTTP)
@given(st.dictionaries(TOKEN, st.text("abc XYZ/;=019", max_size=12).map(str.strip), max_size=5))
@settings(max_examples=60, deadline=None)
def test_http_headers_are_read_again_as_they_were(name: str, fields: dict[str, str]) -> None:
    message = tree.Message()
    folder = message.create(tree.Path(name))
    for field, value in fields.items():
        folder.add_last_child(field).value = value
    data = tree.bitstream(folder)
    again = tree.Message()
    place = again.create(tree.Path("Variables"))
    tree.parse_into(place, data, name)
    assert {each.name: each.value for each in place} == fields
    assert tree.bitstream(place) == data


@given(st.binary(max_size=200))
def test_bytes_stay_bytes(body: bytes) -> None:
    message = tree.parse(body, "BLOB")
    assert message.get(tree.Path("BLOB", "BLOB")) == body
    message.set(tree.Path("BLOB", "BLOB"), body[::-1])
    assert message.serialise() == body[::-1]
