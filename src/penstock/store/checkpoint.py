"""The checkpoint: one file with the state that recovery starts from.

It is replaced atomically: written under a temporary name, synced, renamed, folder synced. There is always
exactly one complete checkpoint; the previous one is not kept, because journal files and message files that
only it needs are released as soon as the new one is durable (see docs/decisions/0007-one-checkpoint.md). The
caller supplies the bytes of the state. Layout: docs/internals/checkpoint-format.md.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store._checksum import crc32c
from penstock.store.file_header import HEADER_BYTES, FileHeader, decode_header
from penstock.store.files import Files, read_file
from penstock.store.manifest import Manifest, decode_manifest

if TYPE_CHECKING:
    from penstock.store.faults import Faults

MAGIC = b"PSTKCKPT"
NAME = "CHECKPOINT"
PASSING_NAME = "CHECKPOINT.NEW"
SIZES = struct.Struct("<qQQ")  # journal start, manifest bytes, state bytes
CHECK = struct.Struct("<I")  # CRC-32C of everything behind the header


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The contents that `read_checkpoint` returns, as given to `write_checkpoint`."""

    state: bytes
    journal_start: int
    manifest: Manifest


def write_checkpoint(
    folder: Path, state: bytes, journal_start: int, manifest: Manifest, faults: Faults | None = None
) -> None:
    """Replace the folder's checkpoint; durable on return, and the old one is complete until then."""
    folder = Path(folder)
    listed = manifest.encode()
    inside = SIZES.pack(journal_start, len(listed), len(state)) + listed
    crc = crc32c(state, crc32c(inside))
    header = FileHeader(MAGIC, 0, 0, 0).encode()
    data = b"".join((header, inside, state, CHECK.pack(crc)))
    Files(faults).replace(folder / NAME, folder / PASSING_NAME, data)


def read_checkpoint(folder: Path) -> Checkpoint | None:
    """Return the folder's checkpoint, None if it never had one; 8011 if it is damaged."""
    path = Path(folder) / NAME
    if not path.exists():
        return None
    data = read_file(path)
    if decode_header(data, MAGIC, path) is None:
        raise _damage(path, "its header is not right")
    inside = HEADER_BYTES + SIZES.size
    if len(data) < inside + CHECK.size:
        raise _damage(path, "it is too short")
    journal_start, manifest_bytes, state_bytes = SIZES.unpack_from(data, HEADER_BYTES)
    if len(data) != inside + manifest_bytes + state_bytes + CHECK.size:
        raise _damage(path, "it does not have the length that it says")
    if crc32c(memoryview(data)[HEADER_BYTES : -CHECK.size]) != CHECK.unpack(data[-CHECK.size :])[0]:
        raise _damage(path, "its checksum does not match")
    try:
        manifest = decode_manifest(data[inside : inside + manifest_bytes])
    except ValueError as failure:
        raise _damage(path, str(failure)) from failure
    return Checkpoint(data[inside + manifest_bytes : -CHECK.size], journal_start, manifest)


def _damage(path: Path, why: str) -> MQError:
    return error(mq.PSRC_CHECKPOINT_DAMAGED, f"{path}: {why}", path=str(path))
