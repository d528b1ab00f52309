# cython: language_level=3
"""The layout of records in the journal: built in a buffer exactly as it will be in the files.

A record gets its position here, before anything is written: in the open block, or in a new one, split into
pieces where a file ends. A large body may be lent: its place is reserved, and the flushing thread copies it.
No I/O and no locks; `_writer` calls it with its lock held. The layout is described in
docs/internals/journal-format.md; `_scan` reads it.
"""

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from penstock.store._checksum cimport crc32c_of

cdef enum:
    PAGE_BYTES = 4096  # the first page of a file is its header
    BLOCK_HEADER_BYTES = 40
    BLOCK_CHECKED_BYTES = 36
    RECORD_HEADER_BYTES = 16
    ROOM_BYTES_MIN = BLOCK_HEADER_BYTES + RECORD_HEADER_BYTES + 8
    BLOCK_MAGIC = 0x4B4C4250  # "PBLK"
    BLOCK_RESTART = 1  # the first block after an open
    PIECE_MORE = 1  # the record goes on in the next piece
    PIECE_NEXT = 2  # this piece continues a record
    BUFFER_BYTES_FIRST = 1 << 16
    BUFFER_BYTES_KEPT = 8 << 20  # a buffer that grew past this is given back after use


cdef int64_t settle(int64_t position, int64_t segment_bytes) noexcept nogil:
    """Where the next block goes: not into a file's first page, nor where too little room is left."""
    cdef int64_t offset = position % segment_bytes
    if offset < PAGE_BYTES:
        return position - offset + PAGE_BYTES
    if segment_bytes - offset < ROOM_BYTES_MIN:
        return position - offset + segment_bytes + PAGE_BYTES
    return position


cdef int make_room(Buffer *buffer, size_t more) noexcept nogil:
    cdef size_t room = buffer.room
    cdef char *data
    if buffer.used + more <= room:
        return 0
    if room < BUFFER_BYTES_FIRST:
        room = BUFFER_BYTES_FIRST
    while room < buffer.used + more:
        room *= 2
    data = <char *>realloc(buffer.data, room)
    if data == NULL:
        return -1
    buffer.data = data
    buffer.room = room
    return 0


