from cpython.pythread cimport PyThread_type_lock


cdef class Gate:
    cdef PyThread_type_lock lock

    cpdef void acquire(self) noexcept
    cpdef void release(self) noexcept
