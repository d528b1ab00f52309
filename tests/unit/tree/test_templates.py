"""Messages of one model after another: what the first left behind must never show in the next."""

from __future__ import annotations

import random

import pytest

from penstock import tree
from penstock.model.errors import MQError
from penstock.tree import Limits, Message, Path, parse
from penstock.tree.model import Cwf, CwfFormat, Field, Model, Tds, TdsFormat, TdsType, Type

NAMES = [f"F{i}" for i in range(8)]
TAGGED = Model(
    "TAGGED",
    {
        "R": Type(
            *(Field(name, min=0, T=Tds(tag=name)) for name in NAMES),
            T=TdsType("tagged delimited", delimiter="*", tag_data_separator=":"),
        )
    },
    {"T": TdsFormat()},
)
NESTED = Model(
    "NESTED",
    {
        "R": Type(
            Field("ID", T=Tds(tag="ID")),
            Field(
                "ITEM",
                Type(
                    Field("A", min=0, T=Tds(tag="a")),
                    Field("B", min=0, T=Tds(tag="b")),
                    T=TdsType("tagged delimited", delimiter=",", tag_data_separator="=", terminator=";"),
                ),
                min=0,
                max=None,
                T=Tds(tag="ITEM"),
            ),
            T=TdsType("tagged delimited", delimiter="*", tag_data_separator=":"),
        )
    },
    {"T": TdsFormat()},
)
FIXED = Model(
    "FIXED",
    {
        "R": Type(
            Field("A", C=Cwf(length=4)),
            Field("G", Type(Field("B", "integer", C=Cwf(length=2)), Field("C", C=Cwf(length=3))), max=2),
            Field("Z", min=0, C=Cwf(length=2)),
        )
    },
    {"C": CwfFormat(ccsid=819, encoding=273)},
)


def fields(message: Message) -> list[tuple[str, object]]:
    return [(field.name, field.value) for field in message.body]


def links_are_sound(message: Message) -> bool:
    """Whether going forward and backward over the body meets the same fields."""
    body = message.body
    forward = [(field.name, field.value) for field in body]
    backward = []
    there = body.to_last_child()
    while there:
        backward.append((body.name, body.value))
        there = body.to_previous()
    return forward == backward[::-1]


def test_tagged_fields_in_any_order_and_number_follow_one_another() -> None:
    chance = random.Random(5)
    for _ in range(500):
        given = [(name, "v" * chance.randrange(4)) for name in NAMES if chance.random() < 0.8]
        if chance.random() < 0.2:
            chance.shuffle(given)
        body = "*".join(f"{name}:{value}" for name, value in given).encode()
        message = parse(body, domain="MRM", model=TAGGED)
        assert fields(message) == [(name, value) for name, value in given if value], body
        assert links_are_sound(message)


def test_a_tagged_message_that_changed_is_written_in_full() -> None:
    chance = random.Random(6)
    for _ in range(200):
        given = {name: f"v{chance.randrange(9)}" for name in NAMES if chance.random() < 0.9}
        message = parse("*".join(f"{n}:{v}" for n, v in given.items()).encode(), domain="MRM", model=TAGGED)
        changed = chance.choice(NAMES)
        if chance.random() < 0.3:
            message.delete(Path("MRM", changed))
            given.pop(changed, None)
        else:
            message.set(Path("MRM", changed), "new")
            given[changed] = "new"
        expected = "*".join(f"{n}:{given[n]}" for n in NAMES if n in given).encode()
        assert message.serialise() == expected


def test_groups_that_repeat_have_their_own_fields() -> None:
    for _ in range(3):
        body = b"ID:1*ITEM:a=x,b=y;*ITEM:b=z;*ITEM:a=p;*ITEM:a=q,b=r;"
        message = parse(body, domain="MRM", model=NESTED)
        items = [
            [(field.name, field.value) for field in item] for item in message.body if item.name == "ITEM"
        ]
        assert items == [[("A", "x"), ("B", "y")], [("B", "z")], [("A", "p")], [("A", "q"), ("B", "r")]]
        message.set(Path("MRM", "ID"), "2")
        assert message.serialise() == body.replace(b"ID:1", b"ID:2")


def test_fixed_records_of_two_lengths_take_turns() -> None:
    short, long = b"abcd\0\1xyz\0\2uvw", b"efgh\0\3xyz\0\4uvwZZ"
    for body in (short, long, long, short, short, long):
        message = parse(body, domain="MRM", model=FIXED)
        first = message.get(Path("MRM", ("G", 1), "B"))
        assert (first, message.get(Path("MRM", "A"))) == ((1, "abcd") if body is short else (3, "efgh"))
        assert message.get(Path("MRM", "Z")) == (tree.MISSING if body is short else "ZZ")
        assert links_are_sound(message)
        message.set(Path("MRM", ("G", 2), "C"), "new")
        assert message.serialise() == body.replace(b"uvw", b"new")


def test_fixed_records_below_headers_have_their_own_numbers() -> None:
    body = b"abcd\0\1xyz\0\2uvw"
    for headers in (0, 2, 1, 0):
        message = Message()
        for number in range(headers):
            message.set(Path("Properties", f"P{number}"), number)
        message.add_body(body, domain="MRM", model=FIXED)
        assert message.get(Path("MRM", ("G", 2), "C")) == "uvw"
        assert links_are_sound(message)


@pytest.mark.parametrize(("model", "body"), [(TAGGED, b"F0:a*F1:b*F2:c"), (FIXED, b"abcd\0\1xyz\0\2uvw")])
def test_the_limit_of_elements_holds_for_messages_after_the_first(model: Model, body: bytes) -> None:
    parse(body, domain="MRM", model=model).get(Path("MRM", "A"))
    with pytest.raises(MQError) as failure:
        parse(body, domain="MRM", model=model, limits=Limits(elements_max=4)).get(Path("MRM", "A"))
    assert failure.value.reason == 8111


def test_a_message_within_the_limit_is_read_though_its_model_has_more_fields() -> None:
    message = parse(b"F0:a*F1:b", domain="MRM", model=TAGGED, limits=Limits(elements_max=6))
    assert fields(message) == [("F0", "a"), ("F1", "b")]
