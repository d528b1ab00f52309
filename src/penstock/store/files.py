"""All file operations of the store except those of the journal's writer.

Write, sync, rename, unlink and truncate go through here, so that a fault plan sees them all and an OSError
becomes an MQError once. It has no state except the plan. Callers: `message_files`, `checkpoint`, `journal`,
`segments`, and `host` for what it syncs itself (settings, backups). A process without a free descriptor
waits for one before it fails: that is not a failed disk. Invariant: after a planned failure, no method has
an effect.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.store import _disk
from penstock.store.failures import DESCRIPTORS_USED_UP, file_failure

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.store.faults import Faults

FILE_MODE = 0o600
DESCRIPTOR_SECONDS_MAX = 5.0  # that an open waits for a free descriptor
DESCRIPTOR_PAUSE_SECONDS = 0.01


class Files:
    """File operations under one fault plan (None in production)."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults

    def create(self, path: Path) -> int:
        """Create or empty a file and return its descriptor; the name is durable after `sync_folder`."""
        self._about_to_name(path)
        return self._open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, "creating")

    def open(self, path: Path) -> int:
        """Open a file for reading and writing."""
        return self._open(path, os.O_RDWR, "opening")

    def write(self, fd: int, path: Path, data: bytes | bytearray | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`; not synced."""
        try:
            _disk.write(self.faults, fd, data, offset)
        except OSError as failure:
            raise file_failure(failure, "writing", path) from failure

    def sync(self, fd: int, path: Path) -> None:
        """Return when everything written to the file is on disk."""
        try:
            _disk.sync(self.faults, fd)
        except OSError as failure:
            raise file_failure(failure, "syncing", path) from failure

    def sync_folder(self, folder: Path) -> None:
        """Return when names created, changed and removed in the folder are on disk."""
        fd = self._open(folder, os.O_RDONLY, "opening")
        try:
            self.sync(fd, folder)
        finally:
            os.close(fd)
        if self.faults is not None:
            self.faults.names_synced(folder)

    def rename(self, old: Path, new: Path) -> None:
        """Rename a file, replacing an existing one; durable after `sync_folder`."""
        try:
            _disk.step(self.faults)
            self._about_to_name(new, old)
            old.replace(new)
        except OSError as failure:
            raise file_failure(failure, "renaming", old) from failure

    def replace(self, path: Path, passing: Path, data: bytes) -> None:
        """Replace the content of a file, through a temporary name; durable on return, complete until then."""
        self._write_passing(passing, data)
        self.rename(passing, path)
        self.sync_folder(path.parent)

    def _write_passing(self, path: Path, data: bytes) -> None:
        fd = self.create(path)
        try:
            self.write(fd, path, data, 0)
            self.sync(fd, path)
        except MQError:
            with suppress(MQError):
                self.unlink(path)  # a full disk gets its space back
            raise
        finally:
            os.close(fd)

    def unlink(self, path: Path) -> None:
        """Remove a file; a missing one is not an error."""
        try:
            _disk.step(self.faults)
            self._about_to_name(path)
            path.unlink(missing_ok=True)
        except OSError as failure:
            raise file_failure(failure, "removing", path) from failure

    def truncate(self, fd: int, path: Path, length: int) -> None:
        """Cut a file to `length` bytes; not synced."""
        try:
            _disk.step(self.faults)
            os.ftruncate(fd, length)
        except OSError as failure:
            raise file_failure(failure, "cutting", path) from failure

    def _about_to_name(self, name: Path, moved_from: Path | None = None) -> None:
        if self.faults is not None:
            self.faults.about_to_name(name, moved_from)

    def _open(self, path: Path, flags: int, doing: str) -> int:
        deadline = time.monotonic() + DESCRIPTOR_SECONDS_MAX
        while True:
            try:
                return os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
            except OSError as failure:
                if failure.errno not in DESCRIPTORS_USED_UP or time.monotonic() >= deadline:
                    raise file_failure(failure, doing, path) from failure
            time.sleep(DESCRIPTOR_PAUSE_SECONDS)


def read_file(path: Path) -> bytes:
    """Return a whole file, or raise MQError."""
    try:
        return path.read_bytes()
    except OSError as failure:
        raise file_failure(failure, "reading", path) from failure


def read_part(path: Path, offset: int, length: int) -> bytes:
    """Return up to `length` bytes of a file from `offset`, or raise MQError."""
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(offset)
            return file.read(length) or b""
    except OSError as failure:
        raise file_failure(failure, "reading", path) from failure


def read_at(fd: int, path: Path, length: int, offset: int) -> bytes:
    """Return up to `length` bytes from `offset`; fewer only at the file's end."""
    parts = []
    try:
        while length > 0 and (part := os.pread(fd, length, offset)):
            parts.append(part)
            length -= len(part)
            offset += len(part)
    except OSError as failure:
        raise file_failure(failure, "reading", path) from failure
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_into(fd: int, path: Path, target: memoryview, offset: int) -> int:
    """Fill `target` from `offset` and return how much there was; less only at the file's end."""
    done = 0
    try:
        while done < len(target) and (count := os.preadv(fd, [target[done:]], offset + done)):
            done += count
    except OSError as failure:
        raise file_failure(failure, "reading", path) from failure
    return done
