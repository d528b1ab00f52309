"""The journal: append a record, wait until it is on disk, release what restart no longer needs.

The native writer (`_writer.pyx`) appends and waits; `Journal` adds what is not urgent: preparing files
ahead, recycling released ones, statistics. It does not know what a record means. The host has one for each
open queue manager; `release` is for one thread at a time, everything else for any. Invariant: no file that
holds a position at or after the tail is ever renamed or removed.
"""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass
from errno import EEXIST
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store._segment import create_segment
from penstock.store._writer import Writer
from penstock.store.failures import file_failure
from penstock.store.files import Files
from penstock.store.journal_tail import settle_tail
from penstock.store.segments import LogSettings, LogType, find_identity, segment_name, segment_numbers

if TYPE_CHECKING:
    from penstock.store.faults import Faults

UNLIMITED = sys.maxsize


@dataclass(frozen=True, slots=True)
class JournalStatistics:
    """Figures since the journal was opened."""

    syncs: int
    blocks: int
    bytes_written: int
    records: int
    batch_bytes_max: int
    batch_records_max: int
    sync_seconds_last: float
    sync_seconds_mean: float
    sync_seconds_max: float
    sync_counts: list[int]

    @property
    def batch_records_mean(self) -> float:
        """Records made durable by one sync, on average."""
        return self.records / self.syncs if self.syncs else 0.0


def create_journal(folder: Path, settings: LogSettings, faults: Faults | None = None) -> None:
    """Make an empty journal with its first file in `folder`, which must have none; durable on return."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if segment_numbers(folder):
            raise error(mq.PSRC_FOLDER_INCOMPLETE, f"{folder} holds a journal already", path=str(folder))
        create_segment(str(folder), 0, settings.segment_bytes, secrets.randbits(64), faults)
    except OSError as failure:
        raise file_failure(failure, "creating a journal in", folder) from failure


def open_journal(
    folder: Path, settings: LogSettings, end: int, faults: Faults | None = None, *, tail: int | None = None
) -> Journal:
    """Open a journal to continue at `end`, where reading it ended.

    What was read becomes durable before this returns. `tail` is where restart would begin now; by default the
    beginning of the oldest file. Files keep the size they were created with.
    """
    folder = Path(folder)
    identity = find_identity(folder)
    settle_tail(folder, identity, end, Files(faults))
    bell = _make_bell()
    try:
        oldest = segment_numbers(folder)[0] * identity.segment_bytes
        return Journal(
            str(folder),
            identity.segment_bytes,
            identity.journal,
            end,
            settings.buffer_bytes,
            bell[1],
            faults,
            settings=settings,
            tail=oldest if tail is None else tail,
            bell=bell,
        )
    except OSError as failure:
        raise file_failure(failure, "opening", folder) from failure


class Journal(Writer):
    """An open journal. `append`, `request`, `wait`, `durable`, `end` and `buffered` are the writer's."""

    def __init__(
        self,
        path: str,
        segment_bytes: int,
        journal: int,
        end: int,
        wake_bytes: int,
        bell_writer: int,
        faults: Faults | None,
        *,
        settings: LogSettings,
        tail: int,
        bell: tuple[int, int],
    ) -> None:
        self.folder = Path(path)
        self.settings = settings
        self.segment_bytes = segment_bytes
        self.tail = tail
        self._files = Files(faults)
        self._bell = bell
        self._closed = False

    @property
    def eventfd(self) -> int:
        """A descriptor that becomes readable after each sync, and when the writer stops."""
        return self._bell[0]

    @property
    def used(self) -> int:
        """Bytes of the log between the tail and the end."""
        return self.end - self.tail

    @property
    def capacity(self) -> int:
        """Bytes that primary and secondary files hold together; practically unlimited for linear logging."""
        if self.settings.log_type is LogType.LINEAR:
            return UNLIMITED
        return (self.settings.primary_files + self.settings.secondary_files) * self.segment_bytes

    def statistics(self) -> JournalStatistics:
        """Return figures for status displays."""
        syncs, blocks, written, records, batch_bytes, batch_records, last, total, longest = self.counters()
        mean = total / syncs / 1e9 if syncs else 0.0
        return JournalStatistics(
            syncs=syncs,
            blocks=blocks,
            bytes_written=written,
            records=records,
            batch_bytes_max=batch_bytes,
            batch_records_max=batch_records,
            sync_seconds_last=last / 1e9,
            sync_seconds_mean=mean,
            sync_seconds_max=longest / 1e9,
            sync_counts=self.sync_counts(),
        )

    def prepare_ahead(self) -> bool:
        """Prepare the file after the current one; return whether one had to be made.

        Housekeeping calls it, so that producers need not wait while the writer fills a file.
        """
        number = self.end // self.segment_bytes + 1
        if (self.folder / segment_name(number)).exists():
            return False
        try:
            self.prepare(number)
        except OSError as failure:
            raise file_failure(failure, "preparing", self.folder / segment_name(number)) from failure
        return True

    def release(self, tail: int) -> None:
        """Declare records before `tail` unnecessary for restart.

        Circular logging gives their files new numbers, or removes those beyond primary and secondary files;
        linear logging keeps them, until `host/backups/media_image.py` archives those that no media recovery
        needs.
        """
        self.tail = max(self.tail, min(tail, self.durable))
        if self.settings.log_type is LogType.LINEAR:
            return
        room = self.settings.primary_files + self.settings.secondary_files
        for number in self._inactive_numbers():
            if len(segment_numbers(self.folder)) > room:
                self._files.unlink(self.folder / segment_name(number))
            else:
                self._recycle(number)

    def close(self) -> None:
        """Write and sync everything, then end the writer; 8004 if that failed."""
        if self._closed:
            return
        self._closed = True
        try:
            self.finish()
        finally:
            for fd in set(self._bell):
                os.close(fd)

    def _inactive_numbers(self) -> list[int]:
        floor = min(self.tail, self.durable - 1) // self.segment_bytes
        return [number for number in segment_numbers(self.folder) if number < floor]

    def _recycle(self, number: int) -> None:
        while True:
            target = segment_numbers(self.folder)[-1] + 1
            try:
                self.recycle(number, target)
            except OSError as failure:
                if failure.errno == EEXIST:
                    continue  # the writer made that file a moment ago
                raise file_failure(failure, "recycling", self.folder / segment_name(number)) from failure
            return


def _make_bell() -> tuple[int, int]:
    """Return (descriptor to read, descriptor to write): one eventfd where there is one, else a pipe."""
    if hasattr(os, "eventfd"):
        fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        return fd, fd
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    return reader, writer
