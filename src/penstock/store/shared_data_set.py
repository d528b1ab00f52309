"""The shared message data set that this member owns: bodies of large messages in one file.

Only the owner writes; `shared_data_set_reader` reads, here and elsewhere. Bodies are durable after `sync`,
one for a whole round. Space of messages that are gone is given back with `release`; the map of used pages
is in memory and saved at a clean close, else it must be rebuilt from the references in the structure before
the first write. Called by `share.bodies` from several threads. Not here: which bodies are offloaded,
buffers, messages' texts. Invariant: pages are never written while a row may refer to them.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store._checksum import crc32c
from penstock.store.body_reference import (
    IN_DATA_SET,
    PAGE_BYTES,
    BodyReference,
    encode_extent,
    extent_room,
    extents_of,
    pages_for,
)
from penstock.store.data_set_expansion import DataSetExpansion, format_pages
from penstock.store.data_set_header import (
    HEADER_USED_BYTES,
    DataSetHeader,
    DataSetIdentity,
    decode_data_set_header,
    not_available,
)
from penstock.store.files import Files, read_at
from penstock.store.space_map import SpaceMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

INITIAL_BYTES = 16 << 20  # of a data set that nobody allocated before
FULL_WAIT_SECONDS_MAX = 30.0  # that a put waits for an expansion
PERCENT_MARKS = (90, 92, 94, 96, 98)


class SharedDataSet:
    """An open data set, ready for writes unless `needs_rebuild`."""

    def __init__(
        self,
        path: Path,
        files: Files,
        fd: int,
        header: DataSetHeader,
        *,
        incarnation: int,
        member: int,
        notify: Callable[[str, dict[str, int | str]], None],
    ) -> None:
        self.path, self.header, self.is_new = path, header, False
        self.needs_rebuild = True
        self.map = SpaceMap(header.pages, header.block_pages)
        self.notify = notify
        self._files, self._fd = files, fd
        self._incarnation, self._member, self.structure = incarnation, member, 0
        self._lock = threading.Condition()
        self._number = 0
        self._mark = 0  # the last of PERCENT_MARKS that was reported
        self._is_full = False
        self.expansion = DataSetExpansion(self)

    def write(self, body: bytes | memoryview) -> BodyReference:
        """Write a body and return its reference; durable after `sync`. 2192 if there is no space."""
        number, extents = self._take(len(body))
        view, parts = memoryview(body), []
        for page, pages in extents:
            part = view[: extent_room(pages)]
            view = view[len(part) :]
            parts.append((page, pages, part))
        checksum = 0
        for ordinal, (page, pages, part) in enumerate(parts):
            checksum = crc32c(part, checksum)
            data = encode_extent(part, pages, number, self._incarnation, (ordinal, len(parts)))
            self._write(data, page, extents)
        return BodyReference(
            IN_DATA_SET,
            self._member,
            len(body),
            checksum,
            number,
            self._incarnation,
            tuple(extents),
            self.structure,
        )

    def sync(self) -> None:
        """Return when every body written so far is on disk; 2561 if the file is open but gone."""
        if not os.fstat(self._fd).st_nlink:
            raise not_available(self.path, "it was removed while it was open")
        self._files.sync(self._fd, self.path)

    def release(self, extents: Iterable[tuple[int, int]]) -> int:
        """Give back pages of bodies that nobody refers to; return how many pages were in use."""
        freed = 0
        with self._lock:
            for page, pages in extents:
                freed += pages if self.map.release(page, pages) else 0
            self._mark = 0 if self.map.percent < PERCENT_MARKS[0] else self._mark
            self._is_full = False
            self._lock.notify_all()
        return freed

    def rebuild(self, references: Iterable[bytes]) -> int:
        """Build the space map from the references in the structure; return their count."""
        pages_of_file = os.fstat(self._fd).st_size // PAGE_BYTES
        pages = max(self.header.pages, pages_of_file) // self.header.block_pages * self.header.block_pages
        found = SpaceMap(pages, self.header.block_pages)
        count = 0
        for count, reference in enumerate(references, 1):  # noqa: B007 - the last one counts
            for page, length in extents_of(reference):
                if not found.mark(page, length):
                    raise not_available(self.path, f"two messages, or none of its pages, at page {page}")
        found.find_free_blocks()
        with self._lock:
            self.map = found
            self.needs_rebuild = False
            self._save_header(replace(self.header, pages=pages, clean=False, map_bytes=0, map_checksum=0))
        return count

    def close(self) -> None:
        """Save the space map behind the data, then mark the data set clean."""
        self.expansion.stop()
        with self._lock:
            if self.needs_rebuild:
                os.close(self._fd)
                return
            data = self.map.encode()
            self._files.write(self._fd, self.path, data, self.map.pages * PAGE_BYTES)
            self.sync()
            self._save_header(
                replace(
                    self.header,
                    pages=self.map.pages,
                    clean=True,
                    map_bytes=len(data),
                    map_checksum=crc32c(data),
                )
            )
            self.needs_rebuild = True
            os.close(self._fd)

    def abandon(self) -> None:
        """Close without saving anything, as if the process had ended."""
        self.expansion.stop()
        with self._lock:
            self.needs_rebuild = True
            os.close(self._fd)

    def add_formatted(self, pages: int) -> None:
        """Let writes use pages that an expansion has formatted."""
        with self._lock:
            self.map.grow(pages)
            self._is_full = False
            self._lock.notify_all()

    def expansion_ended(self) -> None:
        """Record the new size; writes that wait learn the outcome."""
        with self._lock:
            self._save_header(replace(self.header, pages=self.map.pages))
            self._mark = 0
            self._lock.notify_all()

    def format_at(self, page: int, pages: int) -> None:
        """Write zeros behind the end, for an expansion."""
        format_pages(self._files, self._fd, self.path, page, pages)

    @property
    def has_waiting_writes(self) -> bool:
        """Whether a write waits for space."""
        return self._is_full

    def _take(self, length: int) -> tuple[int, list[tuple[int, int]]]:
        with self._lock:
            if self.needs_rebuild:
                raise not_available(self.path, "its space map has not been rebuilt yet")
            extents = self._extents_for(length)
            if extents is None:
                extents = self._wait_for_space(length)
            self._number += 1
            self._watch_percent()
            return self._number, extents

    def _extents_for(self, length: int) -> list[tuple[int, int]] | None:
        """Take pages for a body; every extent spends the bytes of its head."""
        extents = self.map.take(pages_for(length))
        while extents is not None and sum(extent_room(pages) for _, pages in extents) < length:
            more = self.map.take(1)
            if more is None:
                for page, pages in extents:
                    self.map.release(page, pages)
                return None
            extents = [*extents, *more]
        return extents

    def _wait_for_space(self, length: int) -> list[tuple[int, int]]:
        extents: list[tuple[int, int]] | None = None

        def settled() -> bool:
            nonlocal extents
            extents = self._extents_for(length)
            self._is_full = extents is None
            return extents is not None or not self.expansion.start()

        self._lock.wait_for(settled, FULL_WAIT_SECONDS_MAX)
        if extents is None:
            self.notify("full", {})
            text = f"shared message data set {self.path} is full: no space for {length} bytes"
            raise error(mq.MQRC_STORAGE_MEDIUM_FULL, text, path=str(self.path), length=length)
        return extents

    def _watch_percent(self) -> None:
        percent = self.map.percent
        if percent < PERCENT_MARKS[0]:
            return
        mark = max(each for each in PERCENT_MARKS if each <= percent)
        if mark > self._mark:
            self._mark = mark
            self.notify("percent", {"percent": mark})
        self.expansion.start()

    def _write(self, data: bytes, page: int, extents: list[tuple[int, int]]) -> None:
        try:
            self._files.write(self._fd, self.path, data, page * PAGE_BYTES)
        except MQError:
            self.release(extents)
            raise

    def _save_header(self, header: DataSetHeader) -> None:
        self.header = header
        self._files.write(self._fd, self.path, header.encode(), 0)
        self.sync()

    def load_saved_map(self) -> None:
        """Take over the map of a clean close and remove the clean mark, if there is one."""
        header = self.header
        if not header.clean:
            return
        data = read_at(self._fd, self.path, header.map_bytes, header.pages * PAGE_BYTES)
        if len(data) != len(self.map.encode()) or crc32c(data) != header.map_checksum:
            return
        self.map.load(data)
        self._files.truncate(self._fd, self.path, header.pages * PAGE_BYTES)
        self._save_header(replace(header, clean=False, map_bytes=0, map_checksum=0))
        self.needs_rebuild = False


def open_data_set(
    path: Path,
    identity: DataSetIdentity,
    *,
    block_bytes: int,
    incarnation: int,
    member: int,
    notify: Callable[[str, dict[str, int | str]], None] = lambda _event, _fields: None,
    files: Files | None = None,
    initial_bytes: int = INITIAL_BYTES,
) -> SharedDataSet:
    """Open the owner's data set, creating and formatting it at first; 2561 if it is damaged or another's.

    A file that somebody allocated (its first page is zero) is formatted in the size it has.
    """
    files = files or Files()
    is_missing = not path.exists()
    if is_missing:
        path.parent.mkdir(parents=True, exist_ok=True)
    fd = files.create(path) if is_missing else files.open(path)
    try:
        page = read_at(fd, path, HEADER_USED_BYTES, 0)
        header = decode_data_set_header(page, path)
        is_new = header is None and not any(page)
        if is_new:
            size = os.fstat(fd).st_size or initial_bytes
            header = DataSetHeader(
                identity, block_bytes, max(size // block_bytes, 2) * block_bytes // PAGE_BYTES
            )
            _format(files, fd, path, header, notify)
        _check(path, header, identity)
        assert header is not None
        opened = SharedDataSet(path, files, fd, header, incarnation=incarnation, member=member, notify=notify)
        opened.is_new = is_new
        opened.load_saved_map()
        if is_new:
            opened.needs_rebuild = False
    except BaseException:
        os.close(fd)
        raise
    return opened


def _format(
    files: Files,
    fd: int,
    path: Path,
    header: DataSetHeader,
    notify: Callable[[str, dict[str, int | str]], None],
) -> None:
    notify("formatting", {"pages": header.pages})
    format_pages(files, fd, path, 0, header.pages)
    files.sync(fd, path)
    files.write(fd, path, header.encode(), 0)
    files.sync(fd, path)
    files.sync_folder(path.parent)
    notify("formatted", {})


def _check(path: Path, header: DataSetHeader | None, identity: DataSetIdentity) -> None:
    if header is None:
        raise not_available(path, "its first page is damaged")
    if header.identity != identity:
        found = header.identity
        raise not_available(
            path, f"it belongs to {found.owner} for structure {found.structure} of group {found.group}"
        )
