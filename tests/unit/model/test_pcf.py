"""PCF: every structure's bytes, round trips, names, and messages that lie about their lengths."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.pcf import Pcf, decode_pcf, encode_pcf
from penstock.model.pcf_names import command_name, describe, parameter_name, type_name
from penstock.model.pcf_parameters import (
    ByteString,
    ByteStringFilter,
    Group,
    Integer,
    Integer64,
    Integer64List,
    IntegerFilter,
    IntegerList,
    String,
    StringFilter,
    StringList,
)

ALL = (
    Integer(1, -5),
    String(2016, "ORDERS".ljust(48)),
    String(2016, "Grün", 37),
    IntegerList(3, (1, -2, 3)),
    IntegerList(3, ()),
    StringList(2020, ("A", "LONGER", ""), 0),
    StringList(2020, ("A", "B"), 500, 48),
    StringList(2020, ()),
    ByteString(7001, b"\x01\x02\x03"),
    Integer64(5, 2**40),
    Integer64List(6, (-(2**40), 7)),
    IntegerFilter(1, 4, 100),
    StringFilter(2016, 18, "ORD*"),
    ByteStringFilter(7001, 2, b"\xff"),
    Group(8001, (Integer(1, 1), Group(8002, (String(2, "in"),)), Integer(2, 2))),
    Group(8001, ()),
    Integer(9, 9),
)


def refused(data, reason=2149, **options):
    with pytest.raises(MQError) as caught:
        decode_pcf(data, **options)
    assert caught.value.reason == reason


@pytest.mark.parametrize("encoding", [546, 273])
@pytest.mark.parametrize("ccsid", [1208, 37, 1200])
def test_every_structure_round_trips(encoding, ccsid):
    pcf = Pcf(mq.MQCMD_PERFM_EVENT, ALL, reason=2224, comp_code=1)
    data = encode_pcf(pcf, encoding, ccsid)
    again = decode_pcf(data, encoding, ccsid)
    assert encode_pcf(again, encoding, ccsid) == data
    assert again == pcf


@pytest.mark.parametrize(
    ("parameter", "data"),
    [
        (Integer(1, 2), struct.pack(">4i", 3, 16, 1, 2)),
        (String(1, "abcde"), struct.pack(">5i", 4, 28, 1, 0, 5) + b"abcde\0\0\0"),
        (IntegerList(1, (7, 8)), struct.pack(">6i", 5, 24, 1, 2, 7, 8)),
        (StringList(1, ("a", "bcd")), struct.pack(">6i", 6, 32, 1, 0, 2, 3) + b"a  bcd\0\0"),
        (ByteString(1, b"xy"), struct.pack(">4i", 9, 20, 1, 2) + b"xy\0\0"),
        (IntegerFilter(1, 2, 3), struct.pack(">5i", 13, 20, 1, 2, 3)),
        (StringFilter(1, 18, "a*"), struct.pack(">6i", 14, 28, 1, 18, 0, 2) + b"a*\0\0"),
        (ByteStringFilter(1, 2, b"xy"), struct.pack(">5i", 15, 24, 1, 2, 2) + b"xy\0\0"),
        (Group(1, (Integer(2, 3),)), struct.pack(">8i", 20, 16, 1, 1, 3, 16, 2, 3)),
        (Integer64(1, 2), struct.pack(">4iq", 23, 24, 1, 0, 2)),
        (Integer64List(1, (2, 3)), struct.pack(">4i2q", 25, 32, 1, 2, 2, 3)),
    ],
)
def test_bytes_of_each_structure(parameter, data):
    head = struct.pack(">9i", 7, 36, 1, 45, 1, 1, 0, 0, 1)
    assert encode_pcf(Pcf(45, (parameter,)), 273) == head + data
    assert decode_pcf(head + data, 273).parameters == (parameter,)


def test_every_cut_is_refused():
    data = encode_pcf(Pcf(45, ALL))
    for length in range(len(data)):
        refused(data[:length])


def test_left_over_bytes_are_refused():
    refused(encode_pcf(Pcf(45)) + b"more")


@pytest.mark.parametrize("count", [-1, 1, 2**31 - 1])
def test_parameter_counts_that_lie_are_refused(count):
    data = bytearray(encode_pcf(Pcf(45)))
    struct.pack_into("<i", data, 32, count)
    refused(bytes(data))


@pytest.mark.parametrize(
    ("place", "value"), [(36, 99), (40, 0), (40, 8), (40, -1), (40, 2**31 - 1), (52, -1), (52, 9)]
)
def test_structures_that_lie_are_refused(place, value):
    data = bytearray(encode_pcf(Pcf(45, (String(1, "abcd"),))))
    struct.pack_into("<i", data, place, value)
    refused(bytes(data))


def test_lists_of_nothing_many_times_are_refused():
    data = bytearray(encode_pcf(Pcf(45, (StringList(1, ()),))))
    struct.pack_into("<i", data, 52, 2**31 - 1)
    refused(bytes(data))


def test_groups_nest_only_so_deep():
    parameter = Integer(1, 1)
    for _ in range(30):
        parameter = Group(8001, (parameter,))
    refused(encode_pcf(Pcf(45, (parameter,))))


def test_number_that_does_not_fit_is_refused():
    with pytest.raises(MQError) as caught:
        encode_pcf(Pcf(45, (Integer(1, 2**31),)))
    assert caught.value.reason == 2149


def test_unknown_ccsid_of_a_text_is_2111():
    data = bytearray(encode_pcf(Pcf(45, (String(1, "abcd"),))))
    struct.pack_into("<i", data, 48, 99999)
    refused(bytes(data), 2111)


def test_names_are_those_of_the_header_files():
    assert parameter_name(mq.MQCA_Q_NAME) == "MQCA_Q_NAME"
    assert parameter_name(mq.MQIA_CURRENT_Q_DEPTH) == "MQIA_CURRENT_Q_DEPTH"
    assert command_name(45) == "MQCMD_PERFM_EVENT"
    assert type_name(7) == "MQCFT_EVENT"
    assert parameter_name(999_999) == "999999"


def test_an_event_prints_as_a_dict():
    event = Pcf(
        mq.MQCMD_PERFM_EVENT,
        (
            String(mq.MQCA_Q_MGR_NAME, "QM1".ljust(48)),
            Integer(mq.MQIA_HIGH_Q_DEPTH, 80),
            ByteString(mq.MQBACF_CORREL_ID, b"\x01\x02"),
            Group(8888, (Integer(1, 1),)),
            Group(8888, (Integer(1, 2),)),
            Integer(9999, 1),
            Integer(9999, 2),
        ),
        reason=2224,
    )
    assert describe(event) == {
        "type": "MQCFT_EVENT",
        "command": "MQCMD_PERFM_EVENT",
        "comp_code": 0,
        "reason": 2224,
        "parameters": {
            "MQCA_Q_MGR_NAME": "QM1",
            "MQIA_HIGH_Q_DEPTH": 80,
            parameter_name(mq.MQBACF_CORREL_ID): "0102",
            "8888": [{parameter_name(1): 1}, {parameter_name(1): 2}],
            "9999": [1, 2],
        },
    }
    assert event.get(mq.MQCA_Q_MGR_NAME) == "QM1"
    assert event.get(12345) is None


numbers = st.integers(-(2**31), 2**31 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
listed = texts.map(lambda text: text.rstrip(" \0"))
leaves = st.one_of(
    st.builds(Integer, numbers, numbers),
    st.builds(String, numbers, texts),
    st.builds(IntegerList, numbers, st.lists(numbers, max_size=4).map(tuple)),
    st.builds(StringList, numbers, st.lists(listed, max_size=4).map(tuple)),
    st.builds(ByteString, numbers, st.binary(max_size=10)),
    st.builds(Integer64, numbers, st.integers(-(2**63), 2**63 - 1)),
    st.builds(StringFilter, numbers, numbers, texts),
)
trees = st.recursive(
    leaves, lambda below: st.builds(Group, numbers, st.lists(below, max_size=3).map(tuple)), max_leaves=6
)


@settings(max_examples=60)
@given(st.lists(trees, max_size=4).map(tuple), st.sampled_from([273, 546]))
def test_any_message_round_trips(parameters, encoding):
    pcf = Pcf(45, parameters)
    assert decode_pcf(encode_pcf(pcf, encoding), encoding) == pcf


@settings(max_examples=150)
@given(st.data())
def test_mutated_bytes_give_a_message_or_an_mq_error(draw):
    data = bytearray(encode_pcf(Pcf(45, ALL)))
    for _ in range(draw.draw(st.integers(1, 6))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        decode_pcf(bytes(data))
    except MQError:
        pass
