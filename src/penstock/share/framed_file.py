"""Files of frames: a length, a checksum and packed values, after a magic; backups and message journals.

`FrameWriter` appends, `FrameReader` reads what is whole and finds a frame again by its offset. Called by
`structure_backup` and `message_journal`. It knows no messages. Invariant: a frame whose bytes do not agree
with its checksum ends the file for every reader.
"""

from __future__ import annotations

import mmap
import os
import struct
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store._checksum import crc32c
from penstock.store.failures import file_failure
from penstock.store.files import Files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FRAME = struct.Struct("<II")
_PACK, _UNPACK = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder()


class FrameWriter:
    """A file of frames that is being written."""

    def __init__(self, path: Path, magic: bytes, waiting_bytes: int = 0) -> None:
        self._files = Files()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise file_failure(failure, "creating", path.parent) from failure
        self.path, self.bytes = path, 0
        self._waiting_bytes = waiting_bytes
        self._fd = self._files.create(path)
        self._parts: list[bytes] = [magic]
        self._waiting = len(magic)

    def add(self, values: list[Any]) -> None:
        """Append one frame; it is with the operating system when more than `waiting_bytes` wait."""
        data = _PACK.encode(values)
        self._parts += (_FRAME.pack(len(data), crc32c(data)), data)
        self._waiting += _FRAME.size + len(data)
        if self._waiting >= self._waiting_bytes:
            self.flush()

    def flush(self) -> None:
        """Hand everything to the operating system."""
        if self._parts:
            data = b"".join(self._parts)
            self._files.write(self._fd, self.path, data, self.bytes)
            self.bytes += len(data)
            self._parts, self._waiting = [], 0

    def sync(self) -> None:
        """Make everything durable, with the file's name."""
        self.flush()
        self._files.sync(self._fd, self.path)
        self._files.sync_folder(self.path.parent)

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


class FrameReader:
    """A file of frames, mapped into memory."""

    def __init__(self, path: Path, magic: bytes) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as failure:  # ValueError: an empty file
            raise error(mq.PSRC_IO_ERROR, f"{path} cannot be read: {failure}") from failure
        self._view = memoryview(self._map)
        if self._view[: len(magic)] != magic:
            raise error(mq.PSRC_IO_ERROR, f"{path} does not begin with {magic.decode()}")
        self._begin = len(magic)

    def __iter__(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the offset and the values of each frame, up to the first that is not whole."""
        offset = self._begin
        while (found := self._frame(offset)) is not None:
            end, values = found
            yield offset, values
            offset = end

    def at(self, offset: int) -> list[Any]:
        """Return the values of the frame at an offset that was yielded."""
        found = self._frame(offset)
        assert found is not None
        return found[1]

    def _frame(self, offset: int) -> tuple[int, list[Any]] | None:
        if offset + _FRAME.size > len(self._view):
            return None
        length, checksum = _FRAME.unpack_from(self._view, offset)
        end = offset + _FRAME.size + length
        data = self._view[offset + _FRAME.size : end]
        if len(data) != length or crc32c(data) != checksum:
            return None
        return end, _UNPACK.decode(data)
