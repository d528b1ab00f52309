cimport cython

from penstock.host._gate cimport monotonic
from penstock.wire._frames cimport Frame, Outgoing, Splitter
from penstock.wire.conversation cimport Conversation
from penstock.wire.server cimport Server


cdef class Link:
    cdef public Server server
    cdef public object transport
    cdef public Outgoing out
    cdef public dict conversations
    cdef Splitter splitter
    cdef Frame frame
    cdef bint marked
    cdef bint direct
    cdef bint paused
    cdef bint deaf
    cdef bytes rest
    cdef public bint closed
    cdef public bint welcome
    cdef public long long messages
    cdef public long long bytes_in
    cdef public long long bytes_out
    cdef public double started
    cdef public double heard
    cdef public double spoken
    cdef public object identity
    cdef public object peer
    cdef public object pulse
    cdef public str ending
    cdef public str channel
    cdef public object greeting
    cdef object __weakref__

    cpdef void mark(self) except *
    @cython.locals(pieces=list, piece=bytes)
    cpdef void write(self) except *
    @cython.locals(frame=Frame)
    cdef void _take_frames(self) except *
    @cython.locals(conversation=Conversation, number=cython.uint, kind=cython.int)
    cdef void _dispatch(self, Frame frame) except *
