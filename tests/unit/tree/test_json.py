from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest

from penstock import MQError, tree
from penstock.tree import MISSING, Path

DATA = Path("JSON", "Data")


def parse(body: bytes, **options) -> tree.Message:
    return tree.parse(body, domain="JSON", **options)


def test_values_have_their_types():
    message = parse(b'{"i":12,"n":-0.5e3,"s":"x\\ud83d\\ude00\\n","t":true,"f":false,"z":null,"o":{},"a":[]}')
    values = [message.get(DATA / name) for name in "instfzoa"]
    assert values == [12, -500.0, "x😀\n", True, False, None, None, None]
    assert message.get(DATA / "q") is MISSING


def test_numbers_stay_the_digits_they_are():
    body = b'{"a":1.10,"b":100000000000000000000000,"c":1E5,"d":-0}'
    message = parse(body)
    assert message.get(DATA / "b") == 10**23
    message.set(DATA / "e", 1)
    assert message.serialise() == body[:-1] + b',"e":1}'


def test_arrays():
    message = parse(b'{"a":[1,[2,3],{"b":4}]}')
    assert message.cardinality(DATA / "a" / "Item") == 3
    assert message.get(DATA / "a" / ("Item", 2) / ("Item", -1)) == 3
    message.set(DATA / "a" / ("Item", 4), "x")
    assert message.serialise() == b'{"a":[1,[2,3],{"b":4},"x"]}'


def test_duplicate_names_are_two_fields():
    message = parse(b'{"a":1,"a":2}')
    assert message.get(DATA / ("a", 2)) == 2
    assert message.serialise(ccsid=1208) == b'{"a":1,"a":2}'


def test_names_that_look_like_steps():
    message = parse(b'{"@type":1,"{x}":2,"*":3,"":4,"a\\u0062\\n":5}')
    assert [message.get(DATA / tree.Step(name)) for name in ("@type", "{x}", "*", "", "ab\n")] == [
        1,
        2,
        3,
        4,
        5,
    ]
    message.set(DATA / "z", 6)
    assert message.serialise() == b'{"@type":1,"{x}":2,"*":3,"":4,"ab\\n":5,"z":6}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('a/b"\\\n\x01é', b'"a\\/b\\"\\\\\\n\\u0001\xc3\xa9"'),
        (1.0, b"1.0E+0"),
        (Decimal("1.50"), b"1.50"),
        (Decimal("1E+2"), b"100"),
        (b"\xab", b'"AB"'),
        (None, b"null"),
        (True, b"true"),
        (dt.date(2024, 1, 31), b'"2024-01-31"'),
    ],
)
def test_assigned_values(value: object, text: bytes):
    message = tree.Message()
    message.set(DATA / "v", value)
    assert message.serialise() == b'{"v":' + text + b"}"


REFUSED = rb"""1|"x"|{|[1,]|[,]|{"a"}|{"a":}|{a:1}|[01]|[1.]|[.5]|[1e]|[-]|[NaN]|[1] x|[1}|["|["\|[tru]|["\x"]
|["\ud800"]|["\udc00x"]""".split(b"|")


@pytest.mark.parametrize("body", [*REFUSED, b"", b'["\x01"]', b'["\xff"]'])
def test_refused(body: bytes):
    with pytest.raises(MQError) as caught:
        parse(body, timing="immediate")
    assert caught.value.reason == 8101


def test_values_beyond_their_type_are_refused_when_asked_for():
    message = parse(b'{"f":1e999,"i":' + b"9" * 5000 + b"}")
    for name in "fi":
        with pytest.raises(MQError) as caught:
            message.get(DATA / name)
        assert caught.value.reason == 8125
    assert b"1e999" in message.serialise(ccsid=1208)


def test_what_json_cannot_say_is_refused():
    for value in (float("nan"), float("inf"), Decimal("NaN"), "\ud800"):
        message = tree.Message()
        message.set(DATA / "a", value)
        with pytest.raises(MQError) as caught:
            message.serialise()
        assert caught.value.reason == 8130
    message = tree.Message()
    message.set(DATA, 1)
    with pytest.raises(MQError):
        message.serialise()


def test_a_json_body_in_another_character_set():
    message = parse('{"a":"é"}'.encode("cp500"), ccsid=500)
    assert message.get(DATA / "a") == "é"
    message.set(DATA / "b", 1)
    assert message.serialise() == '{"a":"é","b":1}'.encode("cp500")


def test_array_by_type():
    message = tree.Message()
    array = message.create(DATA / "list")
    array.type = tree.JSON_TYPES["Array"]
    for n in range(3):
        array.add_last_child("Item", n)
    assert message.serialise() == b'{"list":[0,1,2]}'


def test_deep_trees_are_written_without_recursion():
    message = tree.Message()
    here = message.create(DATA)
    for _ in range(50_000):
        here = here.add_last_child("a")
    assert message.serialise() == b'{"a":' * 50_000 + b"{}" + b"}" * 50_000
