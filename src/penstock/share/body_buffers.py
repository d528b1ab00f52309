"""Buffers of a structure at one member: bodies that it offloaded, for its own gets (DSBUFS).

As many bytes as DSBUFS blocks hold; the oldest go first. Only what this member put is in them. Counts what
DISPLAY USAGE TYPE(SMDS) shows. Called by `data_sets` from several threads. Invariant: never larger than its
limit, and a body is only returned for the reference it was saved under.
"""

from __future__ import annotations

import threading
from collections import OrderedDict


class BodyBuffers:
    """The buffers of one structure."""

    def __init__(self, buffers: int, block_bytes: int) -> None:
        self.buffers, self.block_bytes = buffers, block_bytes
        self.hits = self.reads = self.in_use = self.in_use_max = 0
        self._lock = threading.Lock()
        self._saved: OrderedDict[tuple[int, int], bytes] = OrderedDict()
        self._bytes = 0

    def resize(self, buffers: int, block_bytes: int) -> None:
        """Take over changed attributes."""
        with self._lock:
            self.buffers, self.block_bytes = buffers, block_bytes
            self._shrink()

    def begin(self, length: int) -> None:
        """Count buffers that a write or read occupies."""
        with self._lock:
            self.in_use += self._blocks(length)
            self.in_use_max = max(self.in_use_max, self.in_use)

    def end(self, length: int) -> None:
        """Count them as free again."""
        with self._lock:
            self.in_use -= self._blocks(length)

    def save(self, key: tuple[int, int], body: bytes) -> None:
        """Keep a body that was just written."""
        with self._lock:
            self._saved[key] = body
            self._bytes += len(body)
            self._shrink()

    def take(self, key: tuple[int, int]) -> bytes | None:
        """Return a body that is still here."""
        with self._lock:
            found = self._saved.get(key)
            self.hits += found is not None
            self.reads += found is None
            return found

    def forget(self, key: tuple[int, int]) -> None:
        """Drop a body whose message is gone."""
        with self._lock:
            self._bytes -= len(self._saved.pop(key, b""))

    def clear(self) -> None:
        """Drop everything."""
        with self._lock:
            self._saved.clear()
            self._bytes = 0

    @property
    def saved(self) -> int:
        """Buffers that hold bodies."""
        return -(-self._bytes // self.block_bytes)

    @property
    def reads_saved_percent(self) -> int:
        """How many reads of this member the buffers answered."""
        total = self.hits + self.reads
        return self.hits * 100 // total if total else 0

    @property
    def lowest_free(self) -> int:
        """The fewest free buffers there were; negative: so many more were needed."""
        return self.buffers - self.in_use_max

    def _blocks(self, length: int) -> int:
        return max(-(-length // self.block_bytes), 1)

    def _shrink(self) -> None:
        while self._saved and self._bytes > self.buffers * self.block_bytes:
            _, body = self._saved.popitem(last=False)
            self._bytes -= len(body)
