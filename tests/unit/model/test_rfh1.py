"""MQRFH version 1: names and values in a string."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.rfh1 import Rfh1, unpack_rfh1


@pytest.mark.parametrize("encoding", [546, 273])
@pytest.mark.parametrize("ccsid", [1208, 37])
def test_round_trip(encoding, ccsid):
    header = Rfh1(
        (("MQPSCommand", "Publish"), ("MQPSTopic", "a b"), ("quote", 'say "x"'), ("e", "")),
        273,
        37,
        "MQSTR",
        1,
    )
    data = header.pack(encoding, ccsid)
    assert len(data) % 4 == 0
    assert unpack_rfh1(data + b"body", encoding, ccsid) == (header, len(data))


def test_the_string_as_publish_subscribe_programs_write_it():
    data = Rfh1((("MQPSCommand", "RegSub"), ("MQPSTopic", "Sport/Soccer ")), format="MQSTR").pack()
    assert data[32:] == b'MQPSCommand RegSub MQPSTopic "Sport/Soccer "'
    padded = data[:32] + b"MQPSCommand  RegSub" + bytes(25)
    assert unpack_rfh1(padded)[0].pairs == (("MQPSCommand", "RegSub"),)


@pytest.mark.parametrize("text", [b"a  ", b'"a b   ', b'a"b c   ', b"a b c ", b'"a"b c'])
def test_bad_strings_raise_2335(text):
    text = text.ljust(16)
    data = bytearray(Rfh1().pack()) + text
    data[8] = len(data)
    with pytest.raises(MQError) as caught:
        unpack_rfh1(bytes(data))
    assert caught.value.reason == 2335


def test_a_length_that_lies_raises_2334():
    data = bytearray(Rfh1((("a", "b"),)).pack())
    for length in (0, 31, 37, 200):
        data[8] = length
        with pytest.raises(MQError) as caught:
            unpack_rfh1(bytes(data))
        assert caught.value.reason == 2334


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            *[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)] * 2
        )
    ),
    st.sampled_from([273, 546]),
)
def test_any_pairs_round_trip(pairs, encoding):
    header = Rfh1(tuple(pairs))
    assert unpack_rfh1(header.pack(encoding), encoding)[0] == header


@settings(max_examples=60)
@given(st.binary(max_size=80))
def test_any_bytes_give_pairs_or_an_mq_error(data):
    for prefix in (b"", b"RFH \x01\0\0\0\x30\0\0\0"):
        try:
            unpack_rfh1(prefix + data)
        except MQError:
            pass
