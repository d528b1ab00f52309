"""Records of a file: the whole file, fixed lengths, delimited, or a sequence that a parser finds.

Reads in blocks from a position, so that files may be larger than memory and an interrupted reader can resume.
A record has a size limit. Nothing is guessed: a last record that is too short for a fixed length is an error.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WHOLE, FIXED, DELIMITED, PARSED = "wholeFile", "fixedLength", "delimited", "parsedRecordSequence"
KINDS = (WHOLE, FIXED, DELIMITED, PARSED)
RECORD_BYTES_MAX = 100 << 20
BLOCK_BYTES = 64 << 10
WINDOW_BYTES = 8 << 10  # the first block that is searched for a record: it should not cost what follows it
LINE_END = "line"  # LF or CRLF


class Record(NamedTuple):
    """One record: its number from 1, where it begins and ends in the file, and its bytes."""

    number: int
    start: int
    end: int
    data: bytes


class Records(NamedTuple):
    """How the records of a file are found.

    `delimiter` is bytes or "line"; `infix` means that it is between records and not after each. `measure`
    returns for a parsed sequence the length of the first record, None if it needs more data.
    """

    kind: str = WHOLE
    length: int = 80
    delimiter: bytes | str = LINE_END
    infix: bool = False
    measure: Callable[[bytes, bool], int | None] | None = None
    space_between: bool = True  # white space between parsed records belongs to none

    def read(self, file: IO[bytes], start: int = 0, number: int = 0) -> Iterator[Record]:
        """Yield the records from a position on; `number` is that of the record before it."""
        file.seek(start)
        ways = {WHOLE: self._whole, FIXED: self._fixed, DELIMITED: self._delimited, PARSED: self._parsed}
        for position, end, data in ways[self.kind](file, start):
            number += 1
            yield Record(number, position, end, data)

    def _whole(self, file: IO[bytes], start: int) -> Iterator[tuple[int, int, bytes]]:
        if start:
            return  # it was read
        data = file.read(RECORD_BYTES_MAX + 1)
        _check_size(len(data), 0)
        yield 0, len(data), data

    def _fixed(self, file: IO[bytes], start: int) -> Iterator[tuple[int, int, bytes]]:
        while data := file.read(self.length):
            if len(data) < self.length:
                what = f"the last record has {len(data)} bytes instead of {self.length}, at {start}"
                raise error(mq.PSRC_FLOW_RECORD, what, position=start)
            yield start, start + len(data), data
            start += len(data)

    def _delimited(self, file: IO[bytes], start: int) -> Iterator[tuple[int, int, bytes]]:
        mark = b"\n" if self.delimiter == LINE_END else self.delimiter
        assert isinstance(mark, bytes)
        buffer, looked = bytearray(), 0
        while True:
            at = buffer.find(mark, looked)
            if at >= 0:
                data = bytes(buffer[:at])
                if self.delimiter == LINE_END:
                    data = data.removesuffix(b"\r")
                end = start + at + len(mark)
                yield start, end, data
                del buffer[: at + len(mark)]
                start, looked = end, 0
                continue
            looked = max(0, len(buffer) - len(mark) + 1)
            block = file.read(BLOCK_BYTES)
            if not block:
                break
            buffer += block
            _check_size(len(buffer) - BLOCK_BYTES, start)
        if buffer or (self.infix and 0 < start <= file.seek(0, 2)):
            # One beyond the end: the last of records with delimiters between them was read.
            yield start, start + len(buffer) + self.infix, bytes(buffer)

    def _parsed(self, file: IO[bytes], start: int) -> Iterator[tuple[int, int, bytes]]:
        """Yield records as the parser finds them."""
        buffer, at, window, is_end = b"", 0, WINDOW_BYTES, False
        while True:
            piece = buffer[at : at + window]
            spaces = len(piece) - len(piece.lstrip()) if self.space_between else 0
            if spaces:
                at, start = at + spaces, start + spaces
                continue
            is_whole = at + len(piece) == len(buffer)
            found = self._measured(piece, is_end and is_whole, start) if piece else None
            if found:
                yield start, start + found, piece[:found]
                at, start, window = at + found, start + found, WINDOW_BYTES
            elif not is_whole:
                window *= 2
            elif is_end:
                break
            else:
                _check_size(len(piece), start)
                block = file.read(max(BLOCK_BYTES, len(piece)))
                is_end = not block
                buffer, at, window = piece + block, 0, 2 * window
        if piece:
            raise error(mq.PSRC_FLOW_RECORD, f"no whole record begins at {start}", position=start)

    def _measured(self, buffer: bytes, is_end: bool, start: int) -> int | None:
        assert self.measure is not None
        try:
            return self.measure(buffer, is_end)
        except MQError as raised:
            what = f"the record at {start}: {raised.detail}"
            raise error(raised.reason, what, position=start) from raised


def _check_size(size: int, position: int) -> None:
    if size > RECORD_BYTES_MAX:
        what = f"the record at {position} has more than {RECORD_BYTES_MAX} bytes"
        raise error(mq.PSRC_FLOW_RECORD, what, position=position)
