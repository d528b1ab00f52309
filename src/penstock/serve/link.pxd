cimport cython

from penstock.face._clock cimport monotonic
from penstock.protocol._frames cimport Frame, Splitter
from penstock.serve.conversations.conversation cimport Conversation
from penstock.serve.send_buffer cimport SendBuffer
from penstock.serve.server cimport Server

cdef int _END


cdef class Link(SendBuffer):
    cdef public Server server
    cdef public object transport
    cdef public dict conversations
    cdef Splitter splitter
    cdef Frame frame
    cdef bint direct
    cdef bint paused
    cdef bint deaf
    cdef int held
    cdef public bytes rest
    cdef public bint closed
    cdef public bint welcome
    cdef public bint late
    cdef public long long bytes_in
    cdef public long long bytes_out
    cdef public double started
    cdef public double heard
    cdef public double spoken
    cdef double refused
    cdef double hung_up
    cdef public object identity
    cdef public object peer
    cdef public object connection
    cdef public bint reveals
    cdef public double hello_at
    cdef public object pulse
    cdef public str channel
    cdef public object greeting
    cdef object __weakref__

    @cython.locals(pieces=list, piece=bytes, whole=bytes)
    cpdef void write(self) except *
    @cython.locals(frame=Frame, filled=cython.longlong, until=cython.double)
    cdef void _take_frames(self) except *
    cdef long long _filled(self) except? -1
    cdef void _hold_if_fuller(self, long long filled) except *
    @cython.locals(conversation=Conversation, number=cython.uint, kind=cython.int)
    cdef void _dispatch(self, Frame frame) except *
