"""A backup of one structure's persistent messages: a file beside the journal, and how it is read.

Streams rows in slices by place, so that no snapshot of the facility is held for long; offloaded bodies are
read in. A record is a length, a checksum and the packed row; the last record counts the others: a file
without it is not a backup. Called by `structure_actions`. Not here: when, and what a recovery does with it.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.sharing.wishes import Row
from penstock.store._checksum import crc32c
from penstock.store.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility

SLICE_ROWS = 200
WRITE_BYTES = 4 << 20
MAGIC = b"PSTKCFBK"
_FRAME = struct.Struct("<II")
_PACK, _UNPACK = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()
SELECT = (
    "select queue, lane, seq, true, expires_at, place, backouts, head, body, key from p"
    " where queue in (select id from queue where structure = %s) and seq > %s order by seq limit %s"
)


class BackupFile:
    """A backup that is being written: durable and complete after `finish`."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.bytes, self.messages = path, 0, 0
        self._files = Files()
        self._fd = self._files.create(path)
        self._parts: list[bytes] = [MAGIC]
        self._waiting = len(MAGIC)

    def add(self, values: list[Any]) -> None:
        """Write one record."""
        data = _PACK.encode(values)
        self._parts += (_FRAME.pack(len(data), crc32c(data)), data)
        self._waiting += _FRAME.size + len(data)
        self.messages += 1
        if self._waiting >= WRITE_BYTES:
            self._flush()

    def finish(self) -> None:
        """Write the count and make everything durable."""
        messages = self.messages
        self.add(["END", messages])
        self.messages = messages
        self._flush()
        self._files.sync(self._fd, self.path)
        self.close()
        self._files.sync_folder(self.path.parent)

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _flush(self) -> None:
        data = b"".join(self._parts)
        self._files.write(self._fd, self.path, data, self.bytes)
        self.bytes += len(data)
        self._parts, self._waiting = [], 0


def back_up(facility: Facility, bodies: Bodies, structure: str, path: Path) -> BackupFile:
    """Write a backup of all persistent messages of a structure; a body that cannot be read fails it."""
    file = BackupFile(path)
    last = 0
    try:
        while rows := facility.execute(SELECT, (structure, last, SLICE_ROWS)):
            last = rows[-1][2]
            for *values, key in rows:
                row = Row(*values)
                if row.place:
                    bodies.load([row])
                if row.failure is not None:
                    raise row.failure
                file.add(
                    [row.queue, row.lane, row.seq, row.expires_at, row.backouts, row.head, row.body, key]
                )
        file.finish()
    finally:
        file.close()
    return file


def read_backup(path: Path) -> Iterator[list[Any]]:
    """Yield the records of a backup: queue, lane, seq, expires_at, backouts, head, body, key."""
    try:
        data = memoryview(path.read_bytes())
    except OSError as failure:
        raise error(mq.PSRC_IO_ERROR, f"backup {path} cannot be read: {failure}") from failure
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise error(mq.PSRC_IO_ERROR, f"{path} is not a backup of a structure")
    offset, count = len(MAGIC), 0
    while offset + _FRAME.size <= len(data):
        length, checksum = _FRAME.unpack_from(data, offset)
        record = data[offset + _FRAME.size : offset + _FRAME.size + length]
        offset += _FRAME.size + length
        if len(record) != length or crc32c(record) != checksum:
            break
        values = _UNPACK.decode(record)
        if values[0] == "END" and values[1] == count:
            return
        count += 1
        yield values
    raise error(mq.PSRC_IO_ERROR, f"backup {path} is damaged or incomplete after {count} messages")
