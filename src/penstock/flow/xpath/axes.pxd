"""Makes axes a compiled module: a Route walks along them for every message."""


cdef class Visits:
    cdef public long left
