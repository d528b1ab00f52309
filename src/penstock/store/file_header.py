"""The first 48 bytes of every file of the store: magic, version, features, checksum kind, identity.

One layout for journal, message and checkpoint files, so that one function refuses files of a newer release.
It reads no files. The native writer fills the same layout in C (`_segment.pyx`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store._checksum import crc32c

if TYPE_CHECKING:
    from pathlib import Path

HEADER = struct.Struct("<8s4IQqII")
HEADER_BYTES = HEADER.size
CHECKSUM_CRC32C = 1
FEATURES_KNOWN = {b"PSTKMSGS": 1}  # of a kind of file; 1: message files whose records share bodies
VERSION = 1


@dataclass(frozen=True, slots=True)
class FileHeader:
    """The header of a file; `pages` and `number` depend on the kind of file."""

    magic: bytes
    pages: int
    identity: int
    number: int
    version: int = VERSION
    features: int = 0
    checksum: int = CHECKSUM_CRC32C

    def encode(self) -> bytes:
        """Return the 48 bytes."""
        fields = (
            self.magic,
            self.version,
            self.features,
            self.checksum,
            self.pages,
            self.identity,
            self.number,
        )
        unchecked = HEADER.pack(*fields, 0, 0)
        return HEADER.pack(*fields, 0, crc32c(unchecked[:-4]))


def decode_header(data: bytes | memoryview, magic: bytes, path: Path) -> FileHeader | None:
    """Return the header, None if it is damaged or of another kind; raise 8003 if it is too new."""
    if len(data) < HEADER_BYTES:
        return None
    found, version, features, checksum, pages, identity, number, _, crc = HEADER.unpack_from(data)
    if found != magic or crc != crc32c(bytes(data[: HEADER_BYTES - 4])):
        return None
    if version > VERSION or features & ~FEATURES_KNOWN.get(magic, 0) or checksum != CHECKSUM_CRC32C:
        text = f"{path} has format version {version}, features {features:#x}, checksum kind {checksum}; "
        text += f"this release reads version {VERSION}: open the folder with the release that wrote it"
        raise error(mq.PSRC_FORMAT_TOO_NEW, text, path=str(path), version=version)
    return FileHeader(found, pages, identity, number, version, features, checksum)
