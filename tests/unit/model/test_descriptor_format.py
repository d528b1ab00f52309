"""MQMD as bytes: places of the fields, both versions, byte orders and code pages."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model.descriptor_format import (
    format_put_time,
    pack_descriptor,
    parse_put_time,
    unpack_descriptor,
)
from penstock.model.errors import MQError
from penstock.model.message import NEVER, Descriptor, Message


def sample() -> Message:
    descriptor = Descriptor(
        report=0x100,
        msg_type=1,
        feedback=258,
        encoding=273,
        ccsid=37,
        format="MQSTR",
        reply_to="REPLIES",
        reply_to_qmgr="QM2",
        user_id="alice",
        accounting_token=b"\x16" + bytes(31),
        appl_identity_data="ident",
        put_appl_type=6,
        put_appl_name="program",
        appl_origin_data="orig",
        group_id=b"g" * 24,
        seq_number=3,
        offset=10,
        flags=8,
        original_length=77,
    )
    message = Message(b"", b"m" * 24, b"c" * 24, True, 4, 1_700_000_000.25, 1_700_000_030.25, descriptor)
    message.backout_count = 2
    message.remaining = 12.3
    return message


def fields_of(message: Message) -> tuple:
    return (
        message.msg_id,
        message.correl_id,
        message.persistent,
        message.priority,
        message.put_time,
        message.backout_count,
        message.remaining,
        message.descriptor,
    )


def test_fields_stand_where_mq_has_them():
    data = pack_descriptor(sample(), 2, 546, 1208)
    assert len(data) == 364
    assert data[:4] == b"MD  "
    assert struct.unpack_from("<8i", data, 4) == (2, 0x100, 1, 123, 258, 273, 37, 0x5453514D)
    assert data[32:40] == b"MQSTR   "
    assert struct.unpack_from("<2i", data, 40) == (4, 1)
    assert data[48:72] == b"m" * 24
    assert data[72:96] == b"c" * 24
    assert struct.unpack_from("<i", data, 96) == (2,)
    assert data[100:148].rstrip() == b"REPLIES"
    assert data[148:196].rstrip() == b"QM2"
    assert data[196:208] == b"alice       "
    assert data[208:240] == b"\x16" + bytes(31)
    assert data[240:272].rstrip() == b"ident"
    assert struct.unpack_from("<i", data, 272) == (6,)
    assert data[276:304].rstrip() == b"program"
    assert data[304:324] == b"20231114" + b"22132025" + b"orig"
    assert data[324:348] == b"g" * 24
    assert struct.unpack_from("<4i", data, 348) == (3, 10, 8, 77)


def test_version_1_is_324_bytes_and_leaves_out_the_group():
    data = pack_descriptor(sample(), 1)
    assert len(data) == 324
    assert unpack_descriptor(data).descriptor.group_id == bytes(24)
    assert unpack_descriptor(data).descriptor.seq_number == 1


@pytest.mark.parametrize("encoding", [546, 273, 785])
@pytest.mark.parametrize("ccsid", [1208, 819, 37, 1047])
def test_round_trip_in_every_order_and_page(encoding, ccsid):
    data = pack_descriptor(sample(), 2, encoding, ccsid)
    again = unpack_descriptor(data, encoding, ccsid)
    assert fields_of(again) == fields_of(sample())
    assert pack_descriptor(again, 2, encoding, ccsid) == data


def test_names_are_ebcdic_in_an_ebcdic_page():
    data = pack_descriptor(sample(), 2, 785, 37)
    assert data[:4] == "MD  ".encode("cp037")
    assert data[100:107] == "REPLIES".encode("cp037")
    assert data[107:108] == b"\x40"


def test_expiry_counts_in_tenths_and_never_is_minus_one():
    message = sample()
    assert struct.unpack_from("<i", pack_descriptor(message, now=1_700_000_010.25), 16) == (200,)
    message.expires_at = NEVER
    assert struct.unpack_from("<i", pack_descriptor(message), 16) == (-1,)
    assert unpack_descriptor(pack_descriptor(message)).expires_at == NEVER


def test_expiry_counts_from_now_when_it_is_given():
    again = unpack_descriptor(pack_descriptor(sample()), now=5000.0)
    assert again.expires_at == pytest.approx(5012.3)


@pytest.mark.parametrize("data", [b"", b"MD  ", bytes(400), b"XX  " + bytes(360), b"MD  \x03" + bytes(380)])
def test_short_or_foreign_bytes_raise_2026(data):
    with pytest.raises(MQError) as caught:
        unpack_descriptor(data)
    assert caught.value.reason == 2026


def test_version_2_that_is_only_324_bytes_long_raises_2026():
    with pytest.raises(MQError) as caught:
        unpack_descriptor(pack_descriptor(sample(), 2)[:324])
    assert caught.value.reason == 2026


def test_text_longer_than_its_field_raises_2026():
    message = Message(b"", descriptor=Descriptor(user_id="x" * 13))
    with pytest.raises(MQError) as caught:
        pack_descriptor(message)
    assert caught.value.reason == 2026


def test_put_time_is_gmt_in_hundredths():
    assert format_put_time(1_700_000_000.25) == ("20231114", "22132025")
    assert parse_put_time("20231114", "22132025") == 1_700_000_000.25
    assert format_put_time(1_700_000_000.2589) == (
        "20231114",
        "22132025",
    )  # rounded up, it would be in the future
    assert format_put_time(0.0) == ("", "")


@pytest.mark.parametrize(
    ("date", "time"), [("", ""), ("20231399", "22132025"), ("2023 114", "22132025"), ("²0231114", "2213202x")]
)
def test_dates_that_are_none_read_as_not_set(date, time):
    assert parse_put_time(date, time) == 0.0


@settings(max_examples=50)
@given(st.integers(1, 253_402_300_799 * 100 // 1))
def test_put_time_round_trip(hundredths):
    put_time = hundredths / 100
    assert parse_put_time(*format_put_time(put_time)) == pytest.approx(put_time, abs=0.0051)


@settings(max_examples=100)
@given(st.binary(max_size=380), st.sampled_from([546, 273, 0]), st.sampled_from([1208, 37, 1200, 5]))
def test_any_bytes_give_a_message_or_an_mq_error(data, encoding, ccsid):
    for prefix in (b"", b"MD  \x02\0\0\0"):
        try:
            unpack_descriptor(prefix + data, encoding, ccsid)
        except MQError:
            pass
