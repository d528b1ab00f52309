"""Secures the position where the writer continues after a restart.

What recovery read may be only in the system's cache, and after the torn end there may be blocks that were
written but never confirmed. Before the first new record, the former is synced and the latter are erased, so
that no later reading takes them for valid. Only `open_journal` calls it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.store import _scan
from penstock.store.files import Files, read_file
from penstock.store.journal_reader import block_places
from penstock.store.segments import PAGE_BYTES, JournalIdentity, segment_name

if TYPE_CHECKING:
    from pathlib import Path

BLOT = bytes(len(_scan.BLOCK_MAGIC))


def settle_tail(folder: Path, identity: JournalIdentity, end: int, files: Files) -> None:
    """Erase everything after `end` in its file, and sync the file; remove unfinished files."""
    for unfinished in folder.glob("S*.NEW"):
        files.unlink(unfinished)
    number = end // identity.segment_bytes
    path = folder / segment_name(number)
    if not path.exists() and end % identity.segment_bytes <= PAGE_BYTES:
        return  # the log ends where a file ends; the writer makes the next one
    data = read_file(path)
    fd = files.open(path)
    try:
        for offset in stale_blocks(data, number * identity.segment_bytes, end, identity.journal):
            files.write(fd, path, BLOT, offset)
        files.sync(fd, path)
    finally:
        os.close(fd)


def stale_blocks(data: bytes, base: int, end: int, journal: int) -> list[int]:
    """Return the offsets of blocks of this lap, complete or not, at `end` and after it."""
    stale = []
    for at in block_places(data, max(end - base, 0)):
        length, _, _ = _scan.check_block(data, at, base + at, journal)
        if length:
            stale.append(at)
    return stale
