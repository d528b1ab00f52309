from cpython.pythread cimport PyThread_type_lock


cpdef double now() noexcept


cdef class Gate:
    cdef PyThread_type_lock lock
    cdef public bint closed

    cpdef void acquire(self) noexcept
    cpdef void release(self) noexcept
