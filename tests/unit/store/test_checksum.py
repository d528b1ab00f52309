"""CRC-32C by the processor and by tables are the same function."""

from __future__ import annotations

import random

from penstock.store._checksum import crc32c, crc32c_by_tables


def crc_by_bits(data: bytes, value: int = 0) -> int:
    """The plain oracle: one bit at a time."""
    crc = value ^ 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_the_check_value_of_the_standard() -> None:
    assert crc32c(b"123456789") == crc32c_by_tables(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0


def test_every_length_and_alignment_agrees_with_the_oracle() -> None:
    data = random.Random(1).randbytes(300)
    for length in range(70):
        for start in range(9):
            part = data[start : start + length]
            assert crc32c(part) == crc32c_by_tables(part) == crc_by_bits(part)


def test_going_on_from_a_value_is_as_one_piece() -> None:
    data = random.Random(2).randbytes(200_000)
    for cut in (0, 1, 7, 8, 65_536, 199_999):
        assert crc32c(data[cut:], crc32c(data[:cut])) == crc32c(data)
        assert crc32c_by_tables(memoryview(data)[cut:], crc32c(data[:cut])) == crc32c(data)
