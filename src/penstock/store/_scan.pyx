# cython: language_level=3, boundscheck=False, wraparound=False
"""Parsers of journal blocks and message records: quick, and safe on any bytes.

Every length is checked against the available bytes before it is used; a wrong checksum is
reported, never ignored. They open no files. `journal_reader` and `message_files` call them; the
layouts are in docs/internals.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from penstock.store._checksum cimport crc32c_of
from penstock.store._layout cimport BlockHeader, PieceHeader

cdef struct RecordHeader:  # as it is in the files
    uint32_t magic
    uint32_t head_length
    uint32_t body_length
    uint32_t crc

cdef enum:
    BLOCK_HEADER = 40
    BLOCK_CHECKED = 36
    PIECE_HEADER = 16
    RECORD_CHECKED = 12
    BLOCK_MAGIC_NUMBER = 0x4B4C4250
    RECORD_MAGIC_NUMBER = 0x4352534D
    SHARING_MAGIC_NUMBER = 0x5352534D
    HOLDER_BYTES = 8
    SHARED_BYTES_MIN = 64
    LARGE_BYTES = 1 << 20  # from this size on, copying and checking releases the GIL

BLOCK_MAGIC = b"PBLK"
BLOCK_HEADER_BYTES = BLOCK_HEADER
ROOM_BYTES_MIN = BLOCK_HEADER + PIECE_HEADER + 8
BLOCK_RESTART = 1
PIECE_MORE = 1
PIECE_NEXT = 2
RECORD_HEADER_BYTES = RECORD_HEADER
RECORD_ALIGNMENT = 8
RECORD_PART_BYTES_MAX = (1 << 32) - 1


def check_block(const uint8_t[::1] data not None, int64_t offset, int64_t position, uint64_t journal):
    """Look at the block that should be at `offset` of `data`, with this position in the log.

    Return (length, durable, flags). The length is 0 when no block of this journal and position
    begins there, and -1 when one begins but is not whole.
    """
    cdef BlockHeader header
    cdef int64_t size = data.shape[0]
    cdef uint32_t crc
    if offset < 0 or size - offset < BLOCK_HEADER:
        return 0, 0, 0
    memcpy(&header, &data[offset], BLOCK_HEADER)
    if header.magic != BLOCK_MAGIC_NUMBER or header.position != position or header.journal != journal:
        return 0, 0, 0
    if header.length < BLOCK_HEADER or header.length % 8 or header.length > size - offset:
        return -1, header.durable, header.flags
    with nogil:
        crc = crc32c_of(0, &header, BLOCK_CHECKED)
        if header.length > BLOCK_HEADER:
            crc = crc32c_of(crc, &data[offset + BLOCK_HEADER], header.length - BLOCK_HEADER)
    return (header.length if crc == header.crc else -1), header.durable, header.flags


cdef int64_t piece_end(const uint8_t *data, int64_t at, int64_t stop, PieceHeader *header) noexcept nogil:
    """Read the header of a piece; return where the piece ends, -1 if that is behind the block's end."""
    cdef int64_t after
    if stop - at < PIECE_HEADER:
        return -1
    memcpy(header, data + at, PIECE_HEADER)
    after = at + PIECE_HEADER + ((<int64_t>header.piece_length + 7) & ~7)
    return after if after <= stop else -1


def whole_records(view, const uint8_t[::1] data not None, int64_t offset, int64_t length, int64_t position,
                  int64_t start):
    """Return the records of a checked block that end behind `start`: (end position, kind, bytes).

    `view` is a memoryview of the same bytes, of which the payloads are slices. None when a record of
    the block is in pieces, or the block's inside makes no sense: then `split_block` looks closer.
    """
    cdef PieceHeader header
    cdef int64_t at = offset + BLOCK_HEADER
    cdef int64_t stop = offset + length
    cdef int64_t after
    cdef list records = []
    if offset < 0 or stop > data.shape[0]:
        return None
    while at < stop:
        after = piece_end(&data[0], at, stop, &header)
        at += PIECE_HEADER
        if after < 0 or header.flags or <int64_t>header.head_length + header.body_length != header.piece_length:
            return None
        if position + after - offset > start:
            records.append((position + after - offset, header.kind, view[at:at + header.piece_length]))
        at = after
    return records


