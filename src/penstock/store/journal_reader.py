"""Reads the journal: verifies each block, joins pieces, distinguishes a torn end from damage.

It changes nothing on disk. An invalid block ends the log if nothing shows that it had been synced: then it
is the torn end of the last write and was never confirmed. Every block carries the position that was durable
when it was written; a later block with a higher one proves that the invalid one was once valid, and that is
damage (8002), never skipped silently. Recovery in room `qmgr` and the tests call it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store import _scan
from penstock.store.file_header import decode_header
from penstock.store.files import read_file, read_part
from penstock.store.segments import (
    PAGE_BYTES,
    SEGMENT_MAGIC,
    find_identity,
    read_segment_header,
    segment_name,
    segment_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.errors import MQError

ADVICE = (
    "keep the folder as it is and restore it from a backup; "
    "do not remove journal files, the records behind this position would be lost"
)


def read_journal(folder: Path, start: int = 0) -> JournalReading:
    """Return a reading of the records that begin at `start` or later (0: the oldest there is)."""
    return JournalReading(Path(folder), start)


class JournalReading:
    """Iterate once over (end position, kind, payload); payload is a memoryview of head and body.

    After the iteration `end` is where the journal continues and `torn` is None or describes what was cut off;
    `records` counts. Raises MQError 8002 if the middle is damaged, 8003 if a newer release wrote a file, 8015
    if there is no journal.
    """

    def __init__(self, folder: Path, start: int) -> None:
        self.folder = folder
        self.start = start
        self.end = start
        self.torn: str | None = None
        self.records = 0
        identity = find_identity(folder)
        self._journal = identity.journal
        self._segment_bytes = identity.segment_bytes
        self._numbers = segment_numbers(folder)
        self._pieces: list[memoryview] = []  # of a record whose end is still to come
        self._at = start  # where the next block must be

    def __iter__(self) -> Iterator[tuple[int, int, memoryview]]:
        number = self.start // self._segment_bytes if self.start else self._oldest()
        self._at = number * self._segment_bytes + PAGE_BYTES
        while (data := self._read_segment(number)) is not None:
            self._at = number * self._segment_bytes + PAGE_BYTES
            yield from self._segment_records(data)
            if (number + 1) * self._segment_bytes - self._at >= _scan.ROOM_BYTES_MIN:
                self._judge_end(number, data)
                break
            number += 1
        else:
            self._check_behind(number)
        self._finish()

    def _oldest(self) -> int:
        """Return the first complete file; an interrupted renumbering leaves an incomplete one."""
        return next(n for n in self._numbers if read_segment_header(self.folder, n) is not None)

    def _segment_records(self, data: bytes) -> Iterator[tuple[int, int, memoryview]]:
        """Yield the records of one file, as far as its blocks are valid."""
        view = memoryview(data)
        offset = PAGE_BYTES
        while len(data) - offset >= _scan.ROOM_BYTES_MIN:
            length, _, flags = _scan.check_block(view, offset, self._at, self._journal)
            if length <= 0:
                return
            if flags & _scan.BLOCK_RESTART:
                self._pieces = []  # the writer had stopped inside that record
            records = _scan.whole_records(view, view, offset, length, self._at, self.start)
            if records is None or self._pieces:
                records = list(self._joined(view, offset, length))
            offset += length
            self._at += length
            self.records += len(records)
            yield from records

    def _joined(self, view: memoryview, offset: int, length: int) -> Iterator[tuple[int, int, memoryview]]:
        """Yield the records of a block in which some are in pieces."""
        pieces = _scan.split_block(view, view, offset, length, self._at)
        if pieces is None:
            raise self._damage(self._at, "a block has a valid checksum but invalid contents")
        for end, kind, flags, _, total, piece in pieces:
            if flags & (_scan.PIECE_MORE | _scan.PIECE_NEXT):
                whole = self._collect(flags, piece)
                if whole is None:
                    continue
                piece = whole
            elif self._pieces:
                raise self._damage(self._at, "a record is not complete")
            if len(piece) != total:
                raise self._damage(self._at, "a record's length does not fit its bytes")
            if end > self.start:
                yield end, kind, piece

    def _collect(self, flags: int, piece: memoryview) -> memoryview | None:
        """Keep a piece; return the complete record after its last one."""
        if flags & _scan.PIECE_NEXT and not self._pieces:
            return None  # the record began before the file where reading began
        self._pieces.append(piece)
        if flags & _scan.PIECE_MORE:
            return None
        whole = memoryview(b"".join(self._pieces))
        self._pieces = []
        return whole

    def _read_segment(self, number: int) -> bytes | None:
        """Return a segment's bytes; None if there is no file, or one without a valid header."""
        if number not in self._numbers:
            return None
        path = self.folder / segment_name(number)
        data = read_file(path)
        header = decode_header(data, SEGMENT_MAGIC, path)
        if header is not None and header.identity != self._journal:
            raise error(mq.PSRC_WRONG_QMGR, f"{path} belongs to another journal", path=str(path))
        if header is None or header.number != number:
            return None
        return data[: self._segment_bytes]

    def _judge_end(self, number: int, data: bytes) -> None:
        """Decide whether an invalid block is the torn end of the log, or damage."""
        base = number * self._segment_bytes
        offset = self._at - base
        for later, durable in later_blocks(data, base, offset, self._journal):
            if durable > self._at:
                raise self._damage(
                    self._at, f"a block is bad that was synced before the one at {later} was written"
                )
        self._check_behind(number + 1)
        length, _, _ = _scan.check_block(data, offset, self._at, self._journal)
        if length < 0:
            self.torn = f"the last write to {segment_name(number)} is not complete; "

    def _check_behind(self, number: int) -> None:
        """Check later files: a file is synced before the next is written, so a block there proves damage
        here.
        """
        for other in self._numbers:
            if other < number or self._is_unused(other):
                continue
            data = read_file(self.folder / segment_name(other))
            for later, _ in later_blocks(data, other * self._segment_bytes, 0, self._journal):
                why = f"the log breaks off here, but {segment_name(other)} has a good block at {later}"
                raise self._damage(self._at, why)

    def _is_unused(self, number: int) -> bool:
        """Return whether a file begins with zeros or a block of an earlier lap: then it has none of this one.

        Otherwise restart would read all prepared files for nothing.
        """
        first = read_part(self.folder / segment_name(number), PAGE_BYTES, _scan.BLOCK_HEADER_BYTES)
        if not any(first):
            return True
        position = int.from_bytes(first[8:16], "little", signed=True)
        return first.startswith(_scan.BLOCK_MAGIC) and position < number * self._segment_bytes

    def _finish(self) -> None:
        if self._at < self.start:
            raise self._damage(self._at, f"the journal ends here, before {self.start} where restart begins")
        self.end = self._at
        if self._pieces:
            self.torn = self.torn or "the last record is not complete; "
        if self.torn:
            self.torn += f"the journal goes on at position {self.end}"

    def _damage(self, position: int, why: str) -> MQError:
        name = segment_name(position // self._segment_bytes)
        offset = position % self._segment_bytes
        text = f"{self.folder / name}, position {position} (byte {offset} of the file): {why}; {ADVICE}"
        return error(
            mq.PSRC_JOURNAL_DAMAGED, text, path=str(self.folder / name), position=position, offset=offset
        )


def block_places(data: bytes, at: int) -> Iterator[int]:
    """Yield where a block may begin, from an offset on.

    Most of a log file is unwritten as a rule: one byte is sought in there ten times as fast as four.
    """
    at = data.find(_scan.BLOCK_MAGIC[:1], at)
    while at >= 0 and (at := data.find(_scan.BLOCK_MAGIC, at)) >= 0:
        yield at
        at += 1


def later_blocks(data: bytes, base: int, offset: int, journal: int) -> Iterator[tuple[int, int]]:
    """Yield (position, durable) of the valid blocks of this journal and lap after `offset`."""
    for at in block_places(data, offset + 1):
        length, durable, _ = _scan.check_block(data, at, base + at, journal)
        if length > 0:
            yield base + at, durable
