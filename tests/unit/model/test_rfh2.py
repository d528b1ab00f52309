"""MQRFH2: bytes, folders and properties, round trips, and input that means harm."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.model.properties import Float32, Int8, Int16, Int64, property_type
from penstock.model.rfh2 import Rfh2, attach_properties, detach_properties, unpack_rfh2
from penstock.model.rfh2_folders import decode_folder, decode_folders, encode_folders
from tests.patience import ends


def refused(reason, call, *arguments):
    with pytest.raises(MQError) as caught:
        call(*arguments)
    assert caught.value.reason == reason, caught.value


def test_fixed_part_stands_where_mq_has_it():
    data = Rfh2(("<usr><a>1</a></usr>",), 273, 37, "MQSTR", 7).pack(546)
    assert data[:4] == b"RFH "
    assert struct.unpack_from("<4i", data, 4) == (2, 60, 273, 37)
    assert data[20:28] == b"MQSTR   "
    assert struct.unpack_from("<3i", data, 28) == (7, 1208, 20)
    assert data[40:] == b"<usr><a>1</a></usr> "


@pytest.mark.parametrize("encoding", [546, 273])
@pytest.mark.parametrize("ccsid", [1208, 37])
@pytest.mark.parametrize("name_value_ccsid", [1208, 1200, 13488, 17584])
def test_round_trip_in_every_order_and_page(encoding, ccsid, name_value_ccsid):
    header = Rfh2(("<usr><a>é€</a></usr>    ", "<psc><x/></psc>  "), 273, 1208, "MQSTR", 0, name_value_ccsid)
    data = header.pack(encoding, ccsid)
    again, length = unpack_rfh2(data + b"body", encoding, ccsid)
    assert length == len(data)
    assert again.pack(encoding, ccsid) == data
    assert decode_folders(again.folders)[0] == {"a": "é€"}


def test_properties_become_typed_elements():
    properties = {
        "s": "x",
        "i": 5,
        "b": True,
        "n": None,
        "h": b"\x01\xff",
        "f": 1.5,
        "q": Int8(1),
        "w": Int64(1),
    }
    (folder,) = encode_folders(properties)
    assert folder == (
        "<usr><s>x</s><i dt='i4'>5</i><b dt='boolean'>1</b><n xsi:nil='true'></n><h dt='bin.hex'>01ff</h>"
        "<f dt='r8'>1.5</f><q dt='i1'>1</q><w dt='i8'>1</w></usr>"
    )


def test_names_with_levels_nest_in_their_folder():
    assert encode_folders({"a.b.c": 1, "a.b.d": "2", "jms.Cid": "x", "usr.p.q": "r"}) == (
        "<a content='properties'><b><c dt='i4'>1</c><d>2</d></b></a>",
        "<jms><Cid>x</Cid></jms>",
        "<usr><p><q>r</q></p></usr>",
    )


def test_folders_as_jms_clients_write_them():
    folders = (
        "<mcd><Msd>jms_text</Msd></mcd>  ",
        "<jms><Dst>queue:///Q1</Dst><Tms>1355308215640</Tms><Dlv>2</Dlv></jms>",
        '<usr><colour>red</colour><kg dt="i4">50</kg><net dt="r8">1.5</net><ok dt="boolean">1</ok></usr>',
        "<pscr><Completion>ok</Completion></pscr>",
    )
    properties, others = decode_folders(folders)
    assert properties == {
        "mcd.Msd": "jms_text", "jms.Dst": "queue:///Q1", "jms.Tms": "1355308215640", "jms.Dlv": "2",
        "colour": "red", "kg": 50, "net": 1.5, "ok": True,
    }  # fmt: skip
    assert others == (folders[3],)


def test_a_name_that_is_both_value_and_level_survives():
    properties = {"a.b": 1, "a.b.c": 2}
    assert decode_folders(encode_folders(properties))[0] == properties


def test_references_are_resolved_and_no_others():
    assert decode_folder("<u><a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;</a></u>").values == [("a", "<>&\"'AB")]
    for bad in ("&foo;", "&", "&#xD800;", "&#9999999;", "&#;", "&a"):
        refused(2421, decode_folder, f"<u><a>{bad}</a></u>")


@pytest.mark.parametrize(
    "text",
    [
        "<usr>", "<usr><a></usr>", "<usr><a></b></usr>", "</usr>", "<usr></usr><x></x>", "<usr><a></a>",
        "<?xml version='1.0'?><usr></usr>", "<!DOCTYPE x [<!ENTITY a 'b'>]><usr></usr>",
        "<usr><!-- x --></usr>",
        "<usr><![CDATA[x]]></usr>", "<usr a=b></usr>", "<usr a='b></usr>",
        "<>", "<usr><a dt='i4'>x</a></usr>",
        "<usr><a dt='i1'>128</a></usr>", "<usr><a dt='i8'>9223372036854775808</a></usr>",
        "<usr><a dt='boolean'>maybe</a></usr>", "<usr><a dt='bin.hex'>0</a></usr>",
        "<usr><a dt='r4'>1e99</a></usr>",
        "<usr><a dt='i4'>1_0</a></usr>", "<usr><a dt='i4'>\u0661</a></usr>", "<usr><a dt='r8'>1_0</a></usr>",
    ],
)  # fmt: skip
def test_malformed_folders_raise_2421(text):
    refused(2421, decode_folder, text)


@pytest.mark.parametrize("text", ["usr", "<usr>x<a></a></usr>", "<usr><a></a>x</usr>", "<usr>x</usr>"])
def test_text_beside_elements_raises_2498(text):
    refused(2498, decode_folder, text)


def test_unknown_type_reads_as_text():
    assert decode_folder("<usr><a dt='datetime'>2024</a></usr>").values == [("a", "2024")]


def test_depth_elements_and_names_are_limited():
    assert len(decode_folder("<a>" * 99 + "<b/>" + "</a>" * 99).values) == 1
    refused(2421, decode_folder, "<a>" * 101 + "<b/>" + "</a>" * 101)
    refused(2421, decode_folder, "<usr>" + "<a/>" * 100_001 + "</usr>")
    refused(2421, decode_folder, "<usr><" + "a" * 5000 + "/></usr>")
    refused(2421, decode_folder, "<usr><" + "a" * 4000 + ">" + "<b/>" * 5000 + "</" + "a" * 4000 + "></usr>")
    refused(2421, decode_folder, "<usr><a x='" + "y" * 2000 + "'/></usr>")


@pytest.mark.parametrize(
    "unit", ["<a", "<a ", "<a b='", "<", "</", "<a>", "&#", "<a></a", "<a b='c' ", " ", "<a> "]
)
def test_repeated_beginnings_take_linear_time(unit):
    with ends(), pytest.raises(MQError):
        decode_folder("<usr>" + unit * 1_000_000)


@pytest.mark.parametrize(
    ("place", "value"),
    [(8, 35), (8, 10_000), (8, -1), (36, -1), (36, 10_000), (4, 1), (4, 3), (32, 819), (32, 0)],
)
def test_lengths_that_lie_raise_2334(place, value):
    data = bytearray(Rfh2(("<usr><a>1</a></usr>",)).pack())
    struct.pack_into("<i", data, place, value)
    refused(2334, unpack_rfh2, bytes(data))


def test_short_or_foreign_bytes_raise_2334():
    data = Rfh2(("<usr></usr>",)).pack()
    for bad in (b"", data[:35], data[:40], b"XXXX" + data[4:]):
        refused(2334, unpack_rfh2, bad)


def test_folder_that_is_not_utf_8_raises_2421():
    data = Rfh2(("<usr><a>1</a></usr>",)).pack().replace(b"1</a>", b"\xff</a>")
    refused(2421, unpack_rfh2, data)


def test_attach_and_detach_are_each_other_s_reverse():
    descriptor = Descriptor(format="MQSTR", ccsid=37, encoding=785)
    body, changed = attach_properties({"a": 1, "b.c": "x"}, b"body", descriptor)
    assert changed.format == "MQHRF2"
    assert detach_properties(body, changed) == ({"a": 1, "b.c": "x"}, b"body", descriptor)
    assert detach_properties(b"body", descriptor) == ({}, b"body", descriptor)


def test_detach_keeps_folders_that_hold_no_properties():
    header = Rfh2(("<usr><a>1</a></usr>", "<psc><Command>RegSub</Command></psc>"), format="MQSTR", ccsid=-2)
    properties, body, descriptor = detach_properties(header.pack() + b"body", Descriptor(format="MQHRF2"))
    assert properties == {"a": "1"}
    assert descriptor.format == "MQHRF2"
    kept, length = unpack_rfh2(body)
    assert kept.folders == ("<psc><Command>RegSub</Command></psc>",)
    assert (kept.format, kept.ccsid, body[length:]) == ("MQSTR", 1208, b"body")


names = st.from_regex(
    r"[A-Za-z_][A-Za-z0-9_]{0,8}(\.[A-Za-z_][A-Za-z0-9_]{0,8}){0,3}", fullmatch=True
).filter(lambda name: not (name.startswith("usr.") and name.count(".") == 1))
values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-128, 127).map(Int8),
    st.integers(-(2**15), 2**15 - 1).map(Int16),
    st.integers(-(2**63), 2**63 - 1).map(Int64),
    st.booleans(),
    st.none(),
    st.binary(),
    st.floats(allow_nan=False),
    st.floats(width=32, allow_nan=False).map(Float32),
)


@settings(max_examples=100)
@given(st.dictionaries(names, values, max_size=8), st.sampled_from([273, 546]), st.sampled_from([1208, 1200]))
def test_properties_round_trip_with_their_types(properties, encoding, name_value_ccsid):
    data = Rfh2(encode_folders(properties), name_value_ccsid=name_value_ccsid).pack(encoding)
    again, others = decode_folders(unpack_rfh2(data, encoding)[0].folders)
    assert again == properties
    assert others == ()
    assert {name: property_type(value) for name, value in again.items()} == {
        name: property_type(value) for name, value in properties.items()
    }


@settings(max_examples=150)
@given(st.data())
def test_mutated_headers_give_properties_or_an_mq_error(draw):
    data = bytearray(
        Rfh2(("<usr><a dt='i4'>1</a><b>x&amp;y</b></usr>", "<q content='properties'><r/></q>")).pack()
    )
    for _ in range(draw.draw(st.integers(1, 6))):
        data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    try:
        decode_folders(unpack_rfh2(bytes(data))[0].folders)
    except MQError:
        pass


@settings(max_examples=150)
@given(st.text(alphabet="<>/ab ='\"&;#x0!?\n", max_size=60))
def test_any_text_gives_a_folder_or_an_mq_error(text):
    for candidate in (text, f"<usr>{text}</usr>", f"<usr><a>{text}</a></usr>"):
        try:
            decode_folder(candidate)
        except MQError:
            pass
