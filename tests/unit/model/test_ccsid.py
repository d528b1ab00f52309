"""Character sets: known facts of the code pages, and text that survives the way there and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.model.ccsid import (
    codec,
    decode,
    encode,
    is_ebcdic,
    is_known,
    known_ccsids,
    translate,
    translation,
)
from penstock.model.ebcdic import ebcdic_table
from penstock.model.errors import MQError

INVARIANT = "ABCXYZabcxyz0189 .,;:()_-/'\"&*+<=>?"  # no %: page 864 has the Arabic one instead


def test_usual_ccsids_have_their_codecs():
    expected = {
        1208: "utf-8",
        819: "latin-1",
        37: "cp037",
        500: "cp500",
        1140: "cp1140",
        850: "cp850",
        5348: "cp1252",
    }
    assert {number: codec(number) for number in expected} == expected


@pytest.mark.parametrize("ccsid", [1200, 13488, 17584])
def test_two_byte_unicode_follows_the_encoding(ccsid):
    assert codec(ccsid, 273) == "utf-16-be"
    assert codec(ccsid, 546) == "utf-16-le"


def test_every_known_ccsid_encodes_the_invariant_characters_and_reads_them_back():
    for ccsid in known_ccsids():
        assert decode(encode(INVARIANT, ccsid), ccsid) == INVARIANT, ccsid


@pytest.mark.parametrize("reason", [2111, 2115])
def test_unknown_ccsid_raises_the_reason_asked_for(reason):
    with pytest.raises(MQError) as caught:
        codec(99999, reason=reason)
    assert caught.value.reason == reason
    assert not is_known(99999)


def test_1047_has_its_brackets_where_z_os_has_them():
    # IBM-1047 is what z/OS UNIX and C use: [ AD, ] BD, ^ 5F, and \xac at B0, unlike 37 and 500.
    assert encode("[]^\xac\xdd\xa8", 1047) == bytes.fromhex("ADBD5FB0BABB")
    assert encode("{}\\|~`!#$@", 1047) == bytes.fromhex("C0D0E04FA1795A7B5B7C")
    assert encode("Hello, World", 1047) == encode("Hello, World", 37)


def test_pages_that_python_has_agree_with_our_differences():
    for ccsid, name in ((37, "cp037"), (500, "cp500"), (1140, "cp1140")):
        assert ebcdic_table(ccsid) == bytes(range(256)).decode(name), ccsid


def test_273_has_the_macron_where_python_has_an_overline():
    assert ebcdic_table(273).replace("\xaf", "\u203e") == bytes(range(256)).decode("cp273")
    assert translate(b"\xaf", 819, 273) == b"\xbc"


def test_every_table_of_ours_is_a_permutation():
    for ccsid in known_ccsids():
        table = ebcdic_table(ccsid)
        assert table is None or (len(table) == 256 and len(set(table)) == 256), ccsid


@pytest.mark.parametrize(
    ("ccsid", "text", "data"),
    [
        (277, "æøåÆØÅ", "C06AD07B7C5B"),
        (278, "äöåÄÖÅéÉ\\", "C06AD07B7C5B79E071"),
        (280, "àèéìòù£", "C0D05AA16A797B"),
        (284, "ñÑ", "6A7B"),
        (285, "£$", "5B4A"),
        (297, "àéèçù", "7CC0D0E06A"),
        (871, "þÞðÐöÖ", "C04A797CA15F"),
        (1141, "äöüÄÖÜß€", "C06AD04AE05AA19F"),
        (1142, "€", "5A"),
        (1143, "€", "5A"),
        (1148, "€", "9F"),
    ],
)
def test_national_pages(ccsid, text, data):
    assert encode(text, ccsid) == bytes.fromhex(data)
    assert decode(bytes.fromhex(data), ccsid) == text


def test_ebcdic_new_line_becomes_line_feed_and_line_feed_goes_to_0x25():
    # ConvEBCDICNewline=NL_TO_LF, MQ's default.
    assert translate(b"\xc1\x15\xc2", 37, 819) == b"A\nB"
    assert translate(b"\xc1\x15\xc2", 1047, 1208) == b"A\nB"
    assert translate(b"\xc1\x15\xc2", 37, 500) == b"\xc1\x15\xc2"
    assert translate(b"A\nB", 1208, 37) == b"\xc1\x25\xc2"


def test_translation_is_none_beside_a_multi_byte_set():
    assert translation(37, 1208) is None
    assert translation(932, 37) is None
    assert translation(37, 819) is not None


def test_character_without_counterpart_is_refused_not_replaced():
    for data, source, target in (("€".encode(), 1208, 819), (b"\x80", 1252, 819), ("日".encode(), 1208, 37)):
        with pytest.raises(MQError) as caught:
            translate(data, source, target)
        assert caught.value.reason == 2119


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(MQError) as caught:
        translate(b"\xff\xfe", 1208, 37)
    assert caught.value.reason == 2119


def test_is_ebcdic():
    assert is_ebcdic(37)
    assert is_ebcdic(1047)
    assert not is_ebcdic(1208)


@settings(max_examples=60)
@given(
    st.binary(max_size=200),
    st.sampled_from([37, 500, 1047, 273, 1141, 819, 850, 1252, 1208, 1200, 932]),
    st.data(),
)
def test_translation_agrees_with_decode_and_encode(data, source, draw):
    target = draw.draw(st.sampled_from([37, 1047, 819, 1252, 1208, 1200, 943]))
    try:
        text = decode(data, source)
        if is_ebcdic(source) and not is_ebcdic(target):
            text = text.replace("\x85", "\n")
        expected = data if source == target else encode(text, target)
    except MQError as problem:
        if source != target:
            with pytest.raises(MQError) as caught:
                translate(data, source, target)
            assert caught.value.reason == problem.reason
        return
    assert translate(data, source, target) == expected


@settings(max_examples=60)
@given(st.text(alphabet=st.characters(max_codepoint=255, exclude_characters="\x85"), max_size=100))
def test_latin_1_text_survives_every_way_through_ebcdic(text):
    for ccsid in (37, 500, 1047, 277, 285, 297):
        assert translate(translate(text.encode("latin-1"), 819, ccsid), ccsid, 819) == text.encode("latin-1")
