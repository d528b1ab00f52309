"""The fixed headers: lengths, places, both byte orders, wrong identifiers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.headers import (
    DeadLetterHeader,
    DescriptorExtension,
    ProgramTrigger,
    TransmissionHeader,
    TriggerMessage,
    extension_of,
)
from penstock.model.message import Descriptor, Message

DEAD = DeadLetterHeader(2053, "ORDERS", "QM1", 273, 37, "MQSTR", 6, "program", "20240229", "12345678")
TRIGGER = TriggerMessage("ORDERS", "PROCESS", "data", 6, "/bin/program", "env", "user")
EXTENSION = DescriptorExtension(273, 37, "MQSTR", 0, b"g" * 24, 2, 100, 8, 500)
HEADERS = [
    (DEAD, 172, 2141),
    (TRIGGER, 684, 2265),
    (TRIGGER.for_program("QM1"), 732, 2191),
    (EXTENSION, 72, 2248),
]


@pytest.mark.parametrize(("header", "length", "reason"), HEADERS)
@pytest.mark.parametrize("encoding", [546, 273])
@pytest.mark.parametrize("ccsid", [1208, 500])
def test_round_trip(header, length, reason, encoding, ccsid):
    data = header.pack(encoding, ccsid)
    assert len(data) == length
    assert type(header).unpack(data + b"the body", encoding, ccsid) == header


@pytest.mark.parametrize(("header", "length", "reason"), HEADERS)
def test_short_foreign_or_newer_structure_raises_its_reason(header, length, reason):
    data = header.pack()
    for bad in (data[:-1], b"XXXX" + data[4:], data[:4] + b"9999" + data[8:]):
        with pytest.raises(MQError) as caught:
            type(header).unpack(bad)
        assert caught.value.reason == reason


def test_dead_letter_fields_stand_where_mq_has_them():
    data = DEAD.pack(273)
    assert data[:12] == b"DLH \0\0\0\x01\0\0\x08\x05"
    assert data[12:60].rstrip() == b"ORDERS"
    assert data[60:108].rstrip() == b"QM1"
    assert data[108:116] == b"\0\0\x01\x11\0\0\0\x25"
    assert data[116:124] == b"MQSTR   "
    assert data[128:156].rstrip() == b"program"
    assert data[156:] == b"2024022912345678"


def test_transmission_header_embeds_a_version_1_descriptor():
    message = Message(
        b"body", b"m" * 24, b"c" * 24, True, 5, descriptor=Descriptor(format="MQSTR", reply_to="R")
    )
    data = TransmissionHeader("REMOTE.Q", "QM9", message).pack(273, 37)
    assert len(data) == 428
    assert data[104:108] == "MD  ".encode("cp037")
    again = TransmissionHeader.unpack(data, 273, 37)
    assert (again.queue, again.qmgr) == ("REMOTE.Q", "QM9")
    assert again.message.msg_id == b"m" * 24
    assert again.message.persistent
    assert again.message.descriptor == message.descriptor
    assert again.pack(273, 37) == data


@pytest.mark.parametrize("cut", [0, 50, 104, 200, 427])
def test_cut_transmission_header_raises_2260(cut):
    data = TransmissionHeader("Q", "QM", Message(b"")).pack()
    with pytest.raises(MQError) as caught:
        TransmissionHeader.unpack(data[:cut])
    assert caught.value.reason == 2260


def test_program_trigger_is_text_only_with_version_2():
    data = TRIGGER.for_program("QM1").pack()
    assert data[:8] == b"TMC    2"
    assert data[-48:].rstrip() == b"QM1"
    assert isinstance(ProgramTrigger.unpack(data).appl_type, str)


def test_extension_is_made_only_when_a_version_2_field_is_used():
    assert extension_of(Descriptor()) is None
    made = extension_of(Descriptor(group_id=b"g" * 24, seq_number=2, flags=8, format="MQSTR"))
    assert made == DescriptorExtension(546, 1208, "MQSTR", 0, b"g" * 24, 2, 0, 8, -1)


def test_extension_that_lies_about_its_length_raises_2248():
    data = EXTENSION.pack()
    with pytest.raises(MQError) as caught:
        DescriptorExtension.unpack(data[:8] + b"\xff\xff\xff\x7f" + data[12:])
    assert caught.value.reason == 2248


@settings(max_examples=60)
@given(st.sampled_from(HEADERS), st.data())
def test_mutated_bytes_give_a_header_or_an_mq_error(case, draw):
    header = case[0]
    data = bytearray(header.pack())
    for _ in range(draw.draw(st.integers(1, 5))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        type(header).unpack(bytes(data))
    except MQError:
        pass
