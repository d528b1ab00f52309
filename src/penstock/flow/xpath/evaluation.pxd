"""Makes evaluation a compiled module: every expression makes one of its objects for every message."""


cdef class At:
    cdef readonly object item, variables, visits
    cdef readonly Py_ssize_t position, size
