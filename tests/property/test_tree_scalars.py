"""A value that goes from codec to codec without a Python object: the same bytes as by way of the object.

The codecs that decode and encode objects are the oracle. Where no scalar exists, nothing may be written.
"""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from penstock import MQError
from penstock.tree.model._codec import Codec, decoded, encoded, recoded
from penstock.tree.model._codec_numbers import FloatCodec, IntegerCodec, PackedCodec
from penstock.tree.model._codec_text import NumberTextCodec, StringCodec

STRINGS = [
    StringCodec("utf-8"),
    StringCodec("latin-1"),
    StringCodec("cp037"),
    StringCodec("utf-8", pad=b"x", justify="right"),
    StringCodec("utf-16-le", pad=b" \0", width=2),
]
NUMBERS = [
    *(IntegerCodec(little=little, has_sign=sign) for little in (True, False) for sign in (True, False)),
    IntegerCodec(little=False, scale=2),
    FloatCodec(little=True),
    FloatCodec(little=False),
    FloatCodec(little=False, hexadecimal=True),
    PackedCodec(),
]
TEXTS = [
    *(NumberTextCodec(kind) for kind in ("integer", "decimal", "float")),
    NumberTextCodec("float", point=","),
    NumberTextCodec("integer", scale=2),
    NumberTextCodec("integer", pad=" ", justify="left"),
]
NUMERALS = st.one_of(
    st.floats().map(repr),
    st.decimals(allow_nan=False, places=6, min_value=-(10**9), max_value=10**9).map(str),
    st.integers().map(str),
    st.text("0123456789.-+ eE", max_size=12),
).map(str.encode)
RAW = st.one_of(
    NUMERALS,
    st.floats().map(lambda number: struct.pack(">d", number)),
    st.decimals(allow_nan=False, places=4, min_value=-(10**8), max_value=10**8).map(
        lambda number: struct.pack("<d", float(number))
    ),
    st.text("abc x*<ä", max_size=20).map(str.encode),
    st.binary(max_size=12),
)


@given(
    st.sampled_from(STRINGS + NUMBERS + TEXTS),
    RAW,
    st.sampled_from(STRINGS + NUMBERS + TEXTS),
    st.sampled_from([-1, 1, 2, 4, 8, 12]),
)
def test_a_scalar_gives_the_bytes_of_the_object(
    source: Codec, raw: bytes, target: Codec, length: int
) -> None:
    written = recoded(source, raw, target, length)

    assert written is None or written == encoded(target, decoded(source, raw), length)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.decimals(0, 10**12, places=3).map(float))
def test_a_float_is_written_with_the_digits_of_its_representation(number: float) -> None:
    written = recoded(FloatCodec(little=True), struct.pack("<d", number), NumberTextCodec("float"))

    assert written in (None, repr(number).encode())


def test_values_that_most_messages_hold_need_no_object() -> None:
    text, integer, number = (StringCodec("utf-8"), IntegerCodec(little=True), FloatCodec(little=True))
    amounts = [0.0, 1.5, -99.9, 3238.328847, 123456789.25, 1e14]

    assert all(recoded(number, struct.pack("<d", n), NumberTextCodec("float")) is not None for n in amounts)
    assert recoded(NumberTextCodec("float"), b"3238.328847", number, 8) == struct.pack("<d", 3238.328847)
    assert recoded(NumberTextCodec("integer"), b"-42", integer, 4) == struct.pack("<i", -42)
    assert recoded(text, b"abc  ", text, 5) == b"abc  "


def test_what_does_not_fit_is_left_to_the_codec_that_refuses_it() -> None:
    narrow = IntegerCodec(little=True, has_sign=False)

    assert recoded(NumberTextCodec("integer"), b"256", narrow, 1) is None
    assert recoded(NumberTextCodec("integer"), b"-1", narrow, 4) is None
    assert recoded(StringCodec("utf-8"), b"longer", StringCodec("utf-8"), 5) is None
    try:
        encoded(narrow, 256, 1)
    except MQError as problem:
        assert "does not fit" in problem.detail
    else:
        raise AssertionError("256 in one byte was not refused")