cdef int open_block(Layout *layout, Buffer *buffer) noexcept nogil:
    cdef Block *blocks
    cdef int64_t position = settle(layout.next, layout.segment_bytes)
    if make_room(buffer, BLOCK_HEADER_BYTES):
        return -1
    if buffer.count == buffer.blocks_room:
        blocks = <Block *>realloc(buffer.blocks, (buffer.blocks_room * 2 + 8) * sizeof(Block))
        if blocks == NULL:
            return -1
        buffer.blocks = blocks
        buffer.blocks_room = buffer.blocks_room * 2 + 8
    buffer.blocks[buffer.count].start = buffer.used
    buffer.blocks[buffer.count].position = position
    buffer.count += 1
    buffer.used += BLOCK_HEADER_BYTES
    layout.limit = (position // layout.segment_bytes + 1) * layout.segment_bytes
    layout.block_open = 1
    layout.next = position + BLOCK_HEADER_BYTES
    return 0


cdef void close_block(Layout *layout, Buffer *buffer) noexcept nogil:
    """End the open block, if there is one: the next record begins another."""
    cdef Block *block
    if layout.block_open:
        block = &buffer.blocks[buffer.count - 1]
        block.length = buffer.used - block.start
        layout.block_open = 0


cdef int note_loan(Buffer *buffer, const char *target, const char *source, size_t length) noexcept nogil:
    cdef Loan *loans
    if buffer.loan_count == buffer.loans_room:
        loans = <Loan *>realloc(buffer.loans, (buffer.loans_room * 2 + 8) * sizeof(Loan))
        if loans == NULL:
            return -1
        buffer.loans = loans
        buffer.loans_room = buffer.loans_room * 2 + 8
    buffer.loans[buffer.loan_count].start = <size_t>(target - buffer.data)
    buffer.loans[buffer.loan_count].source = source
    buffer.loans[buffer.loan_count].length = length
    buffer.loan_count += 1
    return 0


cdef void copy_loans(Buffer *buffer) noexcept nogil:
    """Copy lent bodies to their places; their owners must still hold them."""
    cdef size_t index
    for index in range(buffer.loan_count):
        memcpy(buffer.data + buffer.loans[index].start, buffer.loans[index].source, buffer.loans[index].length)
    buffer.loan_count = 0


cdef int copy_piece(
    Buffer *buffer, char *target, int64_t done, int64_t length,
    const char *head, int64_t head_length, const char *body, bint lend,
) noexcept nogil:
    cdef int64_t part = head_length - done
    if part > length:
        part = length
    if part > 0:
        memcpy(target, head + done, <size_t>part)
    else:
        part = 0
    if length > part and lend:
        return note_loan(buffer, target + part, body + (done + part - head_length), <size_t>(length - part))
    if length > part:
        memcpy(target + part, body + (done + part - head_length), <size_t>(length - part))
    return 0


cdef int put_record(
    Layout *layout, Buffer *buffer, uint16_t kind, const char *head, int64_t head_length,
    const char *body, int64_t body_length, bint lend,
) noexcept nogil:
    """Copy one record to the end of the buffer, in pieces where a file ends; -1 without memory.

    A body that is lent must stay where it is until `copy_loans`.
    """
    cdef int64_t total = head_length + body_length
    cdef int64_t done = 0
    cdef int64_t piece, padded
    cdef PieceHeader *header
    while True:
        if not layout.block_open and open_block(layout, buffer):
            return -1
        piece = layout.limit - layout.next - RECORD_HEADER_BYTES
        if piece < 8:
            close_block(layout, buffer)
            continue
        piece = total - done if total - done < piece else piece & ~7
        padded = (piece + 7) & ~7
        if make_room(buffer, RECORD_HEADER_BYTES + padded):
            return -1
        header = <PieceHeader *>(buffer.data + buffer.used)
        header.kind = kind
        header.flags = (PIECE_NEXT if done else 0) | (PIECE_MORE if done + piece < total else 0)
        header.head_length = <uint32_t>head_length
        header.body_length = <uint32_t>body_length
        header.piece_length = <uint32_t>piece
        if copy_piece(
                buffer, <char *>header + RECORD_HEADER_BYTES, done, piece, head, head_length, body, lend):
            return -1
        memset(<char *>header + RECORD_HEADER_BYTES + piece, 0, <size_t>(padded - piece))
        buffer.used += RECORD_HEADER_BYTES + padded
        layout.next += RECORD_HEADER_BYTES + padded
        done += piece
        if done >= total:
            buffer.records += 1
            return 0


cdef const char *seal_block(
    Buffer *buffer, Block *block, int64_t durable, uint64_t journal, bint restart,
) noexcept nogil:
    """Fill in the header of a closed block and return its first byte."""
    cdef BlockHeader *header = <BlockHeader *>(buffer.data + block.start)
    header.magic = BLOCK_MAGIC
    header.length = <uint32_t>block.length
    header.position = block.position
    header.durable = durable
    header.journal = journal
    header.flags = BLOCK_RESTART if restart else 0
    header.crc = crc32c_of(0, header, BLOCK_CHECKED_BYTES)
    header.crc = crc32c_of(header.crc, <char *>header + BLOCK_HEADER_BYTES, block.length - BLOCK_HEADER_BYTES)
    return <const char *>header


cdef void empty_buffer(Buffer *buffer) noexcept nogil:
    buffer.used = 0
    buffer.count = 0
    buffer.records = 0
    buffer.loan_count = 0
    if buffer.room > BUFFER_BYTES_KEPT:
        free(buffer.data)
        buffer.data = NULL
        buffer.room = 0


cdef void free_buffer(Buffer *buffer) noexcept nogil:
    if buffer != NULL:
        free(buffer.data)
        free(buffer.blocks)
        free(buffer.loans)
        free(buffer)
