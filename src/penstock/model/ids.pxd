cimport cython


cdef class IdSource:
    cdef bytes _prefix
    cdef bytes _head
    cdef tuple _last_bytes
    cdef object _high
    cdef int _low

    @cython.locals(low=int)
    cpdef bytes next(self)
