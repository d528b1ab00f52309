"""Makes failing a compiled module: a guard stands around every node."""


cdef class Guard:
    cdef object process, failure
    cdef str label, kind, flow
