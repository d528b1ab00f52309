"""Data conversion on get: what is converted, and which warning says what was not."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model import conversion
from penstock.model.conversion import Converted, convert
from penstock.model.headers import DeadLetterHeader, DescriptorExtension, TransmissionHeader, TriggerMessage
from penstock.model.message import Descriptor, Message
from penstock.model.pcf import Pcf, decode_pcf, encode_pcf
from penstock.model.pcf_parameters import Group, Integer, String, StringList
from penstock.model.rfh1 import Rfh1, unpack_rfh1
from penstock.model.rfh2 import Rfh2, unpack_rfh2

HERE = (1208, 546)
HOST = (37, 785)


def unconverted(body, format, source=HERE, target=HOST, **options):
    result = convert(body, format, *source, *target, **options)
    assert (result.body, result.ccsid, result.encoding, result.format) == (body, *source, format)
    return result.warning


# What is converted


def test_text_to_the_host_and_back():
    there = convert("Hällo".encode(), "MQSTR", *HERE, *HOST)
    assert there == Converted("Hällo".encode("cp037"), 37, 785, "MQSTR")
    assert convert(there.body, "MQSTR", *HOST, *HERE) == Converted("Hällo".encode(), 1208, 546, "MQSTR")


def test_format_may_be_padded_as_in_the_descriptor():
    assert convert(b"A", "MQSTR   ", *HERE, *HOST).body == b"\xc1"


def test_two_byte_unicode_takes_the_byte_order_of_the_encoding():
    assert convert(b"A", "MQSTR", *HERE, 1200, 273).body == b"\0A"
    assert convert(b"A", "MQSTR", *HERE, 1200, 546).body == b"A\0"
    assert convert(b"\0A", "MQSTR", 1200, 273, 1200, 546).body == b"A\0"


def test_text_in_the_right_set_only_changes_its_encoding():
    assert convert(b"\xc1", "MQSTR", 37, 546, 37, 273) == Converted(b"\xc1", 37, 273, "MQSTR")


@pytest.mark.parametrize("format", ["", "MQSTR", "UNKNOWN", "MQDEAD"])
def test_nothing_happens_when_nothing_is_to_be_done(format):
    assert unconverted(b"anything", format, HERE, HERE) == 0
    assert unconverted(b"", format) == 0


def test_trigger_message():
    trigger = TriggerMessage("Q", "P", "data", 6, "id", "env", "user")
    result = convert(trigger.pack(*reversed(HOST)), "MQTRIG", *HOST, *HERE)
    assert result.warning == 0
    assert TriggerMessage.unpack(result.body) == trigger


def test_pcf_with_texts_that_name_their_ccsid():
    pcf = Pcf(
        45,
        (
            Integer(1, 5),
            Group(8001, (String(2016, "Grün", 819), String(2015, "Q"))),
            StringList(3, ("a", "é")),
        ),
    )
    result = convert(encode_pcf(pcf, 273, 37), "MQEVENT", 37, 273, *HERE)
    assert result.warning == 0
    again = decode_pcf(result.body)
    assert again.parameters[1] == Group(8001, (String(2016, "Grün", 1208), String(2015, "Q")))
    assert again.parameters[2].values == ("a", "é")


def test_dead_letter_header_and_the_text_behind_it():
    header = DeadLetterHeader(2053, "ORDERS", "QM1", 785, 37, "MQSTR", 6, "prog", "20240101", "00000000")
    body = header.pack(785, 37) + "text".encode("cp037")
    result = convert(body, "MQDEAD", *HOST, *HERE)
    assert (result.ccsid, result.encoding, result.format, result.warning) == (1208, 546, "MQDEAD", 0)
    again = DeadLetterHeader.unpack(result.body)
    assert (again.queue, again.encoding, again.ccsid, again.format) == ("ORDERS", 546, 1208, "MQSTR")
    assert result.body[172:] == b"text"


def test_transmission_header_and_the_text_behind_it():
    message = Message(b"", descriptor=Descriptor(format="MQSTR", ccsid=37, encoding=785, reply_to="R"))
    body = TransmissionHeader("Q", "QM", message).pack(785, 37) + "text".encode("cp037")
    result = convert(body, "MQXMIT", *HOST, *HERE)
    again = TransmissionHeader.unpack(result.body)
    assert (result.warning, again.queue, again.message.descriptor.ccsid) == (0, "Q", 1208)
    assert again.message.descriptor.reply_to == "R"
    assert result.body[428:] == b"text"


@pytest.mark.parametrize("name_value_ccsid", [1208, 1200])
def test_rules_header_2_keeps_its_folders_text(name_value_ccsid):
    header = Rfh2(("<usr><a>é</a></usr> ",), 785, -2, "MQSTR", 0, name_value_ccsid)
    body = header.pack(785, 37) + "text".encode("cp037")
    result = convert(body, "MQHRF2", *HOST, *HERE)
    again, length = unpack_rfh2(result.body)
    assert (result.warning, again.ccsid, again.encoding, again.format) == (0, -2, 546, "MQSTR")
    assert again.folders[0].rstrip() == "<usr><a>é</a></usr>"
    assert result.body[length:] == b"text"


def test_rules_header_1():
    body = Rfh1((("a", "é"),), 785, 37, "MQSTR").pack(785, 37) + "text".encode("cp037")
    result = convert(body, "MQHRF", *HOST, *HERE)
    again, length = unpack_rfh1(result.body)
    assert (result.warning, again.pairs, result.body[length:]) == (0, (("a", "é"),), b"text")


def test_a_chain_of_headers_each_described_by_the_one_before():
    text = "Zürich".encode("cp500")
    rules = Rfh2(("<usr></usr> ",), 273, 500, "MQSTR").pack(273, 819) + text
    extension = DescriptorExtension(273, 819, "MQHRF2", group_id=b"g" * 24).pack(546, 1208) + rules
    body = DeadLetterHeader(1, "Q", "M", 546, 1208, "MQHMDE").pack(785, 37) + extension
    result = convert(body, "MQDEAD", *HOST, 819, 546)
    assert result.warning == 0
    assert DeadLetterHeader.unpack(result.body).ccsid == 819
    inner = DescriptorExtension.unpack(result.body[172:])
    assert (inner.ccsid, inner.encoding, inner.group_id) == (819, 546, b"g" * 24)
    last, length = unpack_rfh2(result.body[244:])
    assert (last.ccsid, last.encoding) == (819, 546)
    assert result.body[244 + length :] == "Zürich".encode("latin-1")


# Which warning says what


@pytest.mark.parametrize("format", ["", "        ", "UNKNOWN", "MQCMD1", "MQCMD2"])
def test_2110_without_a_format_that_can_be_converted(format):
    assert unconverted(b"data", format) == 2110


@pytest.mark.parametrize(
    "format", ["MQDEAD", "MQXMIT", "MQHRF2", "MQHRF", "MQHMDE", "MQTRIG", "MQADMIN", "MQPCF", "MQEVENT"]
)
def test_2110_when_the_data_is_not_in_its_format(format):
    assert unconverted(b"not such a thing", format) == 2110
    assert unconverted(b"x" * 1000, format) == 2110


def test_2110_for_data_behind_a_trigger_message():
    assert unconverted(TriggerMessage().pack() + b"x", "MQTRIG") == 2110


def test_2111_and_2115_for_unknown_character_sets():
    assert unconverted(b"a", "MQSTR", (99, 546)) == 2111
    assert unconverted(b"a", "MQSTR", HERE, (99, 546)) == 2115
    assert unconverted(TriggerMessage().pack(), "MQTRIG", (99, 546)) == 2111
    assert unconverted(b"a", "MQSTR", (-1, 546)) == 2111
    assert unconverted(b"a", "MQSTR", HERE, (0, 546)) == 2115


def test_2111_and_2115_for_headers_in_two_byte_unicode():
    assert unconverted(TriggerMessage().pack(), "MQTRIG", (1200, 546)) == 2111
    assert unconverted(TriggerMessage().pack(), "MQTRIG", HERE, (1200, 546)) == 2115


def test_2112_and_2116_for_integer_encodings_where_they_matter():
    assert unconverted(TriggerMessage().pack(), "MQTRIG", (1208, 0x220), HOST) == 2112
    assert unconverted(TriggerMessage().pack(), "MQTRIG", HERE, (37, 0x110)) == 2116
    assert unconverted(b"A\0", "MQSTR", (1200, 0), HERE) == 2112
    assert unconverted(b"A", "MQSTR", HERE, (1200, 0)) == 2116
    assert convert(b"A", "MQSTR", 1208, 0, 37, 0).warning == 0


def test_2119_for_characters_that_a_set_does_not_have():
    assert unconverted("€".encode(), "MQSTR", HERE, (819, 546)) == 2119
    assert unconverted(b"\xff", "MQSTR", HERE, (819, 546)) == 2119
    assert unconverted("日本".encode(), "MQSTR") == 2119
    assert unconverted(b"A\0\0", "MQSTR", (1200, 546), HERE) == 2119


def test_2120_when_the_result_has_no_room():
    body = "ä".encode("latin-1") * 10
    assert unconverted(body, "MQSTR", (819, 546), HERE, length_max=19) == 2120
    assert convert(body, "MQSTR", 819, 546, *HERE, length_max=20).warning == 0
    assert unconverted(b"long text", "", length_max=3) == 2110


def test_2190_when_a_text_outgrows_its_field():
    trigger = TriggerMessage(user_data="ä" * 128).pack(546, 819)
    assert unconverted(trigger, "MQTRIG", (819, 546), HERE) == 2190


def test_a_header_is_converted_although_what_follows_is_not():
    # IBM's rule: some parts may be converted and others not, and the fields describe what is there.
    header = DeadLetterHeader(2053, "ORDERS", "QM1", 0, 0, "")
    result = convert(header.pack(785, 37) + b"\x01\x02", "MQDEAD", *HOST, *HERE)
    assert (result.warning, result.ccsid, result.encoding) == (2110, 1208, 546)
    again = DeadLetterHeader.unpack(result.body)
    assert (again.queue, again.ccsid, again.encoding) == ("ORDERS", 37, 0)
    assert result.body[172:] == b"\x01\x02"


def test_an_inherited_ccsid_is_spelled_out_when_the_rest_stays():
    body = Rfh2((), 785, -2, "MQSTR").pack(785, 37) + b"\xff\x41\x0e"
    result = convert(body, "MQHRF2", *HOST, 1200, 546)
    assert result.warning == 2115
    result = convert(body, "MQHRF2", *HOST, 367, 546)
    assert (result.warning, unpack_rfh2(result.body)[0].ccsid) == (2119, 37)
    assert result.body[36:] == b"\xff\x41\x0e"


def test_a_chain_without_end_stops():
    header = Rfh2((), 785, 37, "MQHRF2").pack(785, 37)
    result = convert(header * 5000, "MQHRF2", *HOST, *HERE)
    assert result.warning == 2110
    assert len(result.body) == len(header) * 5000
    assert unpack_rfh2(result.body[36 * (conversion.CHAIN_MAX - 1) :])[0].ccsid == 37


BODIES = {
    "MQDEAD": DeadLetterHeader(1, "Q", "M", 546, 1208, "MQHRF2").pack()
    + Rfh2(("<usr></usr> ",), format="MQSTR").pack()
    + b"text",
    "MQXMIT": TransmissionHeader("Q", "M", Message(b"", descriptor=Descriptor(format="MQSTR"))).pack()
    + b"text",
    "MQHRF": Rfh1((("a", "b"),), format="MQSTR").pack() + b"text",
    "MQEVENT": encode_pcf(Pcf(45, (String(1, "a"), Integer(2, 3)))),
    "MQTRIG": TriggerMessage("Q").pack(),
    "MQSTR": b"some text",
}


@settings(max_examples=150)
@given(st.sampled_from(sorted(BODIES)), st.data())
def test_mutated_bodies_never_raise(format, draw):
    data = bytearray(BODIES[format])
    for _ in range(draw.draw(st.integers(0, 6))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    result = convert(
        bytes(data), format, *HERE, *draw.draw(st.sampled_from([HOST, (1200, 273), (932, 546), (5, 1)]))
    )
    assert isinstance(result.body, bytes)


@pytest.mark.parametrize("format", sorted(BODIES))
def test_every_format_comes_back_as_it_was(format):
    there = convert(BODIES[format], format, *HERE, *HOST)
    assert there.warning == 0
    back = convert(there.body, format, *HOST, *HERE)
    assert (back.warning, back.body) == (0, BODIES[format])


@settings(max_examples=60)
@given(st.text(st.characters(max_codepoint=255, exclude_characters="\x85")))
def test_latin_1_text_comes_back_as_it_was(text):
    body = text.encode()
    there = convert(body, "MQSTR", *HERE, 1047, 273)
    assert convert(there.body, "MQSTR", there.ccsid, there.encoding, *HERE).body == body


def test_a_length_field_larger_than_the_message_is_bad_format():
    data = bytearray(Rfh2(("<usr></usr> ",)).pack())
    struct.pack_into("<i", data, 8, 2**31 - 1)
    assert unconverted(bytes(data), "MQHRF2") == 2110
