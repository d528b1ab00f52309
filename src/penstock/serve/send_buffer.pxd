cimport cython

from penstock.protocol._frames cimport Outgoing


cdef class SendBuffer:
    cdef public Outgoing out
    cdef list dirty
    cdef bint marked
    cdef public long long messages
    cdef public str ending
    cdef public bint commands_only
    cdef public bint patient

    cpdef void mark(self) except *
    cpdef void write(self) except *


@cython.locals(outlet=SendBuffer, rest=cython.bint)
cpdef void write_all(list dirty) except *