def split_block(view, const uint8_t[::1] data not None, int64_t offset, int64_t length, int64_t position):
    """Return the pieces of a checked block: (end position, kind, flags, head length, length, bytes).

    `view` is a memoryview of the same bytes, of which the pieces are slices; `length` in a piece is
    that of the whole record. None when the block's inside makes no sense.
    """
    cdef PieceHeader header
    cdef int64_t at = offset + BLOCK_HEADER
    cdef int64_t stop = offset + length
    cdef int64_t after
    cdef list pieces = []
    if offset < 0 or stop > data.shape[0]:
        return None
    while at < stop:
        after = piece_end(&data[0], at, stop, &header)
        at += PIECE_HEADER
        if after < 0:
            return None
        pieces.append((
            position + after - offset, header.kind, header.flags, header.head_length,
            <int64_t>header.head_length + header.body_length, view[at:at + header.piece_length],
        ))
        at = after
    return pieces


def pack_records(records, int64_t offset, dict holders=None):
    """Return (bytes to write at `offset` of a message file, list of the offsets of the records).

    `holders` maps the identity of a body to the record of the file that has it: the same object is not
    written twice. New bodies are added to it; the caller keeps the bodies alive.
    """
    cdef list offsets = []
    cdef list places = []
    cdef bytes head, body, packed
    cdef int64_t total = 0, at = 0, holder, stored
    cdef Py_ssize_t head_length
    cdef RecordHeader *header
    cdef char *target
    cdef const char *source
    for head, body in records:
        holder = 0
        if holders is not None and len(body) >= SHARED_BYTES_MIN:
            holder = holders.setdefault(<size_t><void *>body, offset + total)
            if holder == offset + total:
                holder = 0
        places.append(holder)
        total += record_bytes(len(head), HOLDER_BYTES if holder else len(body))
    packed = PyBytes_FromStringAndSize(NULL, total)
    target = packed
    for (head, body), holder in zip(records, places):
        head_length = len(head)
        stored = HOLDER_BYTES if holder else len(body)
        header = <RecordHeader *>(target + at)
        header.magic = SHARING_MAGIC_NUMBER if holder else RECORD_MAGIC_NUMBER
        header.head_length = <uint32_t>head_length
        header.body_length = <uint32_t>len(body)
        memcpy(target + at + RECORD_HEADER, <const char *>head, head_length)
        source = <const char *>&holder if holder else <const char *>body
        if stored < LARGE_BYTES:
            memcpy(target + at + RECORD_HEADER + head_length, source, stored)
            header.crc = checksum(target + at, header)
        else:
            with nogil:  # others have something to do meanwhile
                memcpy(target + at + RECORD_HEADER + head_length, source, stored)
                header.crc = checksum(target + at, header)
        offsets.append(offset + at)
        at += RECORD_HEADER + head_length + stored
        memset(target + at, 0, (-at) & 7)
        at += (-at) & 7
    return packed, offsets


cdef int64_t stored_bytes(RecordHeader *header) noexcept nogil:
    """Return what follows the head: the body, or its offset."""
    return HOLDER_BYTES if header.magic == SHARING_MAGIC_NUMBER else header.body_length


cdef bint is_record(RecordHeader *header) noexcept nogil:
    return header.magic == RECORD_MAGIC_NUMBER or header.magic == SHARING_MAGIC_NUMBER


cdef int64_t record_bytes(int64_t head_length, int64_t body_length):
    return (RECORD_HEADER + head_length + body_length + 7) & ~7


cdef uint32_t checksum(const char *record, RecordHeader *header) noexcept nogil:
    return crc32c_of(
        crc32c_of(0, record, RECORD_CHECKED), record + RECORD_HEADER,
        <size_t>header.head_length + stored_bytes(header),
    )


def record_length(const uint8_t[::1] data not None, int64_t at):
    """Return the size of the record at `at` in bytes, -1 if its header is missing or invalid."""
    cdef RecordHeader header
    if at < 0 or data.shape[0] - at < RECORD_HEADER:
        return -1
    memcpy(&header, &data[at], RECORD_HEADER)
    if not is_record(&header):
        return -1
    return record_bytes(header.head_length, stored_bytes(&header))


