"""Where a record of a stream ends, and how a record is written to one. No I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable

END, FIXED, DELIMITED, PARSED = "connectionClosed", "fixedLength", "delimited", "parsedRecordSequence"
UNMODIFIED = "unmodified"
READ_KINDS = (END, FIXED, DELIMITED, PARSED)
WRITE_KINDS = (UNMODIFIED, FIXED, DELIMITED)
RECORD_BYTES_MAX = 100 << 20
LINE_END = "line"


class Framing(NamedTuple):
    """How records are found; `measure` returns the length of a parsed record, None if it needs more."""

    kind: str = END
    length: int = 80
    delimiter: str = LINE_END
    measure: Callable[[bytes, bool], int | None] | None = None

    def first(self, buffer: bytearray, is_end: bool) -> bytes | None:
        """Take the first record off a buffer; None if it is not complete. 8341 for one that never will be."""
        if len(buffer) > RECORD_BYTES_MAX:
            raise error(mq.PSRC_FLOW_STREAM, f"a record has more than {RECORD_BYTES_MAX} bytes")
        found = self._end(buffer, is_end)
        if found is None:
            if is_end and buffer:
                raise error(mq.PSRC_FLOW_STREAM, f"the stream ended after {len(buffer)} bytes of a record")
            return None
        size, mark = found
        record = bytes(buffer[:size])
        del buffer[: size + mark]
        return record.removesuffix(b"\r") if self.kind == DELIMITED and self.delimiter == LINE_END else record

    def _end(self, buffer: bytearray, is_end: bool) -> tuple[int, int] | None:
        """Return the length of the first record, and of the delimiter behind it."""
        if self.kind == END:
            return (len(buffer), 0) if is_end and buffer else None
        if self.kind == FIXED:
            return (self.length, 0) if len(buffer) >= self.length else None
        if self.kind == DELIMITED:
            mark = mark_of(self.delimiter)
            at = buffer.find(mark)
            if at < 0 and is_end and buffer:
                return len(buffer), 0
            return (at, len(mark)) if at >= 0 else None
        if not buffer or self.measure is None:
            return None
        spaces = len(buffer) - len(buffer.lstrip())
        del buffer[:spaces]
        size = self.measure(bytes(buffer), is_end) if buffer else None
        return (size, 0) if size else None


def written(data: bytes, kind: str, length: int, delimiter: str, padding: bytes = b" ") -> bytes:
    """Return a record as it is written; 8341 for one that is longer than its fixed length."""
    if kind == DELIMITED:
        return data + mark_of(delimiter)
    if kind != FIXED:
        return data
    if len(data) > length:
        raise error(mq.PSRC_FLOW_STREAM, f"a record of {len(data)} bytes, where {length} are the length")
    return data.ljust(length, padding)


def mark_of(delimiter: str) -> bytes:
    """Return the bytes of a delimiter: the end of a line, or hexadecimal."""
    return b"\n" if delimiter == LINE_END else bytes.fromhex(delimiter)
