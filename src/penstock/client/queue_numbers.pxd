from libc.stdint cimport uint32_t

from penstock.protocol._frames cimport Outgoing


cdef class QueueNumbers:
    cdef dict _numbers

    cpdef uint32_t number(self, Outgoing out, uint32_t conversation, str queue) except? 0xFFFFFFFF
    cpdef void make_room(self, Py_ssize_t count) except *
    cpdef void forget(self) except *
