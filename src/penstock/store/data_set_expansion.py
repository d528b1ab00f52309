"""Makes a shared data set larger while writes go on.

A thread formats pages behind the end in steps and gives each step to the space map at once, so that writes
wait only when nothing is free. It pauses between steps unless a write waits: formatting shall not take the
disk from puts. Called by `shared_data_set` at 90 percent full and when it is full. Invariant: a failed
expansion leaves the data set as it was, and is not tried again until an operator allows it.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.store.body_reference import PAGE_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.store.files import Files
    from penstock.store.shared_data_set import SharedDataSet

STEP_BYTES = 1 << 20  # formatted at a time
GROWTH_PERCENT = 10
GROWTH_BYTES_MIN = 4 << 20
PAGES_MAX = 0xFFFFFFFF  # 16 TB
STOP_SECONDS_MAX = 10.0

NORMAL, FAILED, MAXIMUM = "NORMAL", "FAILED", "MAXIMUM"


class DataSetExpansion:
    """The expansion of one data set: at most one at a time."""

    def __init__(self, data_set: SharedDataSet) -> None:
        self.is_allowed = True  # DSEXPAND
        self.secondary_bytes = 0  # 0: a tenth of the size
        self.status = NORMAL
        self._data_set = data_set
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> bool:
        """Begin, unless one is under way; return whether one is. Called under the data set's lock."""
        if self._thread is not None:
            return True
        if not self.is_allowed or self.status != NORMAL or self._stopping.is_set():
            return False
        pages = self._pages_wanted()
        if self._data_set.map.pages + pages > PAGES_MAX:
            self.status = MAXIMUM
            return False
        self._thread = threading.Thread(
            target=self._run, args=(pages,), name="data-set-expansion", daemon=True
        )
        self._thread.start()
        return True

    def allow(self, allowed: bool) -> None:
        """Allow or forbid expansions (DSEXPAND); allowing forgets an earlier failure."""
        self.is_allowed = allowed
        if allowed:
            self.status = NORMAL

    def stop(self) -> None:
        """End an expansion under way after its current step."""
        self._stopping.set()
        thread = self._thread
        if thread is not None:
            thread.join(STOP_SECONDS_MAX)

    def _pages_wanted(self) -> int:
        size = self._data_set.map.pages * PAGE_BYTES
        wanted = self.secondary_bytes or max(size * GROWTH_PERCENT // 100, GROWTH_BYTES_MIN)
        block_bytes = self._data_set.header.block_bytes
        return max(wanted // block_bytes, 1) * block_bytes // PAGE_BYTES

    def _run(self, pages: int) -> None:
        data_set = self._data_set
        before = data_set.map.pages
        try:
            data_set.notify("formatting", {"pages": pages})
            self._format(before, pages)
            data_set.sync()
        except MQError as failure:
            self.status, self.is_allowed = FAILED, False
            data_set.notify("expansion failed", {"why": str(failure)})
        added = data_set.map.pages - before
        self._thread = None
        try:
            data_set.expansion_ended()
        except MQError as failure:
            self.status, self.is_allowed = FAILED, False
            data_set.notify("expansion failed", {"why": str(failure)})
        if self.status == NORMAL:
            data_set.notify("formatted", {})
            data_set.notify("expanded", {"pages": added, "total": data_set.map.pages})

    def _format(self, first: int, pages: int) -> None:
        step = max(STEP_BYTES // self._data_set.header.block_bytes, 1) * self._data_set.header.block_pages
        page = first
        while page < first + pages and not self._stopping.is_set():
            began = time.monotonic()
            count = min(step, first + pages - page)
            self._data_set.format_at(page, count)
            self._data_set.add_formatted(count)
            page += count
            if not self._data_set.has_waiting_writes:
                self._stopping.wait(min(time.monotonic() - began, 1.0))


def format_pages(files: Files, fd: int, path: Path, page: int, pages: int) -> None:
    """Write zeros over pages, in steps; not synced."""
    zeros = bytes(STEP_BYTES)
    offset, end = page * PAGE_BYTES, (page + pages) * PAGE_BYTES
    while offset < end:
        length = min(STEP_BYTES, end - offset)
        files.write(fd, path, memoryview(zeros)[:length], offset)
        offset += length
