"""What one member did to persistent shared messages since the last backups: a second copy, for recoveries.

A segment is a file of frames beside the backups. A round writes a frame before it is sent, with whole bodies,
and one when its outcome is known; nobody waits for the disk, because PostgreSQL is what is durable. A backup
and every life of the member begin a new segment. Called by `rounds` and `facility` in threads of pipes, and
by `structure_turns`. Not here: which segments there are, and what a recovery makes of them.
Invariant: a round that the facility has committed while a structure was recorded is in a segment, or the
segment is known to have a gap.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.share.framed_file import FrameWriter
from penstock.store._checksum import crc32c

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from penstock.qmgr.sharing.wishes import Commit, Put

logger = logging.getLogger(__name__)

MAGIC = b"PSTKCFJN"
ROUND, OUTCOME, CLEARED = "R", "O", "C"
BACKUP_BYTES = 1 << 30  # a segment that is larger makes its member back up a structure
SEGMENT_BYTES_MAX = 4 << 30  # for when that does not help


class MessageJournal:
    """The segment that a member writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gap: Callable[[Path, MQError], None] = lambda _path, _failure: None  # informed of a gap
        self.structures: frozenset[str] = frozenset()  # with a backup: nothing else is recorded
        self._lock = threading.Lock()
        self._file: FrameWriter | None = None

    @property
    def bytes(self) -> int:
        """How large the segment is."""
        return self._file.bytes if self._file is not None else 0

    def path_of(self, turn: int, incarnation: int) -> Path:
        """Return where the segment is that begins with a turn in a life of the member."""
        return self.folder / f"messages-{turn:09d}-{incarnation:09d}.cfj"

    def begin(self, path: Path, structures: frozenset[str]) -> None:
        """Begin a new segment if anything is to be recorded; no round may be under way."""
        with self._lock:
            self._end()
            self.structures = structures
            if structures:
                self._file = FrameWriter(path, MAGIC)
                self._file.flush()

    def started(self, number: int, commits: list[Commit]) -> bool:
        """Record what a round will do; False if it touches nothing that is recorded."""
        if self._file is None:
            return False
        every = [(unit, put) for unit, wish in enumerate(commits) for put in wish.puts]
        puts = [
            _put(unit, place, put)
            for place, (unit, put) in enumerate(every)
            if put.persistent and put.structure in self.structures
        ]
        gone = [
            (unit, row.seq, crc32c(row.head))
            for unit, wish in enumerate(commits)
            for row in wish.gets
            if row.persistent
        ]
        if puts or gone:
            self._add([ROUND, number, puts, gone])
        return bool(puts or gone)

    def ended(self, number: int, failed: Iterable[int], seqs: Iterable[int]) -> None:
        """Record that a round was committed, but for units that failed, and what places its puts got."""
        self._add([OUTCOME, number, list(failed), list(seqs)])

    def cleared(self, seqs: list[int]) -> None:
        """Record that messages were removed by a command."""
        if seqs:
            self._add([CLEARED, seqs])

    def close(self) -> None:
        """End the segment."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _add(self, values: list[Any]) -> None:
        with self._lock:
            file = self._file
            if file is None:
                return
            try:
                if file.bytes > SEGMENT_BYTES_MAX:
                    raise error(mq.PSRC_IO_ERROR, f"segment {file.path} is larger than {SEGMENT_BYTES_MAX}")
                file.add(values)
                return
            except MQError as refusal:
                failure = refusal
                self._end()
        logger.warning("message_journal_stopped cause=%s", failure)
        self.gap(file.path, failure)


def _put(unit: int, place: int, put: Put) -> list[Any]:
    """Return a put as it is kept: its place among the puts of the round, and its body wherever that is."""
    reference = put.body if put.place else None
    body = put.body if put.whole is None else put.whole
    return [unit, place, put.queue, put.lane, put.key, put.expires_at, put.head, body, reference]
