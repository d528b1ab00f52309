"""Reads bodies from a shared data set, of any owner.

It opens the file read-only and checks every extent against the reference. A file system that several
machines share may show old pages: what does not agree is read again with the cached pages dropped and the
file opened anew. Callers: `share.bodies`, and the owner for bodies that its buffers no longer hold. Not
here: deciding whether the message still exists (`still_there` asks the caller). Invariant: `read` returns
the body that was written under this reference, or raises 2561, or returns None when the message no longer
exists.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.store._checksum import crc32c
from penstock.store.body_reference import PAGE_BYTES, BodyReference, decode_extent
from penstock.store.data_set_header import (
    HEADER_USED_BYTES,
    DataSetHeader,
    decode_data_set_header,
    not_available,
)
from penstock.store.failures import file_failure
from penstock.store.files import read_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

READ_ATTEMPTS_MAX = 3


class SharedDataSetReader:
    """A read-only view of one data set. Calls from several threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._opened: _Descriptor | None = None

    def read(self, reference: BodyReference, still_there: Callable[[], bool] = lambda: True) -> bytes | None:
        """Return the body; None if the message no longer exists; raise 2561 if it cannot be read."""
        why = ""
        for attempt in range(READ_ATTEMPTS_MAX):
            if attempt:
                if not still_there():
                    return None
                self.forget()
            try:
                body = self._attempt(reference)
            except MQError as failure:
                why = failure.detail
                continue
            if body is not None:
                return body
            why = f"body {reference.number} at page {reference.extents[0][0]} is damaged or out of date"
        raise not_available(self.path, why)

    def header(self) -> DataSetHeader | None:
        """Return page 0, or None if it is damaged."""
        opened = self._open()
        return decode_data_set_header(read_at(opened.fd, self.path, HEADER_USED_BYTES, 0), self.path)

    def forget(self) -> None:
        """Drop cached pages and the descriptor; the next read opens the file again."""
        with self._lock:
            if self._opened is not None and hasattr(os, "posix_fadvise"):
                os.posix_fadvise(self._opened.fd, 0, 0, os.POSIX_FADV_DONTNEED)
            self._opened = None

    close = forget

    def _attempt(self, reference: BodyReference) -> bytes | None:
        parts = []
        checksum = 0
        opened = self._open()
        for ordinal, (page, pages) in enumerate(reference.extents):
            data = read_at(opened.fd, self.path, pages * PAGE_BYTES, page * PAGE_BYTES)
            part = decode_extent(memoryview(data), reference, ordinal)
            if part is None:
                return None
            checksum = crc32c(part, checksum)
            parts.append(part)
        body = bytes(parts[0]) if len(parts) == 1 else b"".join(parts)
        return body if (len(body), checksum) == (reference.length, reference.checksum) else None

    def _open(self) -> _Descriptor:
        with self._lock:
            if self._opened is None:
                self._opened = _Descriptor(self.path)
            return self._opened


class _Descriptor:
    """An open file that closes when the last thread that reads from it is done."""

    def __init__(self, path: Path) -> None:
        try:
            self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as failure:
            self.fd = -1
            raise file_failure(failure, "opening", path) from failure

    def __del__(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
