"""Packed data are counted before they are decoded: as many values as a decoder would make, and no more."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.model.errors import MQError
from penstock.model.limits import PROPERTY_COUNT_MAX
from penstock.store._packed import values_in
from penstock.store.message_format import pack_properties, unpack_descriptor, unpack_properties

pytestmark = pytest.mark.installed
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text() | st.binary()
ANYTHING = st.recursive(
    PLAIN | st.binary(min_size=300, max_size=400) | st.text(min_size=40, max_size=400),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=40), inner, max_size=20),
    max_leaves=40,
)
packed = msgspec.msgpack.encode
EMPTY_LISTS = b"\xdd\x00\x4c\x4b\x40" + b"\x90" * 5_000_000


def counted(value: Any) -> int:
    """What `values_in` should say, from the values themselves."""
    if isinstance(value, dict):
        return 1 + sum(1 + counted(each) for each in value.values())
    return 1 + sum(map(counted, value)) if isinstance(value, list) else 1


def depth(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(depth, inside), default=0)


@given(ANYTHING)
def test_every_value_counts_once(value: Any) -> None:
    assert values_in(packed(value), 10_000, 64) == counted(value)


@given(ANYTHING, st.integers(0, 30))
def test_the_count_ends_behind_the_most_that_are_allowed(value: Any, most: int) -> None:
    assert values_in(packed(value), most, 64) == min(counted(value), most + 1)


@given(ANYTHING)
def test_nesting_counts_as_too_many(value: Any) -> None:
    deep = max(1, depth(value))
    assert values_in(packed(value), 10_000, deep) == counted(value)
    assert values_in(packed([value]), 10_000, deep) == (counted([value]) if deep > depth(value) else 10_001)


def test_extensions_are_values() -> None:
    for length in (0, 1, 2, 4, 8, 16, 17, 300, 70_000):
        assert values_in(packed([msgspec.msgpack.Ext(5, bytes(length)), 1]), 10) == 3


def test_what_cannot_be_decoded_is_refused_and_nothing_else() -> None:
    """Against the decoder itself: cut off, changed, and made of random bytes."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    whole = packed({"a": [1, 2.5, "text" * 20, b"b" * 300, {"c": None}], "d": "e" * 70_000})
    for _ in range(3000):
        data = bytearray(whole[: chance.randrange(1, 400)] if chance.random() < 0.5 else chance.randbytes(40))
        data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            msgspec.msgpack.decode(bytes(data))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue  # the counter does not look into texts, so it may let some of them pass
        assert values_in(bytes(data), 10_000, 64) > 0, (seed, bytes(data))


@pytest.mark.parametrize(
    "data", [b"", b"\xc1", b"\x91", b"\xa5abc", b"\xdc\x00", b"\xc4", b"\x01\x02", b"\xdf" * 9]
)
def test_nonsense_is_no_number(data: bytes) -> None:
    with pytest.raises(ValueError, match="cut off"):
        values_in(data, 10)


def test_millions_of_values_are_not_looked_at() -> None:
    assert values_in(EMPTY_LISTS, 100) == 101
    assert values_in(b"\x91" * 5_000_000, 100) == 101


def test_properties_and_descriptors_of_millions_are_refused_before_they_are_decoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: list[bytes] = []
    monkeypatch.setattr("penstock.store.message_format._decode", decoded.append)
    with pytest.raises(MQError) as refused:
        unpack_properties(EMPTY_LISTS)
    assert refused.value.reason == 2478
    with pytest.raises(ValueError, match="not one"):
        unpack_descriptor(EMPTY_LISTS)
    assert decoded == []


def test_as_many_properties_as_a_message_may_have_are_read() -> None:
    many = {f"p{number}": number for number in range(PROPERTY_COUNT_MAX)}
    assert unpack_properties(pack_properties(many)) == many
