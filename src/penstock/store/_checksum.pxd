from libc.stdint cimport uint32_t

cdef uint32_t crc32c_of(uint32_t value, const void *data, size_t length) noexcept nogil
