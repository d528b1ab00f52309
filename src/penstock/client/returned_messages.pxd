cdef class Kept:
    cdef list _found
    cdef public int leaving
