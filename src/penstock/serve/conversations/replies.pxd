cimport cython

from penstock.face._clock cimport now as clock
from penstock.host.waiting cimport Caller
from penstock.protocol._frames cimport Outgoing
from penstock.serve.answers cimport Answer
from penstock.serve.send_buffer cimport SendBuffer
from penstock.serve.server cimport Server

cdef int _DONE, _MESSAGE, _MESSAGES, _RECEIPT, _RECEIPTS


cdef class LoopCaller(Caller):
    cdef unsigned long _loop_thread
    cdef public long long reached
    cdef public object scan
    cdef public list rounds
    cdef public list fetched

    cpdef void finish(self, long long position) except *


cdef class Replies:
    cdef public SendBuffer link
    cdef public Server server
    cdef public Outgoing out
    cdef public int number
    cdef public LoopCaller caller
    cdef public bint ended

    @cython.locals(position=cython.longlong)
    cpdef void reply(self, int kind, int flags, unsigned long request, object subject) except *
    cpdef void done(self, int kind, unsigned long request) except *
    cpdef void unanswered(self) except *


cdef class Reply(Answer):
    cdef Replies replies
    cdef int kind
    cdef int flags
    cdef unsigned long request
    cdef object subject

    @cython.locals(replies=Replies, out=Outgoing, kind=cython.int, number=cython.int)
    cpdef void release(self) except *
