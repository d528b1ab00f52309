"""Every parser on changed and random input: a clear error or a tree, never a crash, a hang or another error.

A tree that came out of it is shown, copied and written anew; what was written is read again.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import MQError, tree
from penstock.model.headers import DeadLetterHeader, TransmissionHeader
from penstock.model.message import Descriptor, Message
from penstock.model.rfh1 import Rfh1
from penstock.model.rfh2 import Rfh2
from tests.unit.tree.swift_messages import MT103, MT543, MT940
from tests.unit.tree.test_mime import MULTI, SINGLE
from tests.unit.tree.test_soap import envelope

RFH2 = Rfh2(("<usr><n dt='i4'>5</n><t>a&lt;b</t></usr>", "<mcd><Msd>XMLNSC</Msd></mcd>"), 546, 1208, "MQSTR")
RFH1 = Rfh1((("a", "b c"), ("d", 'e"f')), 546, 819, "MQSTR")
DEAD = DeadLetterHeader(2053, "Q", "QM", 546, 1208, "MQHRF2")
SEEDS: dict[str, list[bytes]] = {
    "SWIFT": [MT543, MT103, MT940, MT543.replace(b"\r\n", b"\n")],
    "MIME": [MULTI, SINGLE],
    "SOAP": [envelope(), envelope("1.2")],
    "MQRFH2": [RFH2.pack()],
    "MQRFH": [RFH1.pack()],
    "MQDLH": [DEAD.pack()],
    "MQXQH": [TransmissionHeader("Q", "QM", Message(b"")).pack()],
    "MQCIH": [tree.bitstream(tree.Message().create(tree.Path("MQCIH")))],
    "MQIIH": [tree.bitstream(tree.Message().create(tree.Path("MQIIH")))],
    "MQMDE": [tree.bitstream(tree.Message().create(tree.Path("MQMDE")))],
    "MQMD": [tree.bitstream(tree.Message().create(tree.Path("MQMD")))],
    "HTTPInputHeader": [b"Host: a\r\nAccept: */*\r\nX: y z\r\n"],
    "BLOB": [b"abc"],
    "XMLNSC": [b'<a b="c"><d xmlns="u">e&amp;f</d><![CDATA[g]]></a>'],
    "JSON": [b'{"a": [1, 2.5, "x\\u0041", null, {"b": true}]}'],
}
FRAGMENTS = [
    b"{",
    b"}",
    b":",
    b"-}",
    b"\r\n",
    b"\n:",
    b"//",
    b"<",
    b">",
    b"--",
    b"\0",
    b"\xff",
    b"=",
    b'"',
    b"&",
    b"16R:A",
]


def changed(seed: bytes, chance: random.Random) -> bytes:
    body = bytearray(seed)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(body) + 1)
        how = chance.randrange(4)
        if how == 0:
            body[at:at] = chance.choice(FRAGMENTS)
        elif how == 1:
            del body[at : at + chance.randrange(1, 9)]
        elif how == 2 and at < len(body):
            body[at] = chance.randrange(256)
        else:
            begin = chance.randrange(len(body) + 1)
            body[at:at] = body[begin : begin + chance.randrange(1, 20)]
    return bytes(body)


def survives(domain: str, body: bytes) -> None:
    try:
        message = tree.Message()
        folder = message.create(tree.Path("Variables"))
        tree.parse_into(folder, body, domain)
        str(message)
        copy = message.copy()
        again = tree.bitstream(copy.create(tree.Path("Variables")))
    except MQError as problem:
        assert problem.reason >= 2000, problem
        assert problem.reason not in (8101, 8143) or problem.fields["offset"] >= 0, problem
        return
    second = tree.Message()
    place = second.create(tree.Path("Variables"))
    tree.parse_into(place, again, domain)
    assert str(second) == str(message), (body, again)


@pytest.mark.parametrize("domain", sorted(SEEDS))
@given(number=st.integers(0, 2**32))
@settings(max_examples=150)
def test_changed_input_is_an_error_or_a_tree(domain: str, number: int) -> None:
    chance = random.Random(number)
    survives(domain, changed(chance.choice(SEEDS[domain]), chance))


@pytest.mark.parametrize("domain", sorted(SEEDS))
@given(body=st.binary(max_size=80))
@settings(max_examples=60)
def test_random_input_is_an_error_or_a_tree(domain: str, body: bytes) -> None:
    survives(domain, body)


@given(number=st.integers(0, 2**32))
@settings(max_examples=300)
def test_changed_chains_of_headers(number: int) -> None:
    chance = random.Random(number)
    body = changed(DEAD.pack() + RFH2.pack() + b"<a>1</a>", chance)
    try:
        message = tree.parse_message(Message(body, descriptor=Descriptor(format="MQDEAD")), "XMLNSC")
        str(message)
        back = tree.serialise_message(message)
    except MQError as problem:
        assert problem.reason >= 2000, problem
        return
    assert back.body == body
