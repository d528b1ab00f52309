from libc.stdint cimport int64_t, uint8_t


cdef struct Record:
    int64_t head_length
    int64_t body_length
    int64_t bytes  # that the record takes, with header and padding
    int64_t holder  # offset in the file of the record that has the body; 0: this one


cdef int next_record(const char *data, int64_t size, int64_t at, Record *record) noexcept nogil
cdef bint is_dead(const uint8_t[::1] dead, int64_t offset) noexcept nogil

cdef enum:
    RECORD_HEADER = 16
