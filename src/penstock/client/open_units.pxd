from libc.stdint cimport uint32_t


cdef class OpenUnits:
    cdef object _scopes
    cdef public Py_ssize_t count
    cdef uint32_t _next

    cpdef uint32_t new_number(self)
    cpdef uint32_t number_of(self, object qm) except? 0xFFFFFFFF
    cdef void _discard(self, object scope) except *
