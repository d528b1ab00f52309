ctypedef const unsigned char *Bytes

cdef unsigned long long big_endian(Bytes at, int size) noexcept nogil
cdef int head_of(unsigned char first, bint *holds, int *pairs, int *size) noexcept nogil
cdef Py_ssize_t count(Bytes data, Py_ssize_t length, Py_ssize_t most, int nesting_max) noexcept nogil
