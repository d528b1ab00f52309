cimport cython

from penstock.protocol._frames cimport Frame
from penstock.serve.remote_gets cimport RemoteGets

cdef int _CALL, _CHAINED, _COMMIT, _GET, _GET_MANY, _NO_REPLY, _PUT, _PUT_MANY
cdef Py_ssize_t _LARGE_BYTES


cdef class Conversation(RemoteGets):
    cdef public dict handles
    cdef public int next_handle
    cdef public int working
    cdef public dict calls

    @cython.locals(kind=cython.int)
    cpdef void handle(self, Frame frame) except *