cdef int next_record(const char *data, int64_t size, int64_t at, Record *record) noexcept nogil:
    """Measure and check the record at `at`: 1 it is good, 0 it continues after `size`, -1 it is not a record."""
    cdef RecordHeader header
    if at < 0 or size - at < RECORD_HEADER:
        return 0
    memcpy(&header, data + at, RECORD_HEADER)
    if not is_record(&header):
        return -1
    record.head_length = header.head_length
    record.body_length = header.body_length
    record.holder = 0
    record.bytes = (RECORD_HEADER + record.head_length + stored_bytes(&header) + 7) & ~7
    if record.bytes > size - at:
        return 0
    if checksum(data + at, &header) != header.crc:
        return -1
    if header.magic == SHARING_MAGIC_NUMBER:
        memcpy(&record.holder, data + at + RECORD_HEADER + record.head_length, HOLDER_BYTES)
        if record.holder <= 0:
            return -1
    return 1


cdef bint is_dead(const uint8_t[::1] dead, int64_t offset) noexcept nogil:
    """Look a record up in a bit map: one bit for 16 bytes, the least that a record takes."""
    cdef int64_t slot = offset >> 4
    return slot >> 3 < dead.shape[0] and (dead[slot >> 3] >> (slot & 7)) & 1


def parse_record(const uint8_t[::1] data not None, int64_t at):
    """Return (head, body) of the record at `at`, or None when it is not whole or not right.

    If another record has the body, that record's offset in the file takes its place.
    """
    cdef Record record
    cdef const char *bytes_
    cdef bytes body
    cdef char *target
    cdef int good
    if data.shape[0] == 0:
        return None
    bytes_ = <const char *>&data[0]
    if data.shape[0] < LARGE_BYTES:
        good = next_record(bytes_, data.shape[0], at, &record)
    else:
        with nogil:
            good = next_record(bytes_, data.shape[0], at, &record)
    if good != 1:
        return None
    at += RECORD_HEADER
    head = PyBytes_FromStringAndSize(bytes_ + at, record.head_length)
    if record.holder:
        return head, record.holder
    at += record.head_length
    if record.body_length < LARGE_BYTES:
        return head, PyBytes_FromStringAndSize(bytes_ + at, record.body_length)
    body = PyBytes_FromStringAndSize(NULL, record.body_length)
    target = body
    with nogil:
        memcpy(target, bytes_ + at, record.body_length)
    return head, body


def scan_records(data, int64_t base, const uint8_t[::1] dead not None, dict amended, list found):
    """Append (location, head, body, value) of each live record of a part of a message file to `found`.

    `base` is the location of the part's first byte, which is a record's; bodies are views of `data`, or
    the offset in the file of the record that has the body.
    Return (bytes used, records seen); fewer bytes than there are when a record is damaged.
    """
    cdef const uint8_t[::1] bytes_ = data
    cdef object view = memoryview(data)
    cdef Record record
    cdef int64_t at = 0, size = bytes_.shape[0], body, location, records = 0
    while at < size and next_record(<const char *>&bytes_[0], size, at, &record) == 1:
        records += 1
        location = base + at
        if not is_dead(dead, location & 0xFFFFFFFF):
            body = at + RECORD_HEADER + record.head_length
            found.append((
                location,
                PyBytes_FromStringAndSize(<const char *>&bytes_[at + RECORD_HEADER], record.head_length),
                record.holder if record.holder else view[body:body + record.body_length],
                amended.get(location, 0) if amended else 0,
            ))
        at += record.bytes
    return at, records


def record_bounds(const uint8_t[::1] data not None):
    """Return (bytes of whole records from the beginning, their number, whether a header is not one)."""
    cdef RecordHeader header
    cdef int64_t at = 0, size = data.shape[0], need, records = 0
    while size - at >= RECORD_HEADER:
        memcpy(&header, &data[at], RECORD_HEADER)
        if not is_record(&header):
            return at, records, True
        need = record_bytes(header.head_length, stored_bytes(&header))
        if need > size - at:
            break
        at += need
        records += 1
    return at, records, False
