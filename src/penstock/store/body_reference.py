"""References to bodies outside their message's row, and the extents that hold them in a data set.

A reference is what the row keeps instead of the body: where it is, who wrote it, its length and checksum. An
extent is a run of whole pages of one body, with a head of 40 bytes that names the body. Only bytes: nothing
here opens a file. Used by `shared_data_set`, its reader, and `share` for every kind of offload. Invariant: a
body that does not agree with its reference in number, incarnation, length and checksums is never returned.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from penstock.store._checksum import crc32c

STRUCTURE_OFFSET = 31  # of the structure's number, in an encoded reference
PAGE_BYTES = 4096
EXTENT_BYTES_MAX = 4 << 20  # of one write
EXTENT_MAGIC = b"SMDX"
EXTENT_HEAD = struct.Struct("<4sIqQIIII")
_REFERENCE = struct.Struct("<BhqIqQH")  # the schema of a facility reads the member at byte 1
_EXTENT = struct.Struct("<II")

IN_TABLE = 1  # OFFLOAD(DB2)
IN_DATA_SET = 2  # OFFLOAD(SMDS)
IN_OBJECT = 3  # OFFLOAD(OBJECT)


@dataclass(frozen=True, slots=True)
class BodyReference:
    """Where a body is. `number` is unique among the bodies of one incarnation of a member."""

    kind: int
    member: int
    length: int
    checksum: int
    number: int
    incarnation: int
    extents: tuple[tuple[int, int], ...] = ()  # page, pages
    structure: int = 0  # its number in the group

    def encode(self) -> bytes:
        """Return the bytes that the message's row keeps."""
        head = _REFERENCE.pack(
            self.kind,
            self.member,
            self.length,
            self.checksum,
            self.number,
            self.incarnation,
            self.structure,
        )
        return head + b"".join([_EXTENT.pack(page, pages) for page, pages in self.extents])


def decode_reference(data: bytes | memoryview) -> BodyReference:
    """Return the reference in a row; ValueError if it is none."""
    if len(data) < _REFERENCE.size or (len(data) - _REFERENCE.size) % _EXTENT.size:
        raise ValueError(f"a reference to a body has {len(data)} bytes")
    kind, member, length, checksum, number, incarnation, structure = _REFERENCE.unpack_from(data)
    extents = tuple(extents_of(data))
    return BodyReference(kind, member, length, checksum, number, incarnation, extents, structure)


def extents_of(data: bytes | memoryview) -> list[tuple[int, int]]:
    """Return only the extents of an encoded reference; a rebuild of the space map reads nothing else."""
    return list(_EXTENT.iter_unpack(data[_REFERENCE.size :]))


def pages_for(length: int) -> int:
    """Return how many pages a body needs in one extent."""
    return (length + EXTENT_HEAD.size + PAGE_BYTES - 1) // PAGE_BYTES


def extent_room(pages: int) -> int:
    """Return how many bytes of a body an extent of so many pages holds."""
    return pages * PAGE_BYTES - EXTENT_HEAD.size


def encode_extent(
    part: memoryview, pages: int, number: int, incarnation: int, place: tuple[int, int]
) -> bytes:
    """Return whole pages with a part of a body; `place` is the extent's ordinal and their count."""
    fields = (EXTENT_MAGIC, len(part), number, incarnation, *place, crc32c(part))
    unchecked = EXTENT_HEAD.pack(*fields, 0)
    head = EXTENT_HEAD.pack(*fields, crc32c(unchecked[:-4]))
    return b"".join((head, part, bytes(pages * PAGE_BYTES - len(head) - len(part))))


def decode_extent(data: memoryview, reference: BodyReference, ordinal: int) -> memoryview | None:
    """Return the part of the body in an extent; None if it is not what the reference expects."""
    if len(data) < EXTENT_HEAD.size:
        return None
    magic, length, number, incarnation, index, count, checksum, head_checksum = EXTENT_HEAD.unpack_from(data)
    wanted = (EXTENT_MAGIC, reference.number, reference.incarnation, ordinal, len(reference.extents))
    if (magic, number, incarnation, index, count) != wanted or length > len(data) - EXTENT_HEAD.size:
        return None
    unchecked = bytes(data[: EXTENT_HEAD.size - 4])
    part = data[EXTENT_HEAD.size : EXTENT_HEAD.size + length]
    if crc32c(unchecked) != head_checksum or crc32c(part) != checksum:
        return None
    return part
