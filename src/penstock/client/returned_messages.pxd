cdef class Kept:
    cdef list _found
