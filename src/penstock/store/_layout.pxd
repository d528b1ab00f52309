from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t


cdef struct BlockHeader:  # as it is in the files
    uint32_t magic
    uint32_t length
    int64_t position
    int64_t durable
    uint64_t journal
    uint32_t flags
    uint32_t crc


cdef struct PieceHeader:  # as it is in the files
    uint16_t kind
    uint16_t flags
    uint32_t head_length
    uint32_t body_length
    uint32_t piece_length


cdef struct Block:
    size_t start  # in the buffer
    size_t length
    int64_t position


cdef struct Loan:  # bytes of a large body that are copied when the buffer is written
    size_t start  # in the buffer
    const char *source
    size_t length


cdef struct Buffer:
    char *data
    size_t used
    size_t room
    Block *blocks
    size_t count
    size_t blocks_room
    int64_t records
    Loan *loans
    size_t loan_count
    size_t loans_room


cdef struct Layout:
    int64_t segment_bytes
    int64_t next  # where the next piece goes
    int64_t limit  # where the file of the open block ends
    int block_open


cdef int put_record(
    Layout *layout, Buffer *buffer, uint16_t kind, const char *head, int64_t head_length,
    const char *body, int64_t body_length, bint lend) noexcept nogil
cdef void copy_loans(Buffer *buffer) noexcept nogil
cdef void close_block(Layout *layout, Buffer *buffer) noexcept nogil
cdef const char *seal_block(
    Buffer *buffer, Block *block, int64_t durable, uint64_t journal, bint restart) noexcept nogil
cdef void empty_buffer(Buffer *buffer) noexcept nogil
cdef void free_buffer(Buffer *buffer) noexcept nogil
