"""Page 0 of a shared data set: whose it is, its size, and where a clean close saved its space map.

The first 48 bytes are those of every file of the store (`file_header`); then group, structure, owner, block
size, total pages, the clean mark, the place and checksum of the saved map, and a checksum over all of it.
Only bytes. Used by `shared_data_set` and its reader. Invariant: the clean mark is written after the map, and
removed before the first change of the data.
"""

from __future__ import annotations

import secrets
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store._checksum import crc32c
from penstock.store.body_reference import PAGE_BYTES
from penstock.store.file_header import HEADER_BYTES, FileHeader, decode_header

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"PSTKSMDS"
_TAIL = struct.Struct("<12s12s48sIQB7xQII")
_CHECKSUM = struct.Struct("<I")
HEADER_USED_BYTES = HEADER_BYTES + _TAIL.size + _CHECKSUM.size


@dataclass(frozen=True, slots=True)
class DataSetIdentity:
    """Whose data set it is."""

    group: str
    structure: str
    owner: str


@dataclass(frozen=True, slots=True)
class DataSetHeader:
    """What page 0 records."""

    identity: DataSetIdentity
    block_bytes: int
    pages: int
    clean: bool = False
    map_bytes: int = 0  # the saved map begins at page `pages`
    map_checksum: int = 0
    file_id: int = field(default_factory=lambda: secrets.randbits(64))

    @property
    def block_pages(self) -> int:
        """Pages of a block."""
        return self.block_bytes // PAGE_BYTES

    def encode(self) -> bytes:
        """Return the used part of page 0."""
        head = FileHeader(MAGIC, min(self.pages, 0xFFFFFFFF), self.file_id, 0).encode()
        names = (self.identity.group, self.identity.structure, self.identity.owner)
        tail = _TAIL.pack(
            *(name.encode("ascii") for name in names),
            self.block_bytes,
            self.pages,
            self.clean,
            self.pages,
            self.map_bytes,
            self.map_checksum,
        )
        return head + tail + _CHECKSUM.pack(crc32c(head + tail))


def decode_data_set_header(data: bytes, path: Path) -> DataSetHeader | None:
    """Return the header; None if it is damaged; raise 8003 if a newer release wrote it."""
    head = decode_header(data, MAGIC, path)
    checked = HEADER_BYTES + _TAIL.size
    if head is None or len(data) < HEADER_USED_BYTES:
        return None
    if _CHECKSUM.unpack_from(data, checked)[0] != crc32c(data[:checked]):
        return None
    group, structure, owner, block_bytes, pages, clean, _, map_bytes, map_checksum = _TAIL.unpack_from(
        data, HEADER_BYTES
    )
    names = [name.rstrip(b"\0").decode("ascii", "replace") for name in (group, structure, owner)]
    return DataSetHeader(
        DataSetIdentity(*names), block_bytes, pages, bool(clean), map_bytes, map_checksum, head.identity
    )


def not_available(path: Path, why: str) -> MQError:
    """Return the error of a data set that cannot be used."""
    text = f"shared message data set {path}: {why}"
    return error(mq.MQRC_DATA_SET_NOT_AVAILABLE, text, path=str(path), why=why)
