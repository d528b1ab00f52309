cimport cython

from penstock.protocol._frames cimport Outgoing

cdef int _DONE, _MESSAGE, _MESSAGES, _RECEIPT, _RECEIPTS


cdef class Answer:
    cdef public long long position
    cdef public bint presses
    cdef public bint produces

    cpdef void release(self) except *
    cpdef void failed(self, object failure) except *


cdef class Reply(Answer):
    cdef object conversation
    cdef int kind
    cdef int flags
    cdef unsigned long request
    cdef object subject

    @cython.locals(out=Outgoing, kind=cython.int, number=cython.int)
    cpdef void release(self) except *
