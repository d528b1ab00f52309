"""A checkpoint's list of the message files: which exist, and how much of each is valid.

A frozen value, made by `MessageFiles.sync`, stored in the checkpoint, passed to `MessageFiles.load`. It
reads and writes no file itself.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_EXTENT = struct.Struct("<QQQQ")


@dataclass(frozen=True, slots=True)
class Extent:
    """The valid part of one message file and of its side file, in bytes, and its number of records."""

    number: int
    length: int
    deaths_length: int
    records: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """All valid message files, by number, and the number of the next new file."""

    extents: tuple[Extent, ...] = ()
    next_number: int = 1

    def encode(self) -> bytes:
        """Return the manifest as bytes."""
        parts = [struct.pack("<QQ", self.next_number, len(self.extents))]
        parts += [_EXTENT.pack(e.number, e.length, e.deaths_length, e.records) for e in self.extents]
        return b"".join(parts)


def decode_manifest(data: bytes) -> Manifest:
    """Return the manifest; ValueError if the bytes are not one."""
    if len(data) < 16:
        raise ValueError("manifest too short")
    next_number, count = struct.unpack_from("<QQ", data)
    if len(data) != 16 + count * _EXTENT.size:
        raise ValueError("manifest has the wrong length")
    return Manifest(tuple(Extent(*fields) for fields in _EXTENT.iter_unpack(data[16:])), next_number)
