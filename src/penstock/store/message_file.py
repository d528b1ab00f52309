"""One message file and its side file: records that are only appended, and their changes.

`M0000001.DAT` holds records; `M0000001.DED` holds batches of (offset, value): the record is dead, or its
small integer changed. Neither is ever overwritten. A manifest records how much of both is valid;
`message_files` decides when to start a new file and when to remove one. Layout:
docs/internals/message-files.md.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store import _scan
from penstock.store._checksum import crc32c
from penstock.store.file_header import HEADER_BYTES, FileHeader, decode_header
from penstock.store.files import Files, read_at, read_file, read_into
from penstock.store.manifest import Extent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    Scan = Callable[[bytes | memoryview, int, bytes | bytearray, dict[int, int], list[Any]], tuple[int, int]]

DATA_MAGIC = b"PSTKMSGS"
DEATHS_MAGIC = b"PSTKDEAD"
BATCH = struct.Struct("<4sIII")  # magic, entries, crc of the entries, crc of these 12 bytes
BATCH_MAGIC = b"DEDB"
ENTRY = struct.Struct("<Ii")  # offset / 8, value
DEAD = -1
DATA_START = 4096  # the first record's offset
DEATHS_START = HEADER_BYTES
READ_BYTES = 4 << 20
READ_AHEAD_BYTES = 4096  # read behind the last known offset, so that small records need no second read
NUMBER_SHIFT = 32  # location = file number << 32 | offset
OFFSET_MASK = (1 << NUMBER_SHIFT) - 1
SHARED_BODIES = 1  # feature: records may name another record of the file that has their body
ADVICE = "keep the folder as it is"


class MessageFile:
    """An open message file. Not safe for several threads at once; `MessageFiles` has the lock."""

    def __init__(self, folder: Path, number: int, files: Files) -> None:
        self.number = number
        self.path = folder / f"M{number:07d}.DAT"
        self.deaths_path = folder / f"M{number:07d}.DED"
        self.length = DATA_START
        self.deaths_length = 0  # 0: no side file yet
        self.records = 0
        self.dead = 0
        self._dead_map = bytearray()
        self._changes: dict[int, int] = {}  # offset -> value or DEAD, not yet written
        self._unsynced = False
        self._shares = True
        self._last_body = b""  # of the previous record, and its offset: the next one may have the same
        self._last_holder = 0
        self._files = files
        self._fd = -1

    @property
    def live(self) -> int:
        """Records that are not dead."""
        return self.records - self.dead

    @property
    def is_idle(self) -> bool:
        """Whether its descriptor is open unnecessarily; a file with unsynced writes needs it."""
        return self._fd >= 0 and not self._unsynced

    @property
    def is_unsynced(self) -> bool:
        """Whether records were written since the last sync."""
        return self._unsynced

    def create(self) -> None:
        """Make the file; its name is durable after the folder's sync."""
        self._fd = self._files.create(self.path)
        header = FileHeader(DATA_MAGIC, 1, 0, self.number, features=SHARED_BODIES).encode()
        try:
            self._files.write(self._fd, self.path, header.ljust(DATA_START, b"\0"), 0)
        except MQError:
            self.close()
            raise
        self._unsynced = True

    def open(self, extent: Extent, cut: bool = True) -> None:
        """Check what a manifest lists, and cut off the rest, or only ignore it."""
        self._fd = self._files.open(self.path)
        self._shares = bool(self._check_header(self._fd, self.path, DATA_MAGIC).features & SHARED_BODIES)
        self._settle_length(self._fd, self.path, extent.length, cut)
        self.length, self.records = extent.length, extent.records
        if extent.deaths_length:
            fd = self._files.open(self.deaths_path)
            try:
                self._check_header(fd, self.deaths_path, DEATHS_MAGIC)
                self._settle_length(fd, self.deaths_path, extent.deaths_length, cut)
            finally:
                os.close(fd)
            self.deaths_length = extent.deaths_length

    def append(self, records: Sequence[tuple[bytes, bytes]]) -> list[int]:
        """Write records and return their offsets; on failure none is valid.

        A body that several records share (one object) is written with the first of them.
        """
        holders = {id(self._last_body): self._last_holder} if self._last_holder else {}
        packed, offsets = _scan.pack_records(records, self.length, holders if self._shares else None)
        self._unsynced = True
        self._files.write(self._descriptor(), self.path, packed, self.length)
        self.length += len(packed)
        self.records += len(offsets)
        if records:
            self._last_body = records[-1][1]
            self._last_holder = holders.get(id(self._last_body), 0)
        return offsets

    def body_at(self, offset: int) -> bytes:
        """Return the body of the record that other records refer to."""
        if not DATA_START <= offset < self.length:
            raise self.damage_at(offset)
        start = self.read(offset, READ_AHEAD_BYTES)
        record = _scan.parse_record(start, 0)
        if record is None:
            length = _scan.record_length(start, 0)
            record = _scan.parse_record(self.read(offset, length) if length > 0 else b"", 0)
        if record is None or isinstance(record[1], int):
            raise self.damage_at(offset)
        return record[1]

    def discard(self, offset: int) -> None:
        """Mark the record at `offset` as dead; repeating it changes nothing."""
        if self._mark_dead(offset):
            self._changes[offset] = DEAD

    def amend(self, offset: int, value: int) -> None:
        """Keep a small integer with the record."""
        if self._changes.get(offset) != DEAD:
            self._changes[offset] = value

    def read(self, offset: int, length: int) -> bytes:
        """Return bytes of the file."""
        return read_at(self._descriptor(), self.path, min(length, self.length - offset), offset)

    def sync(self) -> bool:
        """Write the changes and make everything durable; return whether the folder has a new name."""
        self._last_body, self._last_holder = b"", 0
        self.sync_records()
        is_new = bool(self._changes) and not self.deaths_length
        if self._changes:
            self._write_changes()
        return is_new

    def sync_records(self) -> None:
        """Make the records durable; `sync` writes their changes."""
        if self._unsynced:
            self._files.sync(self._descriptor(), self.path)
            self._unsynced = False

    def extent(self) -> Extent:
        """Return the valid extent of this file."""
        return Extent(self.number, self.length, self.deaths_length, self.records)

    def load(self, scan: Scan, keeps_views: bool) -> Iterator[Any]:
        """Yield the results of `scan` for each live record, in the order of writing.

        One buffer serves all reads, unless the results hold views of it.
        """
        amended = self.load_deaths()
        buffer = None if keeps_views else bytearray(min(READ_BYTES, self.length))
        at, length, seen = DATA_START, READ_BYTES, 0
        while at < self.length:
            data = self._part(at, length, buffer)
            found: list[Any] = []
            used, records = scan(data, self.number << NUMBER_SHIFT | at, self._dead_map, amended, found)
            if used:
                yield from found
                at, length, seen = at + used, READ_BYTES, seen + records
            else:
                length = self._longer(at, data)
        if seen != self.records:
            why = f"{seen} messages found where {self.records} were written"
            raise self._damage(self.path, self.length, why)

    def _part(self, at: int, length: int, buffer: bytearray | None) -> bytes | memoryview:
        length = min(length, self.length - at)
        if buffer is None or length > len(buffer):
            return self.read(at, length)
        view = memoryview(buffer)[:length]
        return view[: read_into(self._descriptor(), self.path, view, at)]

    def _longer(self, at: int, data: bytes | memoryview) -> int:
        """Return the length of the record that continues after `data`; raise 8010 if it is damaged."""
        length = _scan.record_length(data, 0)
        if len(data) < length <= self.length - at:
            return length
        raise self.damage_at(at)

    def remove(self) -> None:
        """Delete the file and its side file."""
        self.close()
        self._files.unlink(self.path)
        if self.deaths_length:
            self._files.unlink(self.deaths_path)

    def close(self) -> None:
        """Close without writing; the next use opens the file again."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def damage_at(self, offset: int) -> MQError:
        """Return the error of a record that cannot be read."""
        return self._damage(self.path, offset, "there is no whole message with a good checksum")

    def _descriptor(self) -> int:
        if self._fd < 0:
            self._fd = self._files.open(self.path)
        return self._fd

    def is_dead(self, offset: int) -> bool:
        """Return whether the record at `offset` is dead."""
        slot = offset >> 4
        return slot >> 3 < len(self._dead_map) and bool(self._dead_map[slot >> 3] & 1 << (slot & 7))

    def _mark_dead(self, offset: int) -> bool:
        slot = offset >> 4
        if slot >> 3 >= len(self._dead_map):
            self._dead_map.extend(bytes((self.length >> 7) + 1 - len(self._dead_map)))
        bit = 1 << (slot & 7)
        if self._dead_map[slot >> 3] & bit:
            return False
        self._dead_map[slot >> 3] |= bit
        self.dead += 1
        return True

    def _write_changes(self) -> None:
        entries = b"".join([ENTRY.pack(offset >> 3, value) for offset, value in self._changes.items()])
        head = struct.pack("<4sII", BATCH_MAGIC, len(self._changes), crc32c(entries))
        batch = head + struct.pack("<I", crc32c(head)) + entries
        length = self.deaths_length
        if not length:
            batch = FileHeader(DEATHS_MAGIC, 0, 0, self.number).encode() + batch
        fd = self._files.open(self.deaths_path) if length else self._files.create(self.deaths_path)
        try:
            self._files.write(fd, self.deaths_path, batch, length)
            self._files.sync(fd, self.deaths_path)
        finally:
            os.close(fd)
        self.deaths_length = length + len(batch)
        self._changes.clear()

    def load_deaths(self) -> dict[int, int]:
        """Read the side file; return the amended values of those alive, by location."""
        if not self.deaths_length:
            return {}
        data = read_file(self.deaths_path)[: self.deaths_length]
        amended: dict[int, int] = {}
        at = DEATHS_START
        while at < self.deaths_length:
            count = self._check_batch(data, at)
            at += BATCH.size
            for place, value in ENTRY.iter_unpack(data[at : at + count * ENTRY.size]):
                if value == DEAD:
                    self._mark_dead(place << 3)
                else:
                    amended[self.number << NUMBER_SHIFT | place << 3] = value
            at += count * ENTRY.size
        return amended

    def _check_batch(self, data: bytes, at: int) -> int:
        if len(data) - at >= BATCH.size:
            magic, count, crc, head_crc = BATCH.unpack_from(data, at)
            first = at + BATCH.size
            if (
                magic == BATCH_MAGIC
                and head_crc == crc32c(data[at : at + BATCH.size - 4])
                and len(data) - first >= count * ENTRY.size
                and crc == crc32c(data[first : first + count * ENTRY.size])
            ):
                return int(count)
        raise self._damage(self.deaths_path, at, "a batch of changes has a bad checksum")

    def _check_header(self, fd: int, path: Path, magic: bytes) -> FileHeader:
        header = decode_header(read_at(fd, path, HEADER_BYTES, 0), magic, path)
        if header is None or header.number != self.number:
            raise self._damage(path, 0, "its header is not right")
        return header

    def _settle_length(self, fd: int, path: Path, length: int, cut: bool) -> None:
        size = os.fstat(fd).st_size
        if size < length:
            raise self._damage(path, size, f"the file has {size} bytes where {length} were synced")
        if size > length and cut:
            self._files.truncate(fd, path, length)
            self._files.sync(fd, path)

    def _damage(self, path: Path, offset: int, why: str) -> MQError:
        text = f"{path}, byte {offset}: {why}; {ADVICE}"
        return error(mq.PSRC_MESSAGE_FILE_DAMAGED, text, path=str(path), offset=offset)
