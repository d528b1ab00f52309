"""Messages on disk outside the journal: those of a checkpoint and those that outgrew their buffer.

Append-only numbered files in one folder. It treats heads and bodies as bytes and does not know queues;
callers keep only a location (file number and offset). Records are valid after `sync` returned a manifest and
a checkpoint holds it; `load` cuts off what is beyond a manifest, unless it only reads. Any thread calls it.
Invariant: a file is removed only when a durable checkpoint without it exists (`release`), so an older
checkpoint never refers to a removed file.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store import _scan
from penstock.store.failures import file_failure
from penstock.store.files import Files
from penstock.store.manifest import Manifest
from penstock.store.message_file import NUMBER_SHIFT, OFFSET_MASK, READ_AHEAD_BYTES, MessageFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.store.faults import Faults
    from penstock.store.manifest import Extent
    from penstock.store.message_file import Scan

OPEN_FILES_MAX = 32  # descriptors kept open without need
UNSYNCED_FILES_MAX = 8  # full files whose records are not synced yet: each needs its descriptor
FILE_BYTES = 64 << 20  # a file that has this much gets no more records
WRITE_BYTES_MAX = 16 << 20  # records packed together into one write
COALESCE_BYTES = 64 << 10  # neighbours nearer than this are read together
READ_BYTES_MAX = 8 << 20
VALUE_MAX = (1 << 31) - 1
_NAME = re.compile(r"M(\d{7,10})\.(DAT|DED)")


@dataclass(frozen=True, slots=True)
class FileUse:
    """How many live records one file has; mostly dead ones are worth rewriting."""

    number: int
    bytes: int
    records: int
    live: int


class MessageFiles:
    """The message files of one folder, for reading, adding and discarding."""

    def __init__(
        self,
        folder: Path,
        faults: Faults | None = None,
        *,
        file_bytes: int = FILE_BYTES,
        read_only: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self.read_only = read_only  # others may append to these files, or they must stay as they are
        self.file_bytes = file_bytes
        self._files = Files(faults)
        self._lock = threading.Lock()
        self._open: dict[int, MessageFile] = {}
        self._current: MessageFile | None = None
        self._next_number = 1
        self._new_names = False
        self._waiting_release: dict[int, MessageFile] = {}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as failure:
            raise file_failure(failure, "creating", self.folder) from failure

    def write(self, records: Sequence[tuple[bytes, bytes]]) -> list[int]:
        """Add (head, body) records and return their locations; durable after `sync`."""
        locations: list[int] = []
        with self._lock:
            try:
                for batch in _batches(records):
                    file = self._file_for_writing()
                    base = file.number << NUMBER_SHIFT
                    locations += [base | offset for offset in file.append(batch)]
            except MQError:
                for location in locations:  # no manifest will name them
                    self._file(location).discard(location & OFFSET_MASK)
                raise
        return locations

    def read(self, locations: Sequence[int]) -> list[tuple[bytes, bytes]]:
        """Return (head, body) of each location, in the given order; neighbours share a read.

        Bodies that are shared on disk are one object.
        """
        found: dict[int, tuple[bytes, bytes]] = {}
        bodies: dict[int, bytes] = {}  # by the location of the record that has them
        with self._lock:
            for run in _runs(sorted(set(locations))):
                self._read_run(run, found, bodies)
            self._close_idle()
        return [found[location] for location in locations]

    def discard(self, location: int) -> None:
        """Mark the record as dead; durable after `sync`."""
        with self._lock:
            self._file(location).discard(location & OFFSET_MASK)

    def discard_many(self, locations: Sequence[int]) -> None:
        """Mark the records as dead; durable after `sync`."""
        with self._lock:
            for location in locations:
                self._file(location).discard(location & OFFSET_MASK)

    def amend(self, location: int, value: int) -> None:
        """Keep a small integer (0 to 2,147,483,647) with the record; durable after `sync`."""
        with self._lock:
            self._file(location).amend(location & OFFSET_MASK, min(max(value, 0), VALUE_MAX))

    def sync(self) -> Manifest:
        """Make everything so far durable and return the manifest for the next checkpoint.

        Files without a live record are not in it; they stay until `release`.
        """
        with self._lock:
            self._retire_dead()
            for file in self._open.values():
                self._new_names |= file.sync()
            if self._new_names:
                self._files.sync_folder(self.folder)
                self._new_names = False
            self._close_idle()
            extents = tuple(file.extent() for _, file in sorted(self._open.items()))
            return Manifest(extents, self._next_number)

    def release(self, manifest: Manifest) -> None:
        """Delete the files that this manifest does not name; a checkpoint with it is durable."""
        kept = {extent.number for extent in manifest.extents}
        with self._lock:
            for number in [n for n in self._waiting_release if n not in kept and n < manifest.next_number]:
                self._waiting_release.pop(number).remove()

    def load(self, manifest: Manifest) -> Iterator[tuple[int, bytes, memoryview, int]]:
        """Yield (location, head, body, amended value) of every live record, oldest file first.

        For a fresh object. Removes what the manifest does not know. `body` is a view of a large
        buffer: copy what is kept. 8010 or 8011 when something is damaged or missing.
        """
        for location, head, body, value in self.load_with(manifest, _scan.scan_records, keeps_views=True):
            if isinstance(body, int):
                body = memoryview(self._file(location).body_at(body))
            yield location, head, body, value

    def replace_damaged(self, numbers: Iterable[int]) -> None:
        """Keep files that the manifest to load does not name, until a checkpoint without them is durable."""
        for number in numbers:
            file = self._waiting_release[number] = MessageFile(self.folder, number, self._files)
            file.deaths_length = file.deaths_path.stat().st_size if file.deaths_path.exists() else 0

    def load_with(self, manifest: Manifest, scan: Scan, *, keeps_views: bool) -> Iterator[Any]:
        """Yield the results of `scan` for every live record; otherwise like `load`."""
        with self._lock:
            self._next_number = manifest.next_number
            replaced = dict.fromkeys(self._waiting_release, 1)
            self._remove_unknown(
                replaced | {extent.number: extent.deaths_length for extent in manifest.extents}
            )
            for extent in manifest.extents:
                self._open[extent.number] = self._opened(extent)
                self._close_idle()
        for _, file in sorted(self._open.items()):
            yield from file.load(scan, keeps_views)
            self._close_idle()
        self._current = self._open.get(max(self._open, default=0))

    def _opened(self, extent: Extent) -> MessageFile:
        file = MessageFile(self.folder, extent.number, self._files)
        if not file.path.exists():
            text = f"the checkpoint speaks of {file.path}, which is not there"
            raise error(mq.PSRC_CHECKPOINT_DAMAGED, text, path=str(file.path))
        file.open(extent, cut=not self.read_only)
        return file

    def usage(self) -> list[FileUse]:
        """Return how many live records each file has."""
        with self._lock:
            return [FileUse(f.number, f.length, f.records, f.live) for _, f in sorted(self._open.items())]

    def compact_candidates(self, live_share_max: float = 0.25) -> list[FileUse]:
        """Return the full files with few live records: read, write and discard those to free the file."""
        current = self._current.number if self._current else 0
        return [
            use for use in self.usage() if use.number != current and use.live <= use.records * live_share_max
        ]

    def close(self) -> None:
        """Close all files without writing or syncing anything."""
        with self._lock:
            for file in (*self._open.values(), *self._waiting_release.values()):
                file.close()
            self._open.clear()
            self._waiting_release.clear()
            self._current = None

    def _file(self, location: int) -> MessageFile:
        file = self._open.get(location >> NUMBER_SHIFT) or self._waiting_release.get(location >> NUMBER_SHIFT)
        if file is None or not 0 < location & OFFSET_MASK < file.length:
            text = f"no message at location {location:#x} in {self.folder}"
            raise error(mq.PSRC_MESSAGE_FILE_DAMAGED, text, location=location)
        return file

    def _file_for_writing(self) -> MessageFile:
        if self._current is None or self._current.length >= self.file_bytes:
            self._sync_oldest()
            file = MessageFile(self.folder, self._next_number, self._files)
            file.create()
            self._next_number += 1
            self._new_names = True
            self._open[file.number] = self._current = file
        return self._current

    def _sync_oldest(self) -> None:
        """Sync the records of some files before the next checkpoint does, so that few need descriptors."""
        unsynced = [file for _, file in sorted(self._open.items()) if file.is_unsynced]
        for file in unsynced[: -UNSYNCED_FILES_MAX + 1]:
            file.sync_records()
        self._close_idle()

    def _close_idle(self) -> None:
        idle = [file for file in self._open.values() if file.is_idle]
        for file in idle[:-OPEN_FILES_MAX]:
            file.close()

    def _retire_dead(self) -> None:
        for number, file in list(self._open.items()):
            if not file.live and (file is not self._current or file.length >= self.file_bytes // 2):
                self._waiting_release[number] = self._open.pop(number)
                if file is self._current:
                    self._current = None

    def _read_run(
        self, run: list[int], found: dict[int, tuple[bytes, bytes]], bodies: dict[int, bytes]
    ) -> None:
        file = self._file(run[0])
        first = run[0] & OFFSET_MASK
        data = file.read(first, (run[-1] & OFFSET_MASK) - first + READ_AHEAD_BYTES)
        for location in run:
            offset = location & OFFSET_MASK
            record = _scan.parse_record(data, offset - first)
            if record is None:  # larger than the bytes read, or damaged
                length = _scan.record_length(data, offset - first)
                alone = file.read(offset, length) if length > 0 else b""
                record = _scan.parse_record(alone, 0)
            if record is None:
                raise file.damage_at(offset)
            head, body = record
            holder = file.number << NUMBER_SHIFT | (body if isinstance(body, int) else offset)
            if holder not in bodies:
                bodies[holder] = file.body_at(body) if isinstance(body, int) else body
            found[location] = head, bodies[holder]

    def _remove_unknown(self, known: dict[int, int]) -> None:
        if self.read_only:
            return
        try:
            names = [path.name for path in self.folder.iterdir()]
        except OSError as failure:
            raise file_failure(failure, "listing", self.folder) from failure
        for name in names:
            match = _NAME.fullmatch(name)
            if match and (int(match[1]) not in known or (match[2] == "DED" and not known[int(match[1])])):
                self._files.unlink(self.folder / name)


def _batches(records: Sequence[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    """Split records into batches for one write each."""
    batch: list[tuple[bytes, bytes]] = []
    size = 0
    for record in records:
        batch.append(record)
        size += len(record[0]) + len(record[1])
        if size >= WRITE_BYTES_MAX:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _runs(locations: list[int]) -> Iterator[list[int]]:
    """Group sorted locations that are close to each other in one file."""
    run: list[int] = []
    for location in locations:
        if run and (location - run[-1] > COALESCE_BYTES or location - run[0] > READ_BYTES_MAX):
            yield run
            run = []
        run.append(location)
    if run:
        yield run
