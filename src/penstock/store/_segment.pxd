from libc.stdint cimport int64_t, uint64_t
from penstock.store._disk cimport Plan

cdef enum:
    PAGE_BYTES = 4096
    SEGMENT_VERSION = 1

cdef struct Folder:
    int fd
    int64_t segment_bytes
    uint64_t journal
    Plan *plan

cdef int open_segment(Folder *folder, int64_t number) noexcept nogil
cdef int prepare_segment(Folder *folder, int64_t number) noexcept nogil
cdef int recycle_segment(Folder *folder, int64_t old, int64_t number) noexcept nogil
